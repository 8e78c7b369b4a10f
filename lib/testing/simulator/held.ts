/** Answers held back until a test lets them go. */
export class Held {
  /** Resolves when the first held request has arrived. */
  readonly arrived: Promise<void>;
  readonly #released: Promise<void>;
  #arrive: () => void = nothing;
  #release: () => void = nothing;

  constructor() {
    this.arrived = new Promise((resolve) => {
      this.#arrive = resolve;
    });
    this.#released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  /** Lets the held requests, and those still to come, be answered regularly. */
  release(): void {
    this.#release();
  }

  /** @internal */
  pass(): Promise<void> {
    this.#arrive();
    return this.#released;
  }
}

function nothing(): void {}
