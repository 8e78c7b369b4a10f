import type { SecureContext } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { ClientTls } from '../../net/client-tls.js';
import { hasAny, isObject } from '../../values/is-object.js';

interface OwnTls {
  readonly ca?: string | Buffer | (string | Buffer)[];
}

/** A context for the authorities of a request. A context takes milliseconds to make, so the last one is kept. */
interface OwnAuthorities {
  readonly version: symbol;
  readonly ca: OwnTls['ca'];
  readonly secureContext: SecureContext;
}

const lastOwnAuthorities = new WeakMap<ClientTls, OwnAuthorities>();

/**
 * The settings of a request over HTTP/2, for which axios asks no agent. What the request brings itself is completed by `tls`.
 *
 * axios shares a connection between requests whose settings are deeply equal, and to `isDeepStrictEqual` any two secure
 * contexts are (axios 1.20.0 to 1.21.1, axios/lib/helpers/Http2Sessions.js). The mark keeps the connections of two pairs
 * apart, and those before and after a change of the certificates.
 */
export function http2OptionsWith(tls: ClientTls, given: unknown): object {
  const own: OwnTls = isObject(given) ? given : {};
  if (hasAny(own, ['secureContext'])) return own;
  const hasOwnAuthorities = hasAny(own, ['ca']);
  if (hasAny(own, ['cert', 'key', 'pfx']))
    return hasOwnAuthorities || tls.ca === undefined ? own : { ...own, ca: tls.ca };
  const secureContext = hasOwnAuthorities ? withOwnAuthorities(tls, own.ca) : tls.secureContext();
  return { ...own, secureContext, mark: tls.version };
}

function withOwnAuthorities(tls: ClientTls, ca: OwnTls['ca']): SecureContext {
  const { version } = tls;
  const last = lastOwnAuthorities.get(tls);
  if (last !== undefined && last.version === version && isDeepStrictEqual(last.ca, ca))
    return last.secureContext;
  const secureContext = tls.secureContextFor(ca);
  lastOwnAuthorities.set(tls, { version, ca, secureContext });
  return secureContext;
}
