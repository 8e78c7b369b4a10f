/** More handshakes at once would only make each of them slower, and keep the event loop busy. */
const MOST_AT_ONCE = 64;

/**
 * The calls to one host for which no connection is free. At most 64 connections are being opened at once. The other calls wait,
 * first come, first served: for their turn to open a connection, or for a connection that becomes free before.
 */
export class Openings<Call> {
  readonly #opening = new Set<Call>();
  readonly #waiting = new Set<Call>();
  /** Goes on from the place in the queue where it stopped. */
  #queue: Iterator<Call> = this.#waiting.values();
  #isProceeding = false;

  /**
   * @param open opens a connection for a call. `opened` must be called for this call afterwards.
   * @param mayOpen whether one more connection is allowed.
   */
  constructor(
    private readonly open: (call: Call) => void,
    private readonly mayOpen: () => boolean = () => true,
  ) {}

  add(call: Call): void {
    this.#waiting.add(call);
    this.proceed();
  }

  /** The call has ended before its turn. */
  remove(call: Call): void {
    this.#waiting.delete(call);
  }

  /** The call that gets a connection which has become free. Undefined if none waits. */
  next(): Call | undefined {
    let step = this.#queue.next();
    if (step.done) step = (this.#queue = this.#waiting.values()).next();
    if (step.done) return undefined;
    this.#waiting.delete(step.value);
    return step.value;
  }

  /** The connection of a call is open, or will never be. */
  opened(call: Call): void {
    if (this.#opening.delete(call)) this.proceed();
  }

  /** Opens connections as long as this is allowed. */
  proceed(): void {
    if (this.#isProceeding) return;
    this.#isProceeding = true;
    try {
      while (this.#opening.size < MOST_AT_ONCE && this.#waiting.size > 0 && this.mayOpen()) this.#openNext();
    } finally {
      this.#isProceeding = false;
    }
  }

  /** A failure frees the place, so that the calls after it are not stuck. */
  #openNext(): void {
    const call = this.next() as Call;
    this.#opening.add(call);
    try {
      this.open(call);
    } catch (error) {
      this.#opening.delete(call);
      throw error;
    }
  }
}
