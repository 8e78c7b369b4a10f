import type { AnyPair } from '../catalogue/catalogue.js';
import { agentFlaw, CONNECTION_FLAWS, type ConnectionFlaw } from '../net/certificate-checks.js';
import { isObject } from '../values/objects.js';
import { RequestRefusedError } from './request-refused.error.js';

const BY_AXIOS = "set adapter: 'http' on the request, which is then sent by axios itself";

/** Options of axios' own adapters, and the way to what they do. */
const WAYS: Readonly<Record<string, string>> = {
  beforeRedirect: 'set maxRedirects to 0 and read the location header of the answer',
  transport: BY_AXIOS,
  lookup: 'set http.httpsAgent: new https.Agent({ lookup }) with the default transport',
  family: 'set http.httpsAgent: new https.Agent({ family }) with the default transport',
  maxRate: BY_AXIOS,
  httpVersion: 'leave it out, because requests use HTTP/1.1 only',
  http2Options: 'leave it out, because requests use HTTP/1.1 only',
  insecureHTTPParser: BY_AXIOS,
  fetchOptions: "set adapter: 'fetch' on the request",
  formDataHeaderPolicy: BY_AXIOS,
};

const NAMES = Object.keys(WAYS);

/** Values that ask for nothing, as axios' own defaults. */
const NOT_SET: Readonly<Record<string, unknown>> = {
  httpVersion: 1,
  formDataHeaderPolicy: 'legacy',
  insecureHTTPParser: false,
};

/** Throws if the config of a request has an option that no source of ours has, so that none is ignored. */
export function refuseUnsupported(pair: AnyPair, config: object): void {
  for (const name of NAMES) {
    const value: unknown = Reflect.get(config, name);
    if (value === undefined || value === null || value === NOT_SET[name]) continue;
    throw notSupported(pair, name, WAYS[name] ?? '');
  }
}

/** Throws if the agent of a request, or of the options, accepts any server (S9), or leads to another place than the address (S6). */
export function refuseUnsafeAgent(
  { httpsAgent }: { readonly httpsAgent?: unknown },
  pair: AnyPair,
  { http }: { readonly http: { readonly httpsAgent?: object | undefined } },
): void {
  const flaw = agentFlaw(isObject(httpsAgent) ? httpsAgent : http.httpsAgent);
  if (flaw !== undefined) throw unsafeConnection(pair, 'its agent', flaw);
}

/** @param what the part of a request that has the flaw. */
export function unsafeConnection(pair: AnyPair, what: string, flaw: ConnectionFlaw): RequestRefusedError {
  const { does, advice } = CONNECTION_FLAWS[flaw];
  const code = flaw === 'elsewhere' ? 'OUTSIDE_BASE_URL' : 'INSECURE_URL';
  return new RequestRefusedError(code, pair, `${what} ${does}. ${advice}`);
}

/** @param way what to do in place of the option. */
export function notSupported(pair: AnyPair, option: string, way: string): RequestRefusedError {
  const why = `its option ${option} is not supported. Remove ${option}, or ${way}.`;
  return new RequestRefusedError('OPTION_NOT_SUPPORTED', pair, why);
}
