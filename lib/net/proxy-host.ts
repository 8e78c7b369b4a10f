import type { AxiosProxyConfig } from 'axios';
import { getProxyForUrl } from 'proxy-from-env';
import { isObject } from '../values/is-object.js';
import { safely } from '../values/safely.js';
import { mayHaveEnvironmentProxy } from './environment-proxy.js';
import { parsedUrl } from './parsed-url.js';

/**
 * Host and port of the proxy for an address, without its credentials, for log lines (B29). A proxy of the options comes before
 * the proxy of the environment. axios uses the proxy of an agent only if neither names a proxy.
 */
export function proxyHostFor(
  address: string,
  setting: AxiosProxyConfig | false | undefined,
  agent?: object,
): string | undefined {
  if (setting) return `${setting.host}:${setting.port}`;
  const ofEnvironment = setting === undefined ? environmentProxyOf(address)?.host : undefined;
  return ofEnvironment ?? (agent && proxyHostOfAgent(agent));
}

interface Connections {
  readonly httpsAgent?: object | undefined;
  /** `http.proxy` of the options. */
  readonly proxy?: AxiosProxyConfig | false | undefined;
}

/** The host of an address, and the proxy on the way to it if there is one, for log lines (B29). */
export function hostAndProxyOf(address: string, { proxy, httpsAgent }: Connections): string {
  const proxyHost = proxyHostFor(address, proxy, httpsAgent);
  const route = proxyHost === undefined ? '' : ` by the proxy ${proxyHost}`;
  return `${new URL(address).host}${route}`;
}

/**
 * Host and port of the proxy of an agent that shows its proxy in `proxy`: a URL in https-proxy-agent 7 and in hpagent, an
 * object in https-proxy-agent 5 and in socks-proxy-agent. Undefined for any other agent.
 */
export function proxyHostOfAgent(agent: object): string | undefined {
  return safely(() => {
    const proxy: unknown = Reflect.get(agent, 'proxy');
    if (!isObject(proxy)) return undefined;
    if (proxy instanceof URL) return proxy.host;
    const { host, port }: { readonly host?: unknown; readonly port?: unknown } = proxy;
    if (typeof host !== 'string' || (typeof port !== 'number' && typeof port !== 'string')) return undefined;
    // The URL parser refuses a host that holds anything but a host, such as credentials.
    return parsedUrl(`socks://${host.includes(':') ? `[${host}]` : host}:${port}`)?.host;
  }, undefined);
}

/** The proxy that the environment variables name for an address. axios uses the same package. */
export function environmentProxyOf(address: string): URL | undefined {
  return parsedUrl(getProxyForUrl(address));
}

/** The settings that choose the proxy for an address, for advice. */
export function proxySettingNames(address: string, settings: Connections): string {
  const { httpsAgent, proxy } = settings;
  if (proxy) return 'http.proxy';
  if (agentHasProxy(settings) && !environmentMayHaveProxy(address, settings)) return 'http.httpsAgent';
  return httpsAgent ? 'HTTPS_PROXY, NO_PROXY and http.httpsAgent' : 'HTTPS_PROXY and NO_PROXY';
}

/**
 * The same if a request to this address may go through a proxy: by the options, the variables of the process, or the agent.
 */
export function proxySettingsFor(address: string, settings: Connections): string | undefined {
  const mayHaveProxy =
    Boolean(settings.proxy) || agentHasProxy(settings) || environmentMayHaveProxy(address, settings);
  return mayHaveProxy ? proxySettingNames(address, settings) : undefined;
}

function agentHasProxy({ httpsAgent }: Connections): boolean {
  return httpsAgent !== undefined && proxyHostOfAgent(httpsAgent) !== undefined;
}

function environmentMayHaveProxy(address: string, { proxy }: Connections): boolean {
  return proxy === undefined && mayHaveEnvironmentProxy(address, process.env);
}
