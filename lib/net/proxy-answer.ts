import { isObject } from '../values/is-object.js';

/**
 * Whether a socket uses TLS. All our requests use TLS, so an answer over another socket is of a proxy. An agent of https-proxy-agent,
 * such as axios makes, replays the answer of a proxy that refuses a tunnel as the answer of the server, by design
 * (hackerone.com/reports/541502). Any machine on the way to the proxy could have written that answer (S9).
 */
export function usesTls(socket: unknown): boolean {
  return isObject(socket) && Reflect.get(socket, 'encrypted') === true;
}
