import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import type { AgentOptions, RequestOptions } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import tls from 'node:tls';
import { OwnAgent } from './own-agent.js';
import { socketHost } from './parsed-url.js';
import { withoutInherited } from '../values/objects.js';
import { answeredByProxy, type Proxy, ProxyError } from './proxy.js';

/** How long a proxy may take to make a tunnel. */
const TUNNEL_MS = 10_000;

type OnSocket = (error: Error | null, socket?: Socket) => void;

/** Reaches servers through a proxy: a tunnel for each connection, and TLS to the server inside the tunnel. */
export class TunnelAgent extends OwnAgent {
  readonly #proxy: Proxy;

  /** @param options for the server only: the proxy sees no certificate of ours, and our authorities do not make it trusted. */
  constructor(proxy: Proxy, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  protected override openSocket(request: ClientRequest, options: RequestOptions, done: OnSocket): void {
    let reason: Error | undefined;
    const opening = openTunnel(this.#proxy, options, (error, socket) => {
      Reflect.deleteProperty(request, 'destroy');
      if (error) done(reason ?? error);
      else super.openSocket(request, { ...options, socket } as RequestOptions, done);
    });
    // A request that is destroyed before it has a socket gets no event.
    request.destroy = (given) => {
      reason = given;
      opening.destroy();
      return http.ClientRequest.prototype.destroy.call(request, given);
    };
  }
}

export function openTunnel(proxy: Proxy, { host = '', port }: RequestOptions, done: OnSocket): ClientRequest {
  const target = `${host?.includes(':') ? `[${host}]` : host}:${port}`;
  const headers = {
    Host: target,
    ...(proxy.authorization && { 'Proxy-Authorization': proxy.authorization }),
  };
  const createConnection = (): Socket => connectTo(proxy.url);
  const request = http.request(
    withoutInherited({ method: 'CONNECT', path: target, headers, createConnection }),
  );
  const failed = (error: ProxyError): void => {
    clearTimeout(timer);
    done(error);
  };
  const timer = setTimeout(
    () => request.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })),
    TUNNEL_MS,
  );
  request.once('connect', ({ statusCode }: IncomingMessage, socket: Socket, firstBytes: Buffer) => {
    if (statusCode !== 200) {
      socket.on('error', () => {}).destroy();
      return failed(answeredByProxy(statusCode));
    }
    clearTimeout(timer);
    if (firstBytes.length > 0) socket.unshift(firstBytes);
    done(null, socket);
  });
  request.once('error', ({ code = 'ERR_BAD_RESPONSE' }: NodeJS.ErrnoException) => {
    request.on('error', () => {});
    failed(new ProxyError(`The proxy could not be used (${code}): it made no connection to the API.`, code));
  });
  return request.end();
}

/** A proxy that is reached by TLS is checked against the authorities of Node. */
function connectTo(proxy: URL): Socket {
  const { protocol, port } = proxy;
  const host = socketHost(proxy);
  if (protocol === 'http:') return connect(withoutInherited({ host, port: Number(port) || 80 }));
  const servername = isIP(host) ? '' : host;
  return tls.connect(
    withoutInherited({ host, port: Number(port) || 443, servername, rejectUnauthorized: true }),
  );
}
