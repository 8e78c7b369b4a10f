import type { AxiosProxyConfig } from 'axios';
import { getProxyForUrl } from 'proxy-from-env';
import { parsedUrl } from './parsed-url.js';

/**
 * Host and port of the proxy for an address, without its credentials, for log lines (B29). axios takes the proxy of the
 * options, or asks the same package for the proxy of the environment.
 */
export function proxyHostFor(
  address: string,
  setting: AxiosProxyConfig | false | undefined,
): string | undefined {
  if (setting === false) return undefined;
  if (setting) return `${setting.host}:${setting.port}`;
  return parsedUrl(getProxyForUrl(address))?.host;
}
