import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { settled } from '../token/fake-clock.js';
import { MemoryConnection } from './memory-connection.js';

export interface WrittenRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ReadAnswer {
  readonly status: number;
  readonly reason: string;
  /** Without the headers of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Nothing here needs time, so an answer that has not ended by then never ends. */
const MOST_TURNS = 1000;

const OF_CONNECTION: readonly string[] = ['date', 'connection', 'keep-alive'];

/** A request that Node's HTTP server has received without a network, and what a test sees of its answer. */
export class ReceivedRequest {
  private constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly connection: MemoryConnection,
  ) {}

  static with({
    method = 'GET',
    path = '/',
    headers = {},
    body = '',
  }: WrittenRequest = {}): Promise<ReceivedRequest> {
    // Without a timeout, Node writes no `Keep-Alive` line, which differs between its versions.
    const server = createServer({ keepAliveTimeout: 0 });
    const connection = new MemoryConnection();
    const framing = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const lines = Object.entries({ host: 'localhost', ...framing, ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return new Promise((resolve, reject) => {
      server.once('clientError', reject);
      server.once('request', (request, response) => {
        server.off('clientError', reject);
        resolve(new ReceivedRequest(request, response, connection));
      });
      server.emit('connection', connection.client);
      connection.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`);
    });
  }

  /** All bytes that were sent so far. */
  async sent(): Promise<string> {
    await settled();
    return this.connection.received;
  }

  /** Sends further bytes of the request. */
  write(bytes: string): void {
    this.connection.write(bytes);
  }

  /** The client closes its end of the connection. Node then closes the end of the server. */
  disconnect(): void {
    this.connection.end();
  }

  /** The answer, when it has ended. */
  async answer(): Promise<ReadAnswer> {
    for (let turn = 0; turn < MOST_TURNS && !this.response.closed; turn += 1) await settled();
    if (!this.response.closed) throw new Error('The request got no answer.');
    const text = await this.sent();
    const end = text.indexOf('\r\n\r\n');
    const [start = '', ...lines] = text.slice(0, end).split('\r\n');
    const [, status, reason = ''] = /^HTTP\/1\.1 (\d+) (.*)$/.exec(start) ?? [];
    const headers = lines
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(': ') + 2)] as const)
      .filter(([name]) => !OF_CONNECTION.includes(name.toLowerCase()));
    return {
      status: Number(status),
      reason,
      headers: Object.fromEntries(headers),
      body: text.slice(end + 4),
    };
  }
}
