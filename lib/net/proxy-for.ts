import type { AxiosProxyConfig } from 'axios';
import { environmentProxyOf } from './proxy.js';

/** The proxy on the way to an address. */
export interface Proxy {
  readonly url: URL;
  /** The value of `Proxy-Authorization`. */
  readonly authorization?: string;
}

interface ProxySettings {
  readonly call?: AxiosProxyConfig | false | undefined;
  readonly options?: AxiosProxyConfig | false | undefined;
  readonly hasForeignAgent?: boolean;
}

/** Undefined if the request goes to the address itself. */
export function proxyFor(address: URL, { call, options, hasForeignAgent }: ProxySettings): Proxy | undefined {
  const chosen = call ?? options;
  if (chosen === false) return undefined;
  if (chosen) {
    const { protocol = 'http', host, port, auth } = chosen;
    const url = new URL(`${protocol.replace(/:$/, '')}://${host}:${port}`);
    return auth ? { url, authorization: basic(auth.username, auth.password) } : { url };
  }
  if (hasForeignAgent) return undefined;
  const found = environmentProxyOf(address.href);
  if (!found) return undefined;
  const { username, password } = found;
  const url = new URL(found.origin);
  if (!username && !password) return { url };
  return { url, authorization: basic(decodeURIComponent(username), decodeURIComponent(password)) };
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
