import type { InternalAxiosRequestConfig } from 'axios';
import { acceptsAnyCertificate } from '../config/http-rules.js';

/**
 * Whether a request names an agent, or settings for HTTP/2, that check no certificate: the token would go to whoever
 * answers (S9). The configuration refuses such an agent at boot, but one request may bring its own.
 */
export function acceptsWhoeverAnswers({ httpsAgent, http2Options }: InternalAxiosRequestConfig): boolean {
  return (
    (httpsAgent !== undefined && acceptsAnyCertificate(httpsAgent)) ||
    (http2Options !== undefined && acceptsAnyCertificate({ options: http2Options }))
  );
}

/** The same of a hop of a redirect, after what a hook has done to its options. */
export function hopsToWhoeverAnswers(options: Record<string, unknown>): boolean {
  const { agent, agents } = options;
  const chosen: unknown =
    typeof agents === 'object' && agents !== null ? Reflect.get(agents, 'https') : undefined;
  return [{ options }, agent, chosen].some(acceptsAnyCertificate);
}
