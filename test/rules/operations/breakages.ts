import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { ProviderEnvironment, ProviderInterface } from '../../../lib/catalogue/provider-catalogue.js';
import type { TokenStore } from '../../../lib/index.js';
import {
  MemoryTokenStore,
  type ProviderSimulator,
  type ProviderSimulatorOptions,
} from '../../../lib/testing/index.js';
import { startSimulator } from '../../support/application/simulator.js';
import { ConnectProxy } from '../../support/http/connect-proxy.js';
import { givenFolder } from '../../support/run/given-folder.js';

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
  /** What the sources say to do, word for word. */
  readonly advice: string;
}

const easy = (setting: string): string => `PROVIDER_EASY_SANDBOX_${setting}`;
const originations = (setting: string): string => `PROVIDER_ORIGINATIONS_SANDBOX_${setting}`;
const urlAt = (url: string, host: string): string => Object.assign(new URL(url), { host, port: '' }).href;

class BrokenStore extends MemoryTokenStore {
  override claim(): Promise<never> {
    return Promise.reject(Object.assign(new Error('broken'), { code: 'ECONNREFUSED' }));
  }
}

/** The advice for refused credentials. */
const CHECK_CREDENTIALS =
  'Check PROVIDER_EASY_SANDBOX_CLIENT_ID and PROVIDER_EASY_SANDBOX_CLIENT_SECRET: both must belong to easy sandbox, and the secret must be the newest one. If both are right, compare PROVIDER_EASY_SANDBOX_TOKEN_URL with the address that the provider gave you.';

/** The advice for a server whose certificate no known authority has signed. */
const TRUST_AUTHORITY =
  "If a private authority issued the certificate, set PROVIDER_EASY_SANDBOX_CA_FILE to its PEM file, or tls.ca in code. If a proxy in your network decrypts TLS, trust that proxy's authority. Otherwise, someone may be intercepting the connection: do not trust the certificate. Waiting does not help.";

/** The advice for a base URL that the token is not for. */
const SET_BASE_URL =
  'Set the base URL (PROVIDER_EASY_SANDBOX_BASE_URL) to the address of easy sandbox. If it is right, check the credentials (PROVIDER_EASY_SANDBOX_CLIENT_ID, PROVIDER_EASY_SANDBOX_CLIENT_SECRET): both must belong to easy sandbox.';

/** Its section "What each fault looks like" has a row for each fault, and one for each code in the log. */
export const FAULTS_PAGE = 'docs/errors.md';

