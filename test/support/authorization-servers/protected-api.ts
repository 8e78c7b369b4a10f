import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';

/** What arrived: for whom the path is, the token it came with, and how it was answered. */
export interface ApiCall {
  readonly path: string;
  readonly token: string | undefined;
  readonly body: string;
  readonly status: number;
}

type Guard = (token: string) => Promise<boolean>;

/** A small HTTPS API that lets in nobody whose bearer token its authorization server does not vouch for. */
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

  /** Opens an address below which only these tokens are good; gives its URL. */
  open(path: string, guard: Guard): string {
    this.#guards.set(path, guard);
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}/${path}`;
  }

  /** The calls below one address. */
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
