import { isObject } from '../values/is-object.js';
import { safely } from '../values/safely.js';

/** `NODE_TLS_REJECT_UNAUTHORIZED=0` does for a whole process what `rejectUnauthorized: false` does for one agent. */
export const CERTIFICATE_SWITCH = 'NODE_TLS_REJECT_UNAUTHORIZED';

/** Agents without an explicit `rejectUnauthorized` then accept any certificate. */
export function leavesCertificatesUnchecked(variables: NodeJS.ProcessEnv): boolean {
  return variables[CERTIFICATE_SWITCH] === '0';
}

/** Whether an agent accepts a certificate of any server (S9). */
export function acceptsAnyCertificate(agent: unknown): boolean {
  return isObject(agent) && PLACES.some((place) => rejectUnauthorizedOf(agent, place) === false);
}

/**
 * Whether an agent checks the certificate even if `NODE_TLS_REJECT_UNAUTHORIZED` is 0. An agent of https-proxy-agent 7
 * connects to the server without its `connectOpts`.
 */
export function insistsOnCertificates(agent: unknown): boolean {
  return safely(() => isObject(agent) && rejectUnauthorizedOf(agent, 'options') === true, false);
}

/** Where an agent keeps the options of its constructor. An agent for a proxy has one of the other two. */
const PLACES = ['options', 'connectOpts', 'proxyOptions'] as const;

function rejectUnauthorizedOf(agent: object, place: (typeof PLACES)[number]): unknown {
  const options: unknown = Reflect.get(agent, place);
  return isObject(options) ? Reflect.get(options, 'rejectUnauthorized') : undefined;
}