export const BREAKAGES: Readonly<Record<string, Breakage>> = {
  'wrong client secret': {
    env: () => ({ [easy('CLIENT_SECRET')]: 'not-the-right-secret' }),
    advice: CHECK_CREDENTIALS,
  },
  'wrong client id': {
    env: () => ({ [easy('CLIENT_ID')]: 'not-the-right-id' }),
    advice: CHECK_CREDENTIALS,
  },
  'client secret in quotes': {
    env: (provider) => ({
      [easy('CLIENT_SECRET')]: `"${provider.credentials('easy', 'sandbox').clientSecret}"`,
    }),
    advice: `The value of PROVIDER_EASY_SANDBOX_CLIENT_SECRET is in quotes: remove them. ${CHECK_CREDENTIALS}`,
  },
  'token URL from the other environment': {
    env: (provider) => ({ [easy('TOKEN_URL')]: provider.tokenUrl('easy', 'production') }),
    advice: CHECK_CREDENTIALS,
  },
  'credentials from the other environment': {
    env: (provider) => {
      const { clientId, clientSecret } = provider.credentials('easy', 'production');
      return { [easy('CLIENT_ID')]: clientId, [easy('CLIENT_SECRET')]: clientSecret };
    },
    advice: CHECK_CREDENTIALS,
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
    advice: SET_BASE_URL.replaceAll('EASY', 'ORIGINATIONS').replaceAll('easy', 'originations'),
  },
  'base URL from the other environment': {
    others: ['EASY_PRODUCTION'],
    env: (provider) => ({ [easy('BASE_URL')]: provider.baseUrl('easy', 'production') }),
    advice: SET_BASE_URL,
  },
  'base URL from the other interface': {
    others: ['ORIGINATIONS_SANDBOX'],
    env: (provider) => ({ [easy('BASE_URL')]: provider.baseUrl('originations', 'sandbox') }),
    advice: SET_BASE_URL,
  },
  'unknown token host': {
    env: (provider) => ({
      [easy('TOKEN_URL')]: urlAt(provider.tokenUrl('easy', 'sandbox'), UNKNOWN_HOST),
    }),
    advice:
      'Check the spelling of the host of the token URL (PROVIDER_EASY_SANDBOX_TOKEN_URL). If it is right, only other name servers know this host: a VPN or a private network may be missing. Waiting does not help.',
  },
  'no server at the token host': {
    env: () => ({ [easy('TOKEN_URL')]: 'https://127.0.0.1:1/auth/v0/connect/token' }),
    advice:
      'No server listens there. Compare host and port of the token URL (PROVIDER_EASY_SANDBOX_TOKEN_URL) with what the provider gave you, or ask whether the service is down.',
  },
  'unknown API host': {
    env: (provider) => ({ [easy('BASE_URL')]: urlAt(provider.baseUrl('easy', 'sandbox'), UNKNOWN_HOST) }),
    advice:
      'Check the spelling of the host of the base URL (PROVIDER_EASY_SANDBOX_BASE_URL). If it is right, only other name servers know this host: a VPN or a private network may be missing. Waiting does not help.',
  },
  'no server at the API host': {
    env: () => ({ [easy('BASE_URL')]: 'https://127.0.0.1:1/easy/v1' }),
    advice:
      'No server listens there. Compare host and port of the base URL (PROVIDER_EASY_SANDBOX_BASE_URL) with what the provider gave you, or ask whether the service is down.',
  },
  'no answer from the token endpoint': {
    script: (provider) => provider.token.hang(),
    advice: 'Check the provider and the network, or raise token.timeoutMs.',
  },
  'untrusted certificate on the token host': {
    env: (_, foreign) => ({ [easy('TOKEN_URL')]: foreign.tokenUrl('easy', 'sandbox') }),
    advice: TRUST_AUTHORITY,
  },
  'untrusted certificate on the API host': {
    env: (_, foreign) => ({ [easy('BASE_URL')]: foreign.baseUrl('easy', 'sandbox') }),
    advice: TRUST_AUTHORITY,
  },
  'expired server certificate': {
    simulator: { certificate: 'expired' },
    advice:
      "Report this to the provider. If your own authority's certificate has expired, put the new one into PROVIDER_EASY_SANDBOX_CA_FILE. If no certificate has expired, this machine's clock is wrong. Waiting does not help.",
  },
  'too many token requests': {
    script: ({ token }) => token.status(429, { headers: { 'retry-after': '30' } }),
    advice:
      'Ask your account representative how often this client may request a token. If many processes use this client, let them share a token: set the option store.',
  },
  'proxy requires a password': {
    proxy: async () => {
      const { port } = await ConnectProxy.start('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return `http://127.0.0.1:${port}`;
    },
    advice:
      'Check HTTPS_PROXY and NO_PROXY: the address and the credentials of the proxy, and whether it allows the host of the token URL (PROVIDER_EASY_SANDBOX_TOKEN_URL).',
  },
  'proxy down': {
    proxy: () => Promise.resolve('http://127.0.0.1:1'),
    advice:
      'Check HTTPS_PROXY. If this network reaches the provider without a proxy, name its host in NO_PROXY.',
  },
  'credentials from the other interface': {
    others: ['ORIGINATIONS_SANDBOX'],
    env: (provider) => {
      const { clientId, clientSecret } = provider.credentials('originations', 'sandbox');
      return { [easy('CLIENT_ID')]: clientId, [easy('CLIENT_SECRET')]: clientSecret };
    },
    advice: CHECK_CREDENTIALS,
  },
  'client id and client secret swapped': {
    env: (provider) => {
      const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
      return { [easy('CLIENT_ID')]: clientSecret, [easy('CLIENT_SECRET')]: clientId };
    },
    advice: CHECK_CREDENTIALS,
  },
  'wrong client secret in an inactive environment': {
    others: ['EASY_PRODUCTION'],
    called: 'production',
    env: () => ({ PROVIDER_EASY_PRODUCTION_CLIENT_SECRET: 'not-the-right-secret' }),
    advice: CHECK_CREDENTIALS.replaceAll('SANDBOX', 'PRODUCTION').replace('easy sandbox', 'easy production'),
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
    advice:
      'PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE names a file that does not exist. Mount it, or name the right one.',
    silent: ['doctor', 'caller'],
  },
  'API refuses every token after accepting some': {
    later: ({ api }) => api.unauthorized(),
    callsForS: 12,
    advice:
      'The API accepted tokens before. Ask your account representative whether PROVIDER_EASY_SANDBOX_CLIENT_ID is blocked, or whether the API has changed.',
    silent: ['doctor', 'caller'],
  },
  'misspelt path in the base URL': {
    script: ({ api }) => api.status(404),
    callsForS: 32,
    advice: 'Check the path of the base URL (PROVIDER_EASY_SANDBOX_BASE_URL), and the paths of the requests.',
    silent: ['doctor', 'caller'],
  },
  'API answers 403 to everything': {
    script: ({ api }) => api.status(403),
    callsForS: 32,
    advice:
      'These credentials (PROVIDER_EASY_SANDBOX_CLIENT_ID) have no access to this path. Ask your account representative for access, or use another path.',
    silent: ['caller'],
  },
  'API answers 503 to everything': {
    script: ({ api }) => api.status(503),
    callsForS: 32,
    advice: 'Wait for the provider. If this lasts, ask the provider.',
    silent: ['caller'],
  },
  'store down': {
    store: () => new BrokenStore(),
    advice: 'Check the store and the connection to it.',
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
  const folder = givenFolder();
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
