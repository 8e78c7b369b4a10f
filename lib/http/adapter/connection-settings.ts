import { Agent } from 'node:https';
import { isPlainAgent } from '../../net/private-agent.js';
import { isObject } from '../../values/is-object.js';

/** What a request says about its connection. */
export interface Connecting {
  readonly httpsAgent?: unknown;
  readonly httpVersion?: unknown;
  readonly http2Options?: unknown;
  /** Of `fetchOptions`. */
  readonly dispatcher?: unknown;
}

/** Settings for HTTP/2 that win over the address, or make the connection themselves. */
const DETOURS = ['host', 'port', 'path', 'servername', 'socket', 'createConnection'];

/** Settings of an agent that win over the address. It may have a `servername`: the certificate must be for that. */
const DETOURS_OF_AGENT = ['host', 'port', 'path', 'socketPath', 'socket'];

/** Whether the settings of a connection lead to another place than the address of the request (S6). */
export function leadsElsewhere({ httpsAgent, http2Options }: Connecting): boolean {
  if (http2Options !== undefined && holdsAny(http2Options, DETOURS)) return true;
  return httpsAgent instanceof Agent && holdsAny(httpsAgent.options, DETOURS_OF_AGENT);
}

/**
 * Whether the application's own function alone would say for which host a certificate is good. In a plain agent the name
 * is checked as well; an agent of another class, and HTTP/2, take the function in place of that check.
 */
export function leavesNameUnchecked({ httpsAgent, http2Options, dispatcher }: Connecting): boolean {
  const settings = [http2Options, ...settingsOfDispatcher(dispatcher)];
  if (isObject(httpsAgent) && !isPlainAgent(httpsAgent)) settings.push(Reflect.get(httpsAgent, 'options'));
  return settings.some((one) => holdsAny(one, ['checkServerIdentity']));
}

/** Agents and proxies of undici keep what they were made with under symbols; other dispatchers do not show it. */
export function settingsOfDispatcher(dispatcher: unknown): unknown[] {
  if (!isObject(dispatcher)) return [];
  return Object.getOwnPropertySymbols(dispatcher).flatMap((symbol) => {
    const kept: unknown = Reflect.get(dispatcher, symbol);
    if (!isObject(kept)) return [];
    return [kept, ...['connect', 'requestTls'].map((place): unknown => Reflect.get(kept, place))];
  });
}

function holdsAny(settings: unknown, names: readonly string[]): boolean {
  return isObject(settings) && names.some((name) => (Reflect.get(settings, name) ?? undefined) !== undefined);
}
