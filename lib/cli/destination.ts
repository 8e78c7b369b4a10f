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

/** A step about the base URL. It is skipped if its connections go to the same host and port as those of the token URL. */
export function unlessSameAsTokenUrl(
  name: StepName,
  run: (check: Check) => Finding | Promise<Finding>,
): Step {
  return {
    name,
    run: (check) =>
      isSameDestination(check.destinations.baseUrl, check.destinations.tokenUrl)
        ? { status: 'skipped', detail: 'the API has the host and port of the token URL: already checked' }
        : run(check),
  };
}

function isSameDestination(one: Destination, other: Destination): boolean {
  return one.host === other.host && one.port === other.port && one.isProxy === other.isProxy;
}
