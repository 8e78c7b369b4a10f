import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { unpooledConcat } from '../secrets/unpooled-buffer.js';

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
 * The body of a response while it arrives, for one reader. If the reader is slow, the source waits. In contrast to a stream, it
 * costs nothing for a body that arrives together with its head.
 *
 * All members are private, so nothing can be reached from the body. Its bytes may share their memory with the headers of the
 * response, which may repeat the token: a reader copies them before it passes them on.
 */
export class ReceivedBody {
  readonly #source: Source;
  #chunks: Buffer[] = [];
  #length = 0;
  #isPaused = false;
  #isOver = false;
  #failure: { readonly error: Error } | undefined;
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
    if (chunk === null) this.#end(true);
    if (this.#isOver || chunk === null || chunk.length === 0) return true;
    if (!this.#wake(chunk)) {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
    }
    return !(this.#isPaused = this.#length >= MOST_WAITING);
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
    if (this.#failure) this.#failure = { error: sealing.clean(this.#failure.error) };
    if (this.#isOver) sealing.ended();
  }

  /** The bytes of a body that is over. Throws the error of a body that has failed. */
  takeAll(): readonly Buffer[] {
    if (this.#failure) throw this.#failure.error;
    const chunks = this.#chunks;
    this.#dropBytes();
    return chunks;
  }

  async next(): Promise<Buffer | undefined> {
    if (this.#failure) throw this.#failure.error;
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#length -= chunk.length;
      if (this.#isPaused && this.#length < MOST_WAITING) this.#resume();
      return chunk;
    }
    if (this.#isOver) return undefined;
    const next = await new Promise<Buffer | undefined>((resolve) => (this.#wakeReader = resolve));
    return next ?? this.next();
  }

  cancel(): void {
    this.#dropBytes();
    this.#end(false);
  }

  /** False if no reader waits. */
  #wake(chunk?: Buffer): boolean {
    const wake = this.#wakeReader;
    this.#wakeReader = undefined;
    wake?.(chunk);
    return wake !== undefined;
  }

  #resume(): void {
    this.#isPaused = false;
    this.#source.resume();
  }

  #end(isComplete: boolean): void {
    if (this.#isOver) return;
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

/**
 * A received body as a stream. Its bytes are copied: they share their memory with the head of the answer. If no code listens for
 * an error yet, the error does not end the process, as with the bodies of Node's own `http`.
 */
export function streamOfReceived(body: ReceivedBody, closed: () => void): Readable {
  // A pipe may read the stream in the context of another call.
  const inOwnContext = AsyncLocalStorage.snapshot();
  const stream: Readable = new Readable({
    read: () =>
      inOwnContext(
        () =>
          void body.next().then(
            (chunk) => stream.push(chunk === undefined ? null : unpooledConcat([chunk])),
            (error: Error) => stream.destroy(error),
          ),
      ),
    destroy(error, done) {
      inOwnContext(() => {
        body.cancel();
        closed();
      });
      process.nextTick(() => done(stream.listenerCount('error') > 0 ? error : null));
    },
  });
  return stream;
}

export function cutShortError(): Error {
  return Object.assign(new Error('The answer was cut short.'), { code: 'ECONNRESET' });
}
