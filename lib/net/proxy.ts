import { isObject } from '../values/is-object.js';
import type { AxiosProxyConfig } from 'axios';
import { getProxyForUrl } from 'proxy-from-env';
import { safely } from '../values/safely.js';
import { mayHaveOwnProxy } from './own-agent.js';
import { parsedUrl } from './parsed-url.js';

/** All variables in which the axios versions of the peer range look for a proxy. */
const PROXIES = ['https_proxy', 'all_proxy'].map(inBothCases);

type Spellings = readonly [lowerCase: string, upperCase: string];

/** Made once, because each request looks for a proxy. */
function inBothCases(name: string): Spellings {
  return [name, name.toUpperCase()];
}

/** The value of a variable in lower case or in upper case. The empty string if neither is set. */
function valueOf([lowerCase, upperCase]: Spellings, environment: NodeJS.ProcessEnv): string {
  return environment[lowerCase] || environment[upperCase] || '';
}

/**
 * Whether a socket uses TLS. All our requests use TLS, so an answer over another socket is of a proxy. An agent of
 * https-proxy-agent replays the answer of a proxy that refuses a tunnel as the answer of the server, by design
 * (hackerone.com/reports/541502). Any machine on the way to the proxy could have written that answer.
 */
export function usesTls(socket: unknown): boolean {
  return isObject(socket) && Reflect.get(socket, 'encrypted') === true;
}

export interface Connections {
  readonly httpsAgent?: object | undefined;
  /** `http.proxy` of the options. */
  readonly proxy?: AxiosProxyConfig | false | undefined;
}

/** The host of an address, and the proxy on the way to it if there is one, without its credentials, for log lines. */
export function hostAndProxyOf(address: string, settings: Connections): string {
  const { proxy, httpsAgent } = settings;
  const ofOptions = proxy ? `${proxy.host}:${proxy.port}` : undefined;
  const ofAgent = httpsAgent && proxyHostOfAgent(httpsAgent);
  const ofEnvironment = environmentChooses(settings) ? environmentProxyOf(address)?.host : undefined;
  const proxyHost = ofOptions ?? ofAgent ?? ofEnvironment;
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
    return new URL(`socks://${host.includes(':') ? `[${host}]` : host}:${port}`).host;
  }, undefined);
}

/** The proxy that the environment variables name for an address. */
export function environmentProxyOf(address: string): URL | undefined {
  return parsedUrl(getProxyForUrl(address));
}

/** The settings that choose the proxy, for advice. */
export function proxySettingNames({ proxy, httpsAgent }: Connections): string {
  if (proxy) return 'http.proxy';
  if (httpsAgent && mayHaveOwnProxy(httpsAgent)) return 'http.httpsAgent';
  const set = PROXIES.find((name) => valueOf(name, process.env));
  const variable = set?.find((spelling) => process.env[spelling]) ?? 'HTTPS_PROXY';
  const isSocks = set !== undefined && /^\s*socks/i.test(valueOf(set, process.env));
  return `${variable}${isSocks ? ', whose SOCKS proxy is not supported,' : ''} and NO_PROXY`;
}

/**
 * The same if a request to this address may go through a proxy: by the options, the variables of the process, or the agent.
 */
export function proxySettingsFor(address: string, settings: Connections): string | undefined {
  const { proxy, httpsAgent } = settings;
  const hasProxy =
    Boolean(proxy) ||
    (httpsAgent !== undefined && proxyHostOfAgent(httpsAgent) !== undefined) ||
    (environmentChooses(settings) && getProxyForUrl(address) !== '');
  return hasProxy ? proxySettingNames(settings) : undefined;
}

function environmentChooses({ proxy, httpsAgent }: Connections): boolean {
  return proxy === undefined && !(httpsAgent && mayHaveOwnProxy(httpsAgent));
}
