import type { ClientTls } from '../../net/client-tls.js';
import { isObject } from '../../values/is-object.js';

/** A request that names one of these uses its own certificates only, as a request with its own agent does. */
const OWN_CERTIFICATES = ['ca', 'cert', 'key', 'pfx', 'secureContext'];

/** One value for each `tls`, different from all others. */
const marks = new WeakMap<ClientTls, symbol>();

/**
 * The settings of a request over HTTP/2, for which axios asks no agent.
 *
 * axios shares a connection between all requests to a host whose settings are deeply equal, and to `isDeepStrictEqual` any
 * two secure contexts are (axios 1.18.0 to 1.21.1, axios/lib/helpers/Http2Sessions.js). The mark keeps the connections of two
 * pairs apart.
 */
export function http2OptionsWith(tls: ClientTls, given: unknown): object {
  const own: object = isObject(given) ? given : {};
  if (OWN_CERTIFICATES.some((name) => (Reflect.get(own, name) ?? undefined) !== undefined)) return own;
  let mark = marks.get(tls);
  if (mark === undefined) marks.set(tls, (mark = Symbol('tls of one interface and environment')));
  return { ...own, secureContext: tls.secureContext(), mark };
}
