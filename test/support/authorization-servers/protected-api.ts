import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ServerCertificate } from './authorization-server.js';

/** A request that arrived, with its token and the status of its response. */
export interface ApiCall {
  readonly path: string;
  readonly token: string | undefined;
  readonly body: string;
  readonly status: number;
}

type Guard = (token: string) => Promise<boolean>;

/** A small HTTPS API. It answers 401 if the authorization server does not confirm the bearer token. */
export class ProtectedApi {
  readonly calls: ApiCall[] = [];
  readonly #guards = new Map<string, Guard>();

  private constructor(private readonly server: https.Server) {}

  static async start({ cert, key }: ServerCertificate): Promise<ProtectedApi> {
    const server = https.createServer({ cert, key });
    const api = new ProtectedApi(server);
    server.on('request', (request, response) => void api.#serve(request, response));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  /** Opens a path that only the tokens of this guard may use. Returns its URL. */
  open(path: string, guard: Guard): string {
    this.#guards.set(path, guard);
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}/${path}`;
  }

  /** The calls under one path. */
  callsOf(path: string): ApiCall[] {
    return this.calls.filter((call) => call.path.startsWith(`/${path}/`));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const [, place = ''] = path.split('/');
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    await once(request, 'end');
    const good = token !== undefined && (await this.#guards.get(place)?.(token)) === true;
    const status = good ? 200 : 401;
    this.calls.push({ path, token, body, status });
    if (!good) response.setHeader('www-authenticate', 'Bearer error="invalid_token"');
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ path, good }));
  }
}
