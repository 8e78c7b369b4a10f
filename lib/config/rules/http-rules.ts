import type { Agent } from 'node:https';
import { AUTHORIZATION_HEADER } from '../../catalogue/wire.js';
import { acceptsAnyCertificate } from '../../net/certificate-checks.js';
import { UNFIT_FOR_HEADER } from '../../values/header-value.js';
import { HTTP_TOKEN } from '../../values/http-token.js';
import { isObject } from '../../values/is-object.js';
import { safely } from '../../values/safely.js';
import type { ProviderTransport } from '../options/provider-transport.js';
import { type Flaw, kindOf } from './text-rules.js';

export function flawOfHeader(name: string, value: unknown): Flaw {
  if (!HTTP_TOKEN.test(name)) return 'is not the name of an HTTP header. Use letters, digits and hyphens.';
  if (name.toLowerCase() === AUTHORIZATION_HEADER.toLowerCase())
    return 'is set by this module, with the access token. Remove it.';
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
  return acceptsAnyCertificate(agent)
    ? 'switches the checking of certificates off (rejectUnauthorized: false). Trust the authority instead: pass its certificate as ca.'
    : undefined;
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
