import type { AxiosBasicCredentials, AxiosProxyConfig } from 'axios';
import { getProxyForUrl } from 'proxy-from-env';
import { causesOf } from '../values/causes-of.js';
import { isObject, withoutPrototype } from '../values/objects.js';
import { oncePer } from '../values/once-per.js';
import { safely } from '../values/safely.js';
import { mayHaveOwnProxy } from './own-agent.js';
import { decodedText, parsedUrl } from './parsed-url.js';

export interface Proxy {
  /** Without credentials. */
  readonly url: URL;
  /** The value of `Proxy-Authorization`. */
  readonly authorization?: string | undefined;
}

export interface ProxySettings {
  /** `proxy` of the call. */
  readonly call?: AxiosProxyConfig | false | null | undefined;
  /** `http.proxy` of the options. */
  readonly options?: AxiosProxyConfig | false | undefined;
  /** Whether the request has an agent that may have its own proxy. Then the environment does not count. */
  readonly hasForeignAgent?: boolean;
}

/** A proxy cannot be used or made no tunnel. Neither the message nor the members contain credentials. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';

  /**
   * @param code that of Node where Node found the error.
   * @param proxyStatus the status that the proxy answered with.
   */
  constructor(
    message: string,
    readonly code: string,
    readonly proxyStatus?: number,
  ) {
    super(message);
  }
}

/** The error of a proxy, which may be wrapped in an error of axios. */
export function proxyErrorIn(error: unknown): ProxyError | undefined {
  return [...causesOf(error)].find((one) => one instanceof ProxyError);
}

/** The answer of a proxy must never be taken for that of the server. */
export function answeredByProxy(status: number | undefined): ProxyError {
  return new ProxyError(
    `The proxy answered instead of the API, with status ${status}: it made no connection to the API.`,
    'ERR_BAD_RESPONSE',
    status,
  );
}

const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];

/** The proxy for one request. Throws a `ProxyError` if a proxy is named that cannot be used: then nothing is sent. */
export function proxyFor(
  url: URL,
  { call, options, hasForeignAgent = false }: ProxySettings,
): Proxy | undefined {
  const named = call ?? options;
  if (call) return usable(urlOf(call), 'proxy of this request');
  if (named) return proxyOfOptions(named);
  // Reading four variables costs less than a microsecond. `getProxyForUrl` costs more.
  if (named === false || hasForeignAgent || !VARIABLES.some((name) => process.env[name])) return undefined;
  const address = getProxyForUrl(url.href);
  return address === '' ? undefined : usable(parsedUrl(address), 'HTTPS_PROXY or ALL_PROXY');
}

/** The options do not change, so the same proxy serves each request. */
const proxyOfOptions = oncePer((options: AxiosProxyConfig) => usable(urlOf(options), 'http.proxy'));

/** A member of a polluted `Object.prototype` is not a setting. */
function urlOf(config: Partial<AxiosProxyConfig> & { readonly hostname?: string }): URL | undefined {
  const { protocol = 'http', host, hostname = host, port, auth } = withoutPrototype(config);
  const name = hostname ?? '';
  const bracketed = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
  const url = parsedUrl(`${protocol.replace(/:$/, '')}://${bracketed}${port ? `:${port}` : ''}`);
  const { username = '', password = '' } = withoutPrototype<Partial<AxiosBasicCredentials>>(auth ?? {});
  if (url)
    Object.assign(url, { username: encodeURIComponent(username), password: encodeURIComponent(password) });
  return url;
}

/** @param setting what names the proxy. Its value, which may contain credentials, is not shown. */
function usable(named: URL | undefined, setting: string): Proxy {
  const isUsable = named?.hostname && (named.protocol === 'http:' || named.protocol === 'https:');
  if (!isUsable)
    throw new ProxyError(
      `The proxy in ${setting} cannot be used: its address must begin with http:// or https:// and name a host.`,
      'ERR_INVALID_URL',
    );
  const { protocol, host, username, password } = named;
  const url = new URL(`${protocol}//${host}`);
  if (username === '' && password === '') return { url };
  const credentials = `${decodedText(username)}:${decodedText(password)}`;
  return { url, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** What chooses the proxy for all requests of a pair. */
export interface Connections {
  readonly httpsAgent?: object | undefined;
  /** `http.proxy` of the options. */
  readonly proxy?: AxiosProxyConfig | false | undefined;
}

/** The host of an address, and the proxy on the way to it if there is one, without its credentials, for log lines. */
export function hostAndProxyOf(address: string, settings: Connections): string {
  const proxyHost = proxyHostFor(address, settings);
  return `${new URL(address).host}${proxyHost === undefined ? '' : ` by the proxy ${proxyHost}`}`;
}

/** The settings that choose the proxy, for advice. Undefined if a request to this address goes through none that can be seen. */
export function proxySettingsFor(address: string, settings: Connections): string | undefined {
  return proxyHostFor(address, settings) === undefined ? undefined : proxySettingNames(settings);
}

/** The same for a request that has met a proxy. */
export function proxySettingNames({ proxy, httpsAgent }: Connections): string {
  if (proxy) return 'http.proxy';
  if (httpsAgent && mayHaveOwnProxy(httpsAgent)) return 'http.httpsAgent';
  const variable = VARIABLES.find((name) => process.env[name]) ?? 'HTTPS_PROXY';
  const isSocks = /^\s*socks/i.test(process.env[variable] ?? '');
  return `${variable}${isSocks ? ', whose SOCKS proxy is not supported,' : ''} and NO_PROXY`;
}

/** The proxy that the environment variables name for an address. */
export function environmentProxyOf(address: string): URL | undefined {
  return parsedUrl(getProxyForUrl(address));
}

function proxyHostFor(address: string, { proxy, httpsAgent }: Connections): string | undefined {
  if (proxy) return `${proxy.host}:${proxy.port}`;
  if (httpsAgent && mayHaveOwnProxy(httpsAgent)) return hostOfAgentsProxy(httpsAgent);
  return proxy === false ? undefined : environmentProxyOf(address)?.host;
}

/**
 * An agent may show its proxy in `proxy`: as a URL in https-proxy-agent 7 and in hpagent, as an object in https-proxy-agent 5 and in
 * socks-proxy-agent.
 */
function hostOfAgentsProxy(agent: object): string | undefined {
  return safely(() => {
    const proxy: unknown = Reflect.get(agent, 'proxy');
    if (!isObject(proxy)) return undefined;
    if (proxy instanceof URL) return proxy.host;
    const { host, port }: { readonly host?: unknown; readonly port?: unknown } = proxy;
    if (typeof host !== 'string' || (typeof port !== 'number' && typeof port !== 'string')) return undefined;
    // The URL parser refuses a host that holds anything but a host, such as credentials.
    return new URL(`socks://${host.includes(':') ? `[${host}]` : host}:${port}`).host;
  }, undefined);
}
