import { networkTrouble, troubleBehindProxy } from '../errors/network-trouble.js';
import { remedyOf } from '../errors/remedies.js';
import type { AddressSetting } from '../errors/setting-names.js';
import { environmentProxyOf, proxySettingNames } from '../net/proxy.js';
import type { Check, Destination, Finding, Step } from './step.js';

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

/** One check of both URLs. The base URL is skipped if the token URL has the same host and port. One proxy for both proves nothing. */
export function stepsOf(
  name: 'dns' | 'tcp' | 'tls',
  find: (check: Check, address: AddressSetting) => Finding | Promise<Finding>,
): readonly [ofTokenUrl: Step, ofBaseUrl: Step] {
  return [
    { name, run: (check) => find(check, 'tokenUrl') },
    { name: `api-${name}`, run: (check) => (hasOneHost(check) ? ALREADY_CHECKED : find(check, 'baseUrl')) },
  ];
}

/** The finding for a connection that failed, to the host of a URL or to the proxy in front of it. */
export function connectionFailure(
  { destinations, profile }: Pick<Check, 'destinations' | 'profile'>,
  address: AddressSetting,
  code: string,
  detail: string,
  trouble = networkTrouble(code),
): Finding {
  const names = proxySettingNames({});
  const advice = remedyOf(
    troubleBehindProxy(trouble, destinations[address].isProxy, code),
    profile,
    address,
    names,
  );
  return { status: 'failed', detail, code, advice };
}

const ALREADY_CHECKED: Finding = {
  status: 'skipped',
  detail: 'the API has the same host and port as the token URL: already checked',
};

function hasOneHost({ profile: { baseUrl, tokenUrl } }: Check): boolean {
  return new URL(baseUrl).host === new URL(tokenUrl).host;
}
