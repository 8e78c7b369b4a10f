import { afterMs, type Exchange } from './exchange.js';

/** Where an answer breaks off. */
export type BreakPoint = 'before-headers' | 'mid-body';

/** In this time the first half reaches a client on loopback. A reset that is sent at once would overtake it. */
const FIRST_HALF_MS = 25;

/** Breaks the answer off with a TCP reset, or with the regular end of the connection. */
export async function breakOff(
  exchange: Exchange<string, string>,
  how: 'reset' | 'end',
  where: BreakPoint,
): Promise<void> {
  const finish = (): void => {
    if (how === 'reset') exchange.parts.context.sockets.reset(exchange.socket);
    else exchange.socket.end();
  };
  if (where === 'before-headers') return finish();
  const answer = await exchange.regular();
  const bytes = Buffer.from(answer.body);
  exchange.sendHead(answer);
  const half = Math.ceil(bytes.length / 2);
  exchange.response.write(bytes.subarray(0, half), () => afterMs(FIRST_HALF_MS, finish));
}

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
