import type { AxiosResponse } from 'axios';
import { expect, vi } from 'vitest';
import type { ProviderAuthOptions } from '../../../lib/index.js';
import { ClientAuthority } from '../http/client-certificates.js';
import { byName, ConnectProxy } from '../http/connect-proxy.js';
import { letTimePass, MountedSecret } from '../http/mounted-secret.js';
import { MutualTlsProvider } from '../http/mutual-tls-provider.js';
import { readEnvironmentVariables } from './built-in.js';
import { startTlsApp, type TlsApp, type Way, WAYS } from './tls-app.js';

/** So often, requests look for a change. */
export const LOOK_MS = 30_000;
/** The line that says that the change is seen. */
export const CHANGED = 'log The certificates of easy sandbox have changed. New connections use them.';

type Proxied = Way & { readonly hasProxy?: true; readonly token?: ProviderAuthOptions['token'] };

/** Every way, and tunnels through a proxy on both transports. */
export const ALL_WAYS: readonly (readonly [string, Proxied])[] = [
  ...WAYS,
  ...WAYS.filter(([name]) => ['axios', 'undici'].includes(name)).map(
    ([name, way]) => [`${name} through a proxy`, { ...way, hasProxy: true }] as const,
  ),
];

/** A provider that demands client certificates, and an application whose certificates are in mounted files. */
export async function givenMounted({ hasProxy, token, ...way }: Proxied) {
  const clients = await ClientAuthority.create();
  const provider = await MutualTlsProvider.start({ clientCa: clients.ca });
  const [first, second] = await Promise.all([clients.issue('first'), clients.issue('second')]);
  const secret = new MountedSecret({ ca: provider.ca, ...first });
  const proxy = hasProxy && (await ConnectProxy.start());
  const variables = {
    PROVIDER_ENVIRONMENT: 'sandbox',
    ...provider.variables('sandbox'),
    PROVIDER_EASY_SANDBOX_CA_FILE: secret.files.ca,
    PROVIDER_EASY_SANDBOX_CERT_FILE: secret.files.cert,
    PROVIDER_EASY_SANDBOX_KEY_FILE: secret.files.key,
  };
  const options = readEnvironmentVariables(
    Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, byName(value)])),
  );
  const app = await startTlsApp(
    {
      ...options,
      ...(token && { token }),
      ...(proxy && { http: { proxy: proxy.setting } }),
    } as object as ProviderAuthOptions,
    way,
  );
  return { ...running(app, provider, way), clients, secret, first, second };
}

/** What a test asks a running application and its provider. */
export function running({ client, logs }: TlsApp, provider: MutualTlsProvider, way: Way) {
  const get = (path = '/things'): Promise<AxiosResponse> => client().get(path, { ...way.request });
  const lines = (): string[] => logs.linesAboutTrouble();
  return {
    provider,
    client,
    get,
    lines,
    /** The names of the client certificates with which requests have come since the last question. */
    clientsSeen: () => provider.seen.splice(0).map(({ client: name }) => name),
    /** Requests look until the change is seen. */
    see: async (line = CHANGED): Promise<void> => {
      await vi.waitFor(async () => {
        letTimePass(LOOK_MS);
        await get();
        expect(lines()).toContain(line);
      }, 20_000);
    },
  };
}
