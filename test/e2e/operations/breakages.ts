import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { ProviderEnvironment, ProviderInterface } from '../../../lib/catalogue/provider-catalogue.js';
import type { TokenStore } from '../../../lib/index.js';
import {
  MemoryTokenStore,
  type ProviderSimulator,
  type ProviderSimulatorOptions,
} from '../../../lib/testing/index.js';
import { startSimulator } from '../../support/application/simulator.js';
import { ConnectProxy } from '../../support/http/connect-proxy.js';

/** No name server knows a host under this domain (RFC 6761). */
const UNKNOWN_HOST = 'unknown-host.invalid';

type Variables = Readonly<Record<string, string | undefined>>;

/** What is broken, from the configuration of one active pair that works. */
export interface Breakage {
  readonly interface?: ProviderInterface;
  /** Further pairs that are configured, as in `EASY_PRODUCTION`. */
  readonly others?: readonly string[];
  readonly env?: (provider: ProviderSimulator, foreign: ProviderSimulator, folder: string) => Variables;
  readonly script?: (provider: ProviderSimulator) => void;
  /** What breaks after a first call that works. */
  readonly later?: (provider: ProviderSimulator, folder: string) => void;
  /** For how many seconds calls are made, one each second. @default one call */
  readonly callsForS?: number;
  /** The environment that is called. The active one is always sandbox. */
  readonly called?: ProviderEnvironment;
  readonly simulator?: ProviderSimulatorOptions;
  readonly proxy?: () => Promise<string>;
  readonly store?: () => TokenStore;
  /** What does not give the advice, because the call itself is not wrong, or nothing in the settings is. */
  readonly silent?: readonly ('status' | 'doctor' | 'caller')[];
  /** The settings that the advice must name. */
  readonly names: readonly string[];
}

const easy = (setting: string): string => `PROVIDER_EASY_SANDBOX_${setting}`;
const originations = (setting: string): string => `PROVIDER_ORIGINATIONS_SANDBOX_${setting}`;
const urlAt = (url: string, host: string): string => Object.assign(new URL(url), { host, port: '' }).href;

class BrokenStore extends MemoryTokenStore {
  override claim(): Promise<never> {
    return Promise.reject(Object.assign(new Error('broken'), { code: 'ECONNREFUSED' }));
  }
}

