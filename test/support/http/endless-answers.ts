import type { OutgoingHttpHeaders } from 'node:http';
// Not the global timers: a test may replace these.
import { clearInterval, setInterval } from 'node:timers';
import type { ScriptHandler } from '../../../lib/testing/index.js';

/** Answers of a server that never comes to an end, for `handler()` of a simulator. */
type Handler = ScriptHandler<string, string>;

/** Sends one byte, one header or one interim answer at a time. */
export function drip(part: 'body' | 'headers' | 'interim' = 'body', everyMs = 20): Handler {
  return async ({ socket }, response, exchange) => {
    let write: (count: number) => void;
    if (part === 'body') {
      const { status, headers, body } = await exchange.regular();
      const bytes = Buffer.from(body);
      response.writeHead(status, { ...headers, 'transfer-encoding': 'chunked' }).flushHeaders();
      // White space after the JSON text keeps the text valid, so only a deadline of the client ends the answer.
      write = (count) => response.write(count < bytes.length ? bytes.subarray(count, count + 1) : ' ');
    } else if (part === 'headers') {
      socket.write('HTTP/1.1 200 OK\r\n');
      write = (count) => socket.write(`X-Drip-${count}: drop\r\n`);
    } else write = () => socket.write('HTTP/1.1 102 Processing\r\n\r\n');
    if (socket.destroyed) return;
    let count = 0;
    const timer = setInterval(() => write(count++), everyMs);
    socket.once('close', () => clearInterval(timer));
  };
}

/** Sends a body without end, as fast as the client reads it. */
export function flood(status = 200, headers: OutgoingHttpHeaders = {}): Handler {
  return (_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    const writeUntilFull = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(status, headers).on('drain', writeUntilFull);
    writeUntilFull();
  };
}

/** Answers `101 Switching Protocols`, although the client did not ask for it. The connection stays open. */
export const switchProtocols: Handler = ({ socket }) =>
  void socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: something-else\r\n\r\n',
  );
