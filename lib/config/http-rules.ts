import type { Agent } from 'node:https';
import { AUTHORIZATION_HEADER } from '../catalogue/wire.js';
import type { ProviderTransport } from './options/provider-transport.js';
import { safely } from './safely.js';
import { type Flaw, kindOf } from './text-rules.js';

/** @see RFC 9110 section 5.6.2 */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;

/** @see RFC 9110 section 5.5 */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function flawOfHeader(name: string, value: unknown): Flaw {
  if (!HEADER_NAME.test(name)) return 'is not the name of an HTTP header. Use letters, digits and hyphens.';
  if (name.toLowerCase() === AUTHORIZATION_HEADER.toLowerCase())
    return 'is set by this module, with the access token. Remove it.';
  if (typeof value !== 'string') return `must be a string, not ${kindOf(value)}.`;
  return HEADER_VALUE.test(value)
    ? undefined
    : 'holds characters that an HTTP header cannot carry. Remove them.';
}

/** What makes an agent unfit. */
export function flawOfAgent(agent: unknown): Flaw {
  if (!isObject(agent) || typeof Reflect.get(agent, 'addRequest') !== 'function')
    return 'must be an agent of node:https, or one that extends it.';
  if (Object.getOwnPropertyDescriptor(agent, 'protocol')?.value === 'http:')
    return 'is an agent for http. Make one of node:https.';
  return acceptsAnyCertificate(agent)
    ? 'switches the checking of certificates off (rejectUnauthorized: false). Trust the authority instead: pass its certificate as ca.'
    : undefined;
}

/** Whether an agent takes whoever answers for the one that was meant (S9). */
export function acceptsAnyCertificate(agent: unknown): boolean {
  return isObject(agent) && PLACES.some((place) => rejectUnauthorizedOf(agent, place) === false);
}

/** What does for a whole process what `rejectUnauthorized: false` does for one agent. */
export const NO_CHECK = 'NODE_TLS_REJECT_UNAUTHORIZED';

/** Whether this environment makes everybody who does not insist on certificates take whoever answers. */
export function leavesCertificatesUnchecked(variables: NodeJS.ProcessEnv): boolean {
  return variables[NO_CHECK] === '0';
}

/**
 * Whether an agent checks the certificate of the server whatever the environment of the process says. What it is told
 * about its proxy does not count: some agents make the connection behind the proxy without it.
 */
export function insistsOnCertificates(agent: unknown): boolean {
  return safely(() => isObject(agent) && rejectUnauthorizedOf(agent, 'options') === true, false);
}

export function isAgent(agent: unknown): agent is Agent {
  return safely(() => flawOfAgent(agent) === undefined, false);
}

export function flawOfTransport(transport: unknown): Flaw {
  return isObject(transport) && typeof Reflect.get(transport, 'open') === 'function'
    ? undefined
    : 'must be a transport: an object with a function `open`, such as undiciTransport() gives.';
}

export function isTransport(transport: unknown): transport is ProviderTransport {
  return safely(() => flawOfTransport(transport) === undefined, false);
}

/**
 * An agent keeps what it was made with in `options`; one that goes through a proxy keeps what is for its connection to the
 * proxy in one of the others.
 */
const PLACES = ['options', 'connectOpts', 'proxyOptions'] as const;

function rejectUnauthorizedOf(agent: object, place: (typeof PLACES)[number]): unknown {
  const options: unknown = Reflect.get(agent, place);
  return isObject(options) ? Reflect.get(options, 'rejectUnauthorized') : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
