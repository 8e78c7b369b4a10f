import { type Duplex, duplexPair, type Readable } from 'node:stream';

const PIECE = 16 * 1024;

/** A connection without a network: a client writes requests to one end, and the test answers with bytes at the other end. */
export class MemoryConnection {
  /** What a client gets as its socket. */
  readonly client: Duplex;
  /** Resolves when the client has ended the connection. */
  readonly closed: Promise<void>;
  /** Everything that the client has sent. */
  received = '';
  /** The answer, if the client reads it as a stream that does not stop the connection while it is paused. */
  answer: Readable | undefined;
  readonly #server: Duplex;
  #onReceived: (() => void) | undefined;

  constructor() {
    [this.client, this.#server] = duplexPair();
    this.closed = new Promise((resolve) => this.client.once('close', resolve));
    this.#server.on('data', (bytes: Buffer) => {
      this.received += bytes.toString('latin1');
      this.#onReceived?.();
    });
  }

  /** Whether the client has left bytes of the answer unread. */
  get isPaused(): boolean {
    return this.#server.writableLength > 0 || this.answer?.isPaused() === true;
  }

  /** Waits until the client has sent a text, for example the end of a head. */
  async receives(text: string): Promise<void> {
    while (!this.received.includes(text)) await new Promise<void>((resolve) => (this.#onReceived = resolve));
  }

  /** Sends bytes, in pieces as a socket gives them. */
  write(bytes: string | Buffer): void {
    const all = Buffer.from(bytes);
    for (let start = 0; start < all.length; start += PIECE)
      this.#server.write(all.subarray(start, start + PIECE));
  }

  /** Ends the connection, as a server that has nothing more to send. */
  end(): void {
    this.#server.end();
  }
}
