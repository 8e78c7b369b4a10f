import type { Agent } from 'node:https';
import type { AxiosProxyConfig } from 'axios';
import { mayHaveEnvironmentProxy } from './environment-proxy.js';
import { proxyHostOfAgent } from './proxy-host.js';

interface ProxySettings {
  readonly httpsAgent?: Agent | undefined;
  /** `http.proxy` of the options. */
  readonly proxy?: AxiosProxyConfig | false | undefined;
}

/** The settings that choose the proxy for an address, for advice. */
export function proxySettingNames(address: string, settings: ProxySettings): string {
  const { httpsAgent, proxy } = settings;
  if (proxy) return 'http.proxy';
  if (agentHasProxy(settings) && !environmentMayHaveProxy(address, settings)) return 'http.httpsAgent';
  return httpsAgent ? 'HTTPS_PROXY, NO_PROXY and http.httpsAgent' : 'HTTPS_PROXY and NO_PROXY';
}

/**
 * The same if a request to this address may go through a proxy: by the options, the variables of the process, or the agent.
 */
export function proxySettingsFor(address: string, settings: ProxySettings): string | undefined {
  const mayHaveProxy =
    Boolean(settings.proxy) || agentHasProxy(settings) || environmentMayHaveProxy(address, settings);
  return mayHaveProxy ? proxySettingNames(address, settings) : undefined;
}

function agentHasProxy({ httpsAgent }: ProxySettings): boolean {
  return httpsAgent !== undefined && proxyHostOfAgent(httpsAgent) !== undefined;
}

function environmentMayHaveProxy(address: string, { proxy }: ProxySettings): boolean {
  return proxy === undefined && mayHaveEnvironmentProxy(address, process.env);
}
