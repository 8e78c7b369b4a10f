import type { OutgoingHttpHeaders } from 'node:http';
import { lowerCased } from './answer.js';
import { type AnyExchange, hasNoBody } from './exchange.js';

/** Where an answer breaks off. */
export type BreakPoint = 'before-headers' | 'mid-body';

/** What an endless answer sends in small steps. */
export type DripPart = 'body' | 'headers' | 'interim';

/** In this time the first half reaches a client on loopback. A reset that is sent at once would overtake it. */
const FIRST_HALF_MS = 25;

/** Breaks the answer off with a TCP reset, or with the regular end of the connection. */
export async function breakOff(
  exchange: AnyExchange,
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
  exchange.response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () =>
    exchange.parts.context.timers.after(FIRST_HALF_MS, finish),
  );
}

/** Sends one byte, one header or one interim answer at a time, and never ends. */
export async function drip(exchange: AnyExchange, part: DripPart, everyMs: number): Promise<void> {
  const write =
    part === 'body'
      ? await bodyBytes(exchange)
      : part === 'headers'
        ? headerLines(exchange)
        : interims(exchange);
  if (exchange.socket.destroyed) return;
  exchange.socket.once('close', exchange.parts.context.timers.every(everyMs, write));
}

/** Sends a body without end, as fast as the client reads it. */
export function flood(exchange: AnyExchange, status: number, headers: OutgoingHttpHeaders): void {
  const { request, response } = exchange;
  const chunk = Buffer.alloc(64 * 1024, 0x20);
  const writeUntilFull = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  exchange.sendHead({
    status,
    headers: { ...lowerCased(headers), 'transfer-encoding': 'chunked' },
    body: '',
  });
  if (request.method === 'HEAD' || hasNoBody(status)) return void response.end();
  response.on('drain', writeUntilFull);
  writeUntilFull();
}

/** Writes bytes into the TLS stream, without HTTP. */
export function raw(exchange: AnyExchange, bytes: string | Buffer, then: 'end' | 'stay'): void {
  exchange.socket.write(bytes);
  if (then === 'end') exchange.socket.end();
}

async function bodyBytes(exchange: AnyExchange): Promise<() => void> {
  const { status, headers, body } = await exchange.regular();
  const bytes = Buffer.from(body);
  let sent = 0;
  exchange.sendHead({ status, headers: { ...headers, 'transfer-encoding': 'chunked' }, body: '' });
  exchange.response.flushHeaders();
  // White space after the JSON text keeps the text valid, so only a deadline of the client ends the answer.
  return () => {
    exchange.response.write(sent < bytes.length ? bytes.subarray(sent, sent + 1) : ' ');
    sent += 1;
  };
}

function headerLines(exchange: AnyExchange): () => void {
  let count = 0;
  exchange.socket.write('HTTP/1.1 200 OK\r\n');
  return () => exchange.socket.write(`X-Drip-${(count += 1)}: drop\r\n`);
}

function interims(exchange: AnyExchange): () => void {
  return () => exchange.socket.write('HTTP/1.1 102 Processing\r\n\r\n');
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
