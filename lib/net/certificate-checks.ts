import { Agent } from 'node:https';
import { hasAny, isObject } from '../values/objects.js';
import { safely } from '../values/safely.js';
import { isPlainAgent } from './own-agent.js';

/** `NODE_TLS_REJECT_UNAUTHORIZED=0` does for a whole process what `rejectUnauthorized: false` does for one agent. */
export const CERTIFICATE_SWITCH = 'NODE_TLS_REJECT_UNAUTHORIZED';

/** Agents without an explicit `rejectUnauthorized` then accept any certificate. */
export function leavesCertificatesUnchecked(variables: NodeJS.ProcessEnv): boolean {
  return variables[CERTIFICATE_SWITCH] === '0';
}

/**
 * A connection that would accept any server, or for which only a function of the application would check the name (S9), or that
 * leads to another place than the address of the request (S6).
 */
export type ConnectionFlaw = 'any-server' | 'unchecked-name' | 'elsewhere';

/** What an agent or a transport with the flaw does, and how to fix it. */
export const CONNECTION_FLAWS: Readonly<Record<ConnectionFlaw, { does: string; advice: string }>> = {
  'any-server': {
    does: `turns off certificate checks (rejectUnauthorized: false, or ${CERTIFICATE_SWITCH}=0)`,
    advice: 'Remove that. To trust a private authority, set …_CA_FILE, or tls.ca in code.',
  },
  'unchecked-name': {
    does: 'replaces the check of the name in a certificate (checkServerIdentity)',
    advice: 'Pass an `Agent` of node:https itself: then both checks run.',
  },
  elsewhere: {
    does: 'leads to another place than the address of a request (host, port, path, socket or socketPath)',
    advice: 'Leave these options out.',
  },
};

/** What is wrong with an agent, for API requests and for the client secret alike. */
export function agentFlaw(agent: unknown): ConnectionFlaw | undefined {
  if (!isObject(agent)) return undefined;
  if (acceptsAnyServer(agent)) return 'any-server';
  if (replacesNameCheck(agent)) return 'unchecked-name';
  return agent instanceof Agent && hasAny(agent.options, TARGETS) ? 'elsewhere' : undefined;
}

/** The variable may be set after the boot. Copies of plain agents do not follow it. */
function acceptsAnyServer(agent: object): boolean {
  if (PLACES.some((place) => rejectUnauthorizedOf(agent, place) === false)) return true;
  return !isPlainAgent(agent) && leavesCertificatesUnchecked(process.env) && !insistsOnCertificates(agent);
}

/** Only plain agents, which this package copies, check the name too. */
function replacesNameCheck(agent: object): boolean {
  return !isPlainAgent(agent) && hasAny(Reflect.get(agent, 'options'), ['checkServerIdentity']);
}

/** Settings of an agent that replace the address. A `servername` is allowed: the certificate must be for that name. */
const TARGETS = ['host', 'port', 'path', 'socketPath', 'socket'];

/**
 * Whether an agent checks the certificate even if `NODE_TLS_REJECT_UNAUTHORIZED` is 0. An agent of https-proxy-agent 7
 * connects to the server without its `connectOpts`.
 */
export function insistsOnCertificates(agent: unknown): boolean {
  return safely(() => isObject(agent) && rejectUnauthorizedOf(agent, 'options') === true, false);
}

/** Whether an agent shows a client certificate. */
export function hasCertificate(agent: unknown): boolean {
  const names = ['cert', 'key', 'pfx', 'secureContext'];
  return isObject(agent) && TO_SERVER.some((place) => hasAny(Reflect.get(agent, place), names));
}

/** Where an agent keeps its options for connections to servers. An agent for a proxy has the second. */
const TO_SERVER = ['options', 'connectOpts'] as const;
const PLACES = [...TO_SERVER, 'proxyOptions'] as const;

function rejectUnauthorizedOf(agent: object, place: (typeof PLACES)[number]): unknown {
  const options: unknown = Reflect.get(agent, place);
  return isObject(options) ? Reflect.get(options, 'rejectUnauthorized') : undefined;
}
