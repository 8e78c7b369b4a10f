import { Readable, type Transform } from 'node:stream';
import type { DecoderFactory } from './decompression.js';

/** Where the bytes of an answer go. */
export interface Sink {
  /** False when no more is wanted for the moment. */
  push(chunk: Buffer): boolean;
  end(): void;
  fail(error: Error): void;
}

/** Where they come from. */
export interface Source {
  resume(): void;
}

/**
 * A body for the caller to read. It leads back to nothing: what it needs lives in closures (B12). As with Node's own, a
 * failure is told to those who listen and does not end the process of one who has not begun to.
 */
export function readableBody(source: Source, closed: () => void): Readable {
  return new Readable({
    read: () => source.resume(),
    destroy(error, done) {
      closed();
      process.nextTick(() => done(this.listenerCount('error') > 0 ? error : null));
    },
  });
}

/** Decodes on the way to a sink, and passes the sink's pace on to the source. */
export class Decoding implements Source {
  readonly #create: DecoderFactory;
  readonly #sink: Sink;
  readonly #source: Source;
  #decoder: Transform | undefined;

  constructor(create: DecoderFactory, sink: Sink, source: Source) {
    this.#create = create;
    this.#sink = sink;
    this.#source = source;
  }

  push(chunk: Buffer): boolean {
    this.#decoder ??= this.#open(chunk);
    return this.#decoder.write(chunk);
  }

  end(): void {
    if (this.#decoder) this.#decoder.end();
    else this.#sink.end();
  }

  resume(): void {
    if (this.#decoder) this.#decoder.resume();
    else this.#source.resume();
  }

  destroy(): void {
    this.#decoder?.destroy();
  }

  #open(firstBytes: Buffer): Transform {
    const decoder = this.#create(firstBytes);
    decoder.on('data', (chunk: Buffer) => {
      if (!this.#sink.push(chunk)) decoder.pause();
    });
    decoder.on('drain', () => this.#source.resume());
    decoder.once('end', () => this.#sink.end());
    decoder.once('error', (error) => this.#sink.fail(error));
    return decoder;
  }
}
