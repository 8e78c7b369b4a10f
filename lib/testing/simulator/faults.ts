import type { OutgoingHttpHeaders } from 'node:http';
import { lowerCased } from './answer.js';
import type { Exchange } from './exchange.js';

/** Where an answer breaks off. */
export type BreakPoint = 'before-headers' | 'mid-body';

/** What a dripping answer sends little by little. */
export type DripPart = 'body' | 'headers' | 'interim';

/** Long enough for the first half to reach a client on loopback before a reset overtakes it. */
const HALF_TRAVELS_MS = 25;

/** Breaks off with a TCP reset, or, politely, with the end of the stream. */
export async function breakOff(exchange: Exchange, how: 'reset' | 'end', where: BreakPoint): Promise<void> {
  const finish = (): void => {
    if (how === 'reset') exchange.stage.connections.reset(exchange.socket);
    else exchange.socket.end();
  };
  if (where === 'before-headers') return finish();
  const answer = await exchange.regular();
  const bytes = Buffer.from(answer.body);
  exchange.head(answer);
  exchange.response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () =>
    exchange.stage.timers.after(HALF_TRAVELS_MS, finish),
  );
}

/** Sends one byte, one header or one interim answer at a time and never comes to an end. */
export async function drip(exchange: Exchange, part: DripPart, everyMs: number): Promise<void> {
  const write =
    part === 'body'
      ? await bodyBytes(exchange)
      : part === 'headers'
        ? headerLines(exchange)
        : interims(exchange);
  if (exchange.socket.destroyed) return;
  exchange.socket.once('close', exchange.stage.timers.every(everyMs, write));
}

/** Sends a body without end as fast as the client takes it. */
export function flood(exchange: Exchange, status: number, headers: OutgoingHttpHeaders): void {
  const { request, response } = exchange;
  const chunk = Buffer.alloc(64 * 1024, 0x20);
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  exchange.head({ status, headers: { ...lowerCased(headers), 'transfer-encoding': 'chunked' }, body: '' });
  if (request.method === 'HEAD') return void response.end();
  response.on('drain', pour);
  pour();
}

/** Writes past HTTP, straight into the TLS stream. */
export function raw(exchange: Exchange, bytes: string | Buffer, then: 'end' | 'stay'): void {
  exchange.socket.write(bytes);
  if (then === 'end') exchange.socket.end();
}

async function bodyBytes(exchange: Exchange): Promise<() => void> {
  const { status, headers, body } = await exchange.regular();
  const bytes = Buffer.from(body);
  let sent = 0;
  exchange.head({ status, headers: { ...headers, 'transfer-encoding': 'chunked' }, body: '' });
  exchange.response.flushHeaders();
  // White space after the JSON text keeps it valid, so only a deadline ends it.
  return () => {
    exchange.response.write(sent < bytes.length ? bytes.subarray(sent, sent + 1) : ' ');
    sent += 1;
  };
}

function headerLines(exchange: Exchange): () => void {
  let count = 0;
  exchange.socket.write('HTTP/1.1 200 OK\r\n');
  return () => exchange.socket.write(`X-Drip-${(count += 1)}: drop\r\n`);
}

function interims(exchange: Exchange): () => void {
  return () => exchange.socket.write('HTTP/1.1 102 Processing\r\n\r\n');
}
