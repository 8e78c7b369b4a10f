import type { Readable } from 'node:stream';

/** How many bytes wait for a reader. A short body arrives completely and frees its connection, also if no caller reads it. */
const MOST_WAITING = 64 * 1024;

interface Source {
  readonly resume: () => void;
  readonly closed: (isComplete: boolean) => void;
}

export interface Sealing {
  readonly clean: (error: Error) => Error;
  /** Called once when the body has ended, for any reason. */
  readonly ended: () => void;
}

/**
 * The body of a response while it arrives: one reader takes all bytes at once, or one chunk after the other. If the reader is
 * slow, the source waits. In contrast to a stream, it costs nothing for a body that arrives together with its head.
 *
 * All members are private, so nothing can be reached from the body. Its bytes may share their memory with the headers
 * of the response, which may repeat the token: a reader copies them before it passes them on.
 */
export class ReceivedBody {
  readonly #source: Source;
  #chunks: Buffer[] = [];
  #length = 0;
  #isPaused = false;
  #isReadWhole = false;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #sealing: Sealing | undefined;
  #wakeReader: ((chunk: Buffer | undefined) => void) | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Adds bytes, or ends the body with null. False if the source has to wait until `resume` is called. */
  push(chunk: Buffer | null): boolean {
    if (this.#isOver) return true;
    if (chunk === null) {
      this.#end(true);
      return true;
    }
    if (chunk.length === 0) return true;
    if (this.#isReadWhole || !this.#wake(chunk)) {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
    }
    return !(this.#isPaused = !this.#isReadWhole && this.#length >= MOST_WAITING);
  }

  destroy(error: Error): void {
    if (this.#isOver) return;
    this.#failure = { error: this.#sealing ? this.#sealing.clean(error) : error };
    this.#dropBytes();
    this.#end(false);
  }

  /** Called once for a body that a caller gets, before the caller gets it. */
  seal(sealing: Sealing): void {
    this.#sealing = sealing;
    if (this.#failure) this.#failure = { error: sealing.clean(this.#failure.error as Error) };
    if (this.#isOver) sealing.ended();
  }

  /** The bytes of a body that is over. Throws the error of a body that has failed. */
  takeAll(): readonly Buffer[] {
    this.#throwFailure();
    const chunks = this.#chunks;
    this.#dropBytes();
    return chunks;
  }

  async readWhole(): Promise<readonly Buffer[]> {
    this.#isReadWhole = true;
    this.#resume();
    while (!this.#isOver) await this.#more();
    return this.takeAll();
  }

  async next(): Promise<Buffer | undefined> {
    for (;;) {
      this.#throwFailure();
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#length -= chunk.length;
        if (this.#length < MOST_WAITING) this.#resume();
        return chunk;
      }
      if (this.#isOver) return undefined;
      const next = await this.#more();
      if (next !== undefined) return next;
    }
  }

  cancel(): void {
    this.#dropBytes();
    if (!this.#isOver) this.#end(false);
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  #more(): Promise<Buffer | undefined> {
    return new Promise((resolve) => (this.#wakeReader = resolve));
  }

  /** False if no reader waits. */
  #wake(chunk?: Buffer): boolean {
    const wake = this.#wakeReader;
    this.#wakeReader = undefined;
    wake?.(chunk);
    return wake !== undefined;
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#source.resume();
  }

  #end(isComplete: boolean): void {
    this.#isOver = true;
    this.#wake();
    this.#source.closed(isComplete);
    this.#sealing?.ended();
  }

  #dropBytes(): void {
    this.#chunks = [];
    this.#length = 0;
  }
}

/** The body that a stream of Node gives. No member of the body leads to the stream. */
export function receivedFrom(stream: Readable, closed: (isComplete: boolean) => void): ReceivedBody {
  const body = new ReceivedBody({ resume: () => void stream.resume(), closed });
  const push = (chunk: Uint8Array | string | null): boolean =>
    body.push(chunk === null || Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as Uint8Array));
  const failure = passOn(stream, { push, destroy: (error) => body.destroy(error) });
  if (failure) body.destroy(failure);
  return body;
}

interface Receiver {
  readonly push: (chunk: Uint8Array | string | null) => boolean;
  readonly destroy: (error: Error) => void;
}

/**
 * Passes the content of a stream of Node on. Returns the error of a stream that has failed before: a refusal is kept while the
 * token is renewed, and a stream that fails in that time emits nothing afterwards.
 */
export function passOn(stream: Readable, { push, destroy }: Receiver): Error | undefined {
  if (stream.destroyed) {
    stream.on('error', () => undefined);
    return stream.errored ?? cutShortError();
  }
  let hasEnded = false;
  stream.on('data', (chunk: Uint8Array | string) => {
    if (!push(chunk)) stream.pause();
  });
  stream.once('end', () => {
    hasEnded = true;
    push(null);
  });
  stream.on('error', destroy);
  stream.once('close', () => {
    if (!hasEnded) destroy(cutShortError());
  });
  return undefined;
}

export function cutShortError(): Error {
  return Object.assign(new Error('The answer was cut short.'), { code: 'ECONNRESET' });
}
