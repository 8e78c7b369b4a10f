import { describe, expect, it } from 'vitest';
import { ProviderAuthModule, type ProviderAuthOptions } from '../../../lib/index.js';
import { RedisTokenStore, type RedisTokenStoreOptions } from '../../../lib/redis/index.js';
import {
  ProviderAuthTestingModule,
  type ProviderAuthTestingOptions,
  ProviderSimulator,
} from '../../../lib/testing/index.js';
import { undiciTransport, type UndiciTransportOptions } from '../../../lib/undici/index.js';
import { validateOptions } from '../../support/application/built-in.js';

/** As `config.get()` gives it for a missing value. This project is compiled with `exactOptionalPropertyTypes`. */
const missing: undefined = undefined;

const sandbox = {
  tokenUrl: 'https://provider.example/auth/v0/connect/token',
  baseUrl: 'https://provider.example/easy',
  clientId: 'an id',
  clientSecret: 'a secret of the client',
};

const options: ProviderAuthOptions = {
  environment: { easy: 'sandbox', originations: missing },
  interfaces: {
    easy: { sandbox: { ...sandbox, tls: { ca: missing, cert: missing, key: missing } }, production: missing },
    originations: missing,
  },
  token: {
    timeoutMs: missing,
    maxAttempts: missing,
    expiryLeewayMs: missing,
    renewAheadMs: missing,
    atBoot: missing,
    maxAccounts: missing,
  },
  http: {
    timeoutMs: missing,
    httpsAgent: missing,
    proxy: missing,
    headers: missing,
    retryUnauthorized: missing,
    maxRedirects: missing,
    transport: missing,
  },
  store: missing,
  accounts: missing,
};

const ofRedis: RedisTokenStoreOptions = { keyPrefix: missing, sealKey: missing, timeoutMs: missing };

const ofUndici: UndiciTransportOptions = { connections: missing };

const ofTesting: ProviderAuthTestingOptions = { environment: missing, http: missing };

describe('an option that is there, but undefined', () => {
  it('has its default', async () => {
    const { profiles, ...settings } = await validateOptions(options);
    const { profiles: expected, ...defaults } = await validateOptions({
      environment: 'sandbox',
      interfaces: { easy: { sandbox } },
    });
    expect(settings).toEqual(defaults);
    expect(profiles.map(({ environment, tls }) => [environment, tls])).toEqual([['sandbox', undefined]]);
    expect(expected).toHaveLength(1);
  });

  it('is allowed for a store and a transport', () => {
    expect(new RedisTokenStore(async () => null, ofRedis).timeoutMs).toBe(250);
    expect(undiciTransport(ofUndici)).toHaveProperty('open');
  });

  it('is allowed for the module and in tests', async () => {
    expect(ProviderAuthModule.forRoot({ ...options, isGlobal: missing }).global).toBe(true);
    const provider = await ProviderSimulator.start({ lifetimeSeconds: missing, port: missing, now: missing });
    await provider.close();
    expect(ProviderAuthTestingModule.forRoot(ofTesting)).toHaveProperty('module');
  });
});
