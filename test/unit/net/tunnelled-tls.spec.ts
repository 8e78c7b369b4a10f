import { Agent, type RequestOptions } from 'node:https';
import type { AxiosProxyConfig, InternalAxiosRequestConfig } from 'axios';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { ownTransport, type Transport } from '../../../lib/net/pollution.js';
import { TunnelledTls } from '../../../lib/net/tunnelled-tls.js';

const BASE = 'https://api.example.com/v1';
const OF_TLS = 'https://proxy.example:3129';

type Wire = Pick<InternalAxiosRequestConfig, 'httpsAgent' | 'transport' | 'proxy' | 'maxRedirects'>;

const onResponse = (): void => {};

function proxyOf(protocol?: string): AxiosProxyConfig {
  return { host: 'proxy.example', port: 3129, ...(protocol !== undefined && { protocol }) };
}

function given() {
  const tls = new ClientTls({});
  const tunnelled = new TunnelledTls(tls, BASE);
  const applied = (wire: Wire): Wire => {
    tunnelled.applyTo(wire);
    return wire;
  };
  return { tls, tunnelled, applied };
}

beforeEach(() => {
  for (const name of ['https_proxy', 'all_proxy', 'no_proxy'])
    for (const spelling of [name, name.toUpperCase()]) vi.stubEnv(spelling, undefined);
});

describe('S9: the TLS settings of a request through a proxy', () => {
  it.each<[string, string | undefined, Wire, boolean]>([
    ['without a proxy', undefined, {}, false],
    ['of the options, with TLS', undefined, { proxy: proxyOf('https') }, true],
    ['of the options, with TLS, in capitals', undefined, { proxy: proxyOf('HTTPS:') }, true],
    ['of the options, without TLS', undefined, { proxy: proxyOf('http') }, false],
    ['of the options, without a scheme', OF_TLS, { proxy: proxyOf() }, false],
    ['of the options, with another scheme', undefined, { proxy: proxyOf('not-https') }, false],
    ['of the environment, with TLS', OF_TLS, {}, true],
    ['of the environment, without TLS', 'http://proxy.example', {}, false],
    ['of the environment, not wanted', OF_TLS, { proxy: false }, false],
  ])('are only for the server if the proxy has TLS itself: %s', (_, variable, wire, isNeeded) => {
    vi.stubEnv('HTTPS_PROXY', variable);
    const { httpsAgent, transport } = given().applied({ ...wire });
    expect([httpsAgent !== undefined, transport !== undefined]).toEqual([isNeeded, isNeeded]);
  });

  it('are not changed for an address in NO_PROXY, unless a redirect may lead to another address', () => {
    vi.stubEnv('HTTPS_PROXY', OF_TLS);
    vi.stubEnv('NO_PROXY', 'api.example.com');
    expect(given().applied({ maxRedirects: 0 }).transport).toBeUndefined();
    expect(given().applied({ maxRedirects: 5 }).transport).toBeDefined();
    expect(given().applied({}).transport).toBeDefined();
  });

  it('come with each request and not with the agent, which connects to the proxy', () => {
    const { tls, tunnelled, applied } = given();
    const request = vi.spyOn(ownTransport, 'request').mockReturnValue({} as never);
    const { httpsAgent, transport } = applied({ proxy: proxyOf('https') });
    const sent: RequestOptions = { host: 'api.example.com' };
    (transport as Transport).request(sent, onResponse);
    expect(request).toHaveBeenCalledExactlyOnceWith(
      { host: 'api.example.com', secureContext: tls.secureContext() },
      onResponse,
    );
    expect((httpsAgent as Agent).options).not.toHaveProperty('secureContext');
    expect(applied({ proxy: proxyOf('https') }).httpsAgent).toBe(httpsAgent);
    tunnelled.close();
    expect((httpsAgent as Agent).maxFreeSockets).toBe(0);
  });

  it('come with the transport of the caller, too', () => {
    const { tls, applied } = given();
    const own = { request: vi.fn<Transport['request']>() };
    const { transport } = applied({ proxy: proxyOf('https'), transport: own });
    (transport as Transport).request({}, () => {});
    expect(own.request.mock.calls[0]?.[0]).toEqual({ secureContext: tls.secureContext() });
  });
});
