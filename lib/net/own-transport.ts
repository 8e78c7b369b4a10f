import type { ClientRequest, IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import type { InternalAxiosRequestConfig } from 'axios';
import { isPolluted, withoutInherited } from './pollution.js';

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

/**
 * Lets axios' http adapter send through our transport while `Object.prototype` is polluted. axios follows no redirect on a
 * transport that it is given, so the redirect is the response then.
 */
export function shieldFromPollution(
  wire: Pick<InternalAxiosRequestConfig, 'transport' | 'http2Options'>,
): void {
  if (!isPolluted()) return;
  wire.transport ??= ownTransport;
  wire.http2Options = withoutInherited({ ...wire.http2Options });
}
