import type { ClientRequest, IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { isPolluted } from '../values/is-object.js';

/** `tls.connect` sets these itself. */
const NEVER_INHERITED = new Set(['checkServerIdentity', 'ciphers', 'minDHSize', 'rejectUnauthorized']);

/** The same options, in which an own member that is undefined hides each member that the options would inherit. */
export function withoutInherited<Options extends object>(options: Options): Options {
  if (!isPolluted()) return options;
  const names = Object.keys(Object.prototype).filter((name) => !NEVER_INHERITED.has(name));
  const hiding = Object.fromEntries(names.map((name) => [name, undefined]));
  return Object.assign(Object.create(null) as Options, hiding, options);
}

/** What axios takes in place of Node's own functions for HTTPS. */
export interface Transport {
  request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest;
}

/**
 * Node's own transport, but a polluted `Object.prototype` does not change its requests (B36). By the default export of
 * `node:https`, where OpenTelemetry replaces `request`.
 */
export const ownTransport: Transport = {
  request: (options, onResponse) => https.request(withoutInherited(options), onResponse),
};
