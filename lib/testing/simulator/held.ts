import { EventEmitter, once } from 'node:events';

/** Answers held back until a test lets them go. */
export class Held {
  readonly #events = new EventEmitter();
  #released = false;

  /** Resolves when the first held request has arrived. */
  readonly arrived: Promise<unknown> = once(this.#events, 'arrived');

  /** Lets the held requests, and those still to come, be answered regularly. */
  release(): void {
    this.#released = true;
    this.#events.emit('released');
  }

  /** @internal */
  async pass(): Promise<void> {
    this.#events.emit('arrived');
    if (!this.#released) await once(this.#events, 'released');
  }
}
