import { environmentProxyOf } from '../net/proxy.js';
import type { Check, Destination, Finding, Step, StepName } from './step.js';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** The host that a connection goes to first: the proxy from the environment variables, or the host of the URL. */
export function destinationOf(address: string): Destination {
  const proxy = environmentProxyOf(address);
  const { hostname, port, protocol } = proxy ?? new URL(address);
  return {
    // A URL writes an IPv6 address in brackets. Sockets take the address without brackets.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (DEFAULT_PORTS[protocol] ?? 443) : Number(port),
    isProxy: proxy !== undefined,
  };
}

/** A step about the base URL. It is skipped if the token URL has the same host and port. One proxy for both proves nothing. */
export function unlessSameAsTokenUrl(
  name: StepName,
  run: (check: Check) => Finding | Promise<Finding>,
): Step {
  return {
    name,
    run: (check) =>
      new URL(check.profile.baseUrl).host === new URL(check.profile.tokenUrl).host
        ? {
            status: 'skipped',
            detail: 'the API has the same host and port as the token URL: already checked',
          }
        : run(check),
  };
}