/** The blocks of `docs/breakages.md`. */
export const BREAKAGES: Readonly<Record<string, Breakage>> = {
  'wrong client secret': {
    env: () => ({ [easy('CLIENT_SECRET')]: 'not-the-right-secret' }),
    names: [easy('CLIENT_SECRET')],
  },
  'wrong client id': {
    env: () => ({ [easy('CLIENT_ID')]: 'not-the-right-id' }),
    names: [easy('CLIENT_ID')],
  },
  'client secret in quotes': {
    env: (provider) => ({
      [easy('CLIENT_SECRET')]: `"${provider.credentials('easy', 'sandbox').clientSecret}"`,
    }),
    names: [easy('CLIENT_SECRET'), 'in quotes'],
  },
  'token URL from the other environment': {
    env: (provider) => ({ [easy('TOKEN_URL')]: provider.tokenUrl('easy', 'production') }),
    names: [easy('TOKEN_URL')],
  },
  'credentials from the other environment': {
    env: (provider) => {
      const { clientId, clientSecret } = provider.credentials('easy', 'production');
      return { [easy('CLIENT_ID')]: clientId, [easy('CLIENT_SECRET')]: clientSecret };
    },
    names: [easy('CLIENT_ID'), easy('CLIENT_SECRET')],
  },
  'credentials from the other environment, shared token URL': {
    interface: 'originations',
    others: ['ORIGINATIONS_PRODUCTION'],
    env: (provider) => {
      const [sandbox, production] = (['sandbox', 'production'] as const).map((environment) =>
        provider.credentials('originations', environment),
      );
      return {
        [originations('CLIENT_ID')]: production!.clientId,
        [originations('CLIENT_SECRET')]: production!.clientSecret,
        PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID: sandbox!.clientId,
        PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_SECRET: sandbox!.clientSecret,
      };
    },
    names: [originations('CLIENT_ID'), originations('CLIENT_SECRET')],
  },
  'base URL from the other environment': {
    others: ['EASY_PRODUCTION'],
    env: (provider) => ({ [easy('BASE_URL')]: provider.baseUrl('easy', 'production') }),
    names: [easy('BASE_URL')],
  },
  'base URL from the other interface': {
    others: ['ORIGINATIONS_SANDBOX'],
    env: (provider) => ({ [easy('BASE_URL')]: provider.baseUrl('originations', 'sandbox') }),
    names: [easy('BASE_URL')],
  },
  'unknown token host': {
    env: (provider) => ({
      [easy('TOKEN_URL')]: urlAt(provider.tokenUrl('easy', 'sandbox'), UNKNOWN_HOST),
    }),
    names: [easy('TOKEN_URL')],
  },
  'no server at the token host': {
    env: () => ({ [easy('TOKEN_URL')]: 'https://127.0.0.1:1/auth/v0/connect/token' }),
    names: [easy('TOKEN_URL')],
  },
  'unknown API host': {
    env: (provider) => ({ [easy('BASE_URL')]: urlAt(provider.baseUrl('easy', 'sandbox'), UNKNOWN_HOST) }),
    names: [easy('BASE_URL')],
  },
  'no server at the API host': {
    env: () => ({ [easy('BASE_URL')]: 'https://127.0.0.1:1/easy/v1' }),
    names: [easy('BASE_URL')],
  },
  'no answer from the token endpoint': {
    script: (provider) => provider.token.hang(),
    names: ['token.timeoutMs'],
  },
  'untrusted certificate on the token host': {
    env: (_, foreign) => ({ [easy('TOKEN_URL')]: foreign.tokenUrl('easy', 'sandbox') }),
    names: [easy('CA_FILE')],
  },
  'untrusted certificate on the API host': {
    env: (_, foreign) => ({ [easy('BASE_URL')]: foreign.baseUrl('easy', 'sandbox') }),
    names: [easy('CA_FILE')],
  },
  'expired server certificate': { simulator: { certificate: 'expired' }, names: ['clock'] },
  'too many token requests': {
    script: ({ token }) => token.status(429, { headers: { 'retry-after': '30' } }),
    names: ['the option store'],
  },
  'proxy requires a password': {
    proxy: async () => {
      const { port } = await ConnectProxy.start('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return `http://127.0.0.1:${port}`;
    },
    names: ['HTTPS_PROXY'],
  },
  'proxy down': { proxy: () => Promise.resolve('http://127.0.0.1:1'), names: ['HTTPS_PROXY'] },
  'credentials from the other interface': {
    others: ['ORIGINATIONS_SANDBOX'],
    env: (provider) => {
      const { clientId, clientSecret } = provider.credentials('originations', 'sandbox');
      return { [easy('CLIENT_ID')]: clientId, [easy('CLIENT_SECRET')]: clientSecret };
    },
    names: [easy('CLIENT_ID'), originations('CLIENT_ID')],
  },
  'client id and client secret swapped': {
    env: (provider) => {
      const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
      return { [easy('CLIENT_ID')]: clientSecret, [easy('CLIENT_SECRET')]: clientId };
    },
    names: [easy('CLIENT_ID'), easy('CLIENT_SECRET')],
  },
  'wrong client secret in an inactive environment': {
    others: ['EASY_PRODUCTION'],
    called: 'production',
    env: () => ({ PROVIDER_EASY_PRODUCTION_CLIENT_SECRET: 'not-the-right-secret' }),
    names: ['PROVIDER_EASY_PRODUCTION_CLIENT_SECRET'],
  },
  'secret file disappears': {
    env: (_provider, _foreign, folder) => ({
      [easy('CLIENT_SECRET')]: undefined,
      [easy('CLIENT_SECRET_FILE')]: join(folder, SECRET_FILE),
    }),
    later: (provider, folder) => {
      rmSync(join(folder, SECRET_FILE));
      provider.token.revokeAll();
    },
    names: [easy('CLIENT_SECRET_FILE')],
    silent: ['doctor', 'caller'],
  },
  'API refuses every token after accepting some': {
    later: ({ api }) => api.unauthorized(),
    callsForS: 12,
    names: [easy('CLIENT_ID')],
    silent: ['doctor', 'caller'],
  },
  'misspelt path in the base URL': {
    script: ({ api }) => api.status(404),
    callsForS: 32,
    names: [easy('BASE_URL')],
    silent: ['doctor', 'caller'],
  },
  'API answers 403 to everything': {
    script: ({ api }) => api.status(403),
    callsForS: 32,
    names: [easy('CLIENT_ID')],
    silent: ['caller'],
  },
  'API answers 503 to everything': {
    script: ({ api }) => api.status(503),
    callsForS: 32,
    names: [],
    silent: ['caller'],
  },
  'store down': {
    store: () => new BrokenStore(),
    names: ['store'],
    silent: ['status', 'doctor', 'caller'],
  },
};

/** In the folder of the broken system. */
const SECRET_FILE = 'client-secret';

export interface BrokenSystem {
  readonly folder: string;
  readonly provider: ProviderSimulator;
  /** Of another provider, with an authority that the configuration does not know. */
  readonly foreign: ProviderSimulator;
  readonly variables: NodeJS.ProcessEnv;
}

/** A provider, and the variables of an application whose configuration is broken like this. */
export async function breakSystem(breakage: Breakage): Promise<BrokenSystem> {
  const { interface: name = 'easy', others = [], env, script, simulator, proxy } = breakage;
  const [provider, foreign] = [await startSimulator(simulator), await startSimulator()];
  const folder = mkdtempSync(join(tmpdir(), 'provider-auth-breakage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, provider.ca);

  writeFileSync(join(folder, SECRET_FILE), provider.credentials('easy', 'sandbox').clientSecret);
  if (proxy) {
    vi.stubEnv('HTTPS_PROXY', await proxy());
    for (const name of ['NO_PROXY', 'no_proxy', 'https_proxy']) vi.stubEnv(name, undefined);
  }
  const pairs = [`${name.toUpperCase()}_SANDBOX`, ...others];
  const isUsed = (variable: string): boolean =>
    variable === 'PROVIDER_ENVIRONMENT' ||
    pairs.some((pair) => variable.startsWith(`PROVIDER_${pair}_`)) ||
    (variable === 'PROVIDER_ORIGINATIONS_TOKEN_URL' && pairs.some((pair) => pair.startsWith('ORIGINATIONS')));
  const working = Object.entries(provider.env()).filter(([variable]) => isUsed(variable));
  const trust = pairs.map((pair) => [`PROVIDER_${pair}_CA_FILE`, caFile]);
  const variables = { ...Object.fromEntries([...working, ...trust]), ...env?.(provider, foreign, folder) };
  script?.(provider);
  return { provider, foreign, variables, folder };
}
