/** Answers that wait until a test releases them. */
export class HeldAnswers {
  /** Resolves when the first held request has arrived. */
  readonly arrived: Promise<void>;
  readonly #released: Promise<void>;
  #resolveArrived: () => void = () => undefined;
  #resolveReleased: () => void = () => undefined;

  constructor() {
    this.arrived = new Promise((resolve) => {
      this.#resolveArrived = resolve;
    });
    this.#released = new Promise((resolve) => {
      this.#resolveReleased = resolve;
    });
  }

  /** Sends the regular answer to the held requests. Later requests are not held. */
  release(): void {
    this.#resolveReleased();
  }

  /** Reports that a request has arrived, and waits for the release. @internal */
  waitForRelease(): Promise<void> {
    this.#resolveArrived();
    return this.#released;
  }
}
