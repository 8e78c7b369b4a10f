import { AUTHORIZATION_HEADER } from '../../catalogue/wire.js';
import { agentFlaw, CONNECTION_FLAWS } from '../../net/certificate-checks.js';
import { CONNECTION_HEADERS, UNFIT_FOR_HEADER, HTTP_TOKEN } from '../../values/http-text.js';
import { isObject } from '../../values/objects.js';
import { type Flaw, flawOfText, kindOf } from '../../secrets/text-rules.js';

/** Ten minutes. A longer timeout is probably a wrong unit. */
export const LONGEST_TIMEOUT_MS = 600_000;

const OF_ONE_REQUEST: ReadonlySet<string> = new Set([...CONNECTION_HEADERS, 'content-length', 'host']);

export function flawOfHeader(name: string, value: unknown): Flaw {
  if (!HTTP_TOKEN.test(name)) return 'is not the name of an HTTP header. Use letters, digits and hyphens.';
  if (name.toLowerCase() === AUTHORIZATION_HEADER.toLowerCase())
    return 'is set by this module, with the access token. Remove it.';
  if (OF_ONE_REQUEST.has(name.toLowerCase()))
    return 'belongs to the connection or to the body of one request, and would break every request. Remove it.';
  if (typeof value !== 'string') return `must be a string, not ${kindOf(value)}.`;
  return UNFIT_FOR_HEADER.test(value)
    ? 'holds characters that an HTTP header cannot carry. Remove them.'
    : undefined;
}

export function flawOfAgent(agent: unknown): Flaw {
  if (!isObject(agent) || typeof Reflect.get(agent, 'addRequest') !== 'function')
    return 'must be an agent of node:https, or one that extends it.';
  if (Object.getOwnPropertyDescriptor(agent, 'protocol')?.value === 'http:')
    return 'is an agent for http. Make one of node:https.';
  const flaw = agentFlaw(agent);
  return flaw && `${CONNECTION_FLAWS[flaw].does}. ${CONNECTION_FLAWS[flaw].advice}`;
}

export function flawOfTransport(transport: unknown): Flaw {
  return isObject(transport) && typeof Reflect.get(transport, 'open') === 'function'
    ? undefined
    : 'must be a transport: an object with a function `open`, such as undiciTransport() returns.';
}

/** A name or an IP address. A whole URL is a common mistake: it would be looked up as the name of a host. */
export function flawOfHostName(value: unknown): Flaw {
  const flaw = flawOfText(value);
  if (flaw !== undefined || typeof value !== 'string') return flaw;
  // One colon is that of a port. The address of IPv6 has more.
  return /[\s/@\\?#,]|^[^:]*:[^:]*$|\]:/.test(value)
    ? 'is not a host. Give the name or the address alone; protocol, port and auth are separate settings.'
    : undefined;
}

const STORE_OPERATIONS = ['claim', 'publish', 'release'];

/** An object with the functions of `TokenStore`. The functions are not called at boot. */
export function flawOfStore(store: unknown): Flaw {
  return isObject(store) &&
    STORE_OPERATIONS.every((name) => typeof Reflect.get(store, name) === 'function') &&
    ['undefined', 'function'].includes(typeof Reflect.get(store, 'sealKey')) &&
    isTimely(Reflect.get(store, 'timeoutMs'))
    ? undefined
    : `must be a token store: an object with the functions ${STORE_OPERATIONS.join(', ')}, and a timeoutMs above 0 and a function sealKey if it has them. Pass new RedisTokenStore(client), or leave it out.`;
}

function isTimely(timeoutMs: unknown): boolean {
  return (
    timeoutMs === undefined ||
    (typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS)
  );
}
