import { describe, expect, it, vi } from 'vitest';
import type { Catalogue, InterfaceEntry } from '../../../../lib/catalogue/catalogue.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import {
  clientEnvironment,
  clientOptions,
  type ClientSettings,
} from '../../../../lib/testing/simulator/client-settings.js';
import type { SimulatorCredentials } from '../../../../lib/testing/simulator/credential-book.js';
import { depotParts } from '../../../support/application/depot.js';

type Pair = Parameters<ClientSettings['addresses']['tokenUrl']>[0];

const place = ({ interface: name, environment }: Pair): string => `${name}.${environment}`;

/** Settings of an interface with these terms, whose credentials have these members too. */
function settingsOf(
  terms: Partial<InterfaceEntry> = {},
  more: (pair: Pair) => Partial<SimulatorCredentials> = () => ({}),
): ClientSettings {
  const { catalogue } = depotParts('depot', 'stock');
  const entryOf = (name: string) => ({ ...catalogue.entryOf(name), ...terms });
  return {
    catalogue: { ...catalogue, entryOf } satisfies Catalogue,
    addresses: {
      tokenUrl: (pair) => `https://login.example/${place(pair)}`,
      baseUrl: (pair) => `https://api.example/${place(pair)}`,
      issuer: (pair) => `https://issuer.example/${place(pair)}`,
    },
    credentials: {
      of: (name, environment) => {
        const pair = { interface: name, environment };
        return {
          clientId: `id of ${place(pair)}`,
          clientSecret: `canary of ${place(pair)}`,
          ...more(pair),
        };
      },
    },
    environment: 'live',
  };
}

/** The expected options of each environment. */
const forBoth = (of: (place: string) => object): object => ({
  test: of('stock.test'),
  live: of('stock.live'),
});

const common = (at: string): object => ({
  baseUrl: `https://api.example/${at}`,
  clientId: `id of ${at}`,
});

const withKeyOf = (at: string) => ({
  tokenUrl: `https://login.example/${at}`,
  ...common(at),
  clientKey: new Secret(`canary key of ${at}`),
});

describe('the options of a client', () => {
  it('C4: have each interface and environment, and what a test replaces', () => {
    const options = clientOptions(settingsOf(), { http: { timeoutMs: 5 } });
    expect(options).toStrictEqual({
      environment: 'live',
      interfaces: {
        stock: forBoth((at) => ({
          tokenUrl: `https://login.example/${at}`,
          ...common(at),
          clientSecret: new Secret(`canary of ${at}`),
        })),
      },
      http: { timeoutMs: 5 },
    });
    expect(clientOptions(settingsOf(), { environment: 'test', interfaces: {} })).toStrictEqual({
      environment: 'test',
      interfaces: {},
    });
  });

  it('S10: hide the secret, and give it to the module', () => {
    const { interfaces } = clientOptions(settingsOf(), {}) as never as {
      interfaces: Record<string, Record<string, { clientSecret: Secret }>>;
    };
    expect(interfaces['stock']?.['test']?.clientSecret.reveal()).toBe('canary of stock.test');
  });

  it('S4: have one token URL if environments share it', () => {
    expect(clientOptions(settingsOf({ tokenUrlPer: 'interface' }), {})).toMatchObject({
      interfaces: {
        stock: {
          tokenUrl: 'https://login.example/stock.test',
          live: { baseUrl: 'https://api.example/stock.live' },
        },
      },
    });
    const { interfaces } = clientOptions(settingsOf({ tokenUrlPer: 'interface' }), {}) as {
      interfaces?: { stock?: { live?: object } };
    };
    expect(interfaces?.stock?.live).not.toHaveProperty('tokenUrl');
  });

  it('B31: have the key, and its certificate and the issuer if the definition demands them', () => {
    const assertion = { audience: 'tokenUrl', type: 'JWT', lifetimeSeconds: 300 } as const;
    const withKey = (audience: 'tokenUrl' | 'issuer', certificate?: string) =>
      clientOptions(
        settingsOf({ clientAuth: 'private_key_jwt', assertion: { ...assertion, audience } }, (pair) => ({
          clientKey: `canary key of ${place(pair)}`,
          ...(certificate !== undefined && { clientCertificate: certificate }),
        })),
        {},
      );
    expect(withKey('tokenUrl')).toStrictEqual({
      environment: 'live',
      interfaces: { stock: forBoth(withKeyOf) },
    });
    expect(withKey('issuer', 'a PEM')).toStrictEqual({
      environment: 'live',
      interfaces: {
        stock: forBoth((at) => ({
          ...withKeyOf(at),
          clientCertificate: 'a PEM',
          issuer: `https://issuer.example/${at}`,
        })),
      },
    });
  });

  it('B32: have a function that reads a new assertion each time', () => {
    let count = 0;
    const settings = settingsOf({ clientAuth: 'client_assertion' }, () => ({
      clientAssertion: `canary assertion ${(count += 1)}`,
    }));
    const { interfaces } = clientOptions(settings, {}) as never as {
      interfaces: { stock: { live: { clientAssertion: () => string } } };
    };
    const { clientAssertion, ...rest } = interfaces.stock.live;
    expect(rest).toStrictEqual({ tokenUrl: 'https://login.example/stock.live', ...common('stock.live') });
    expect([clientAssertion(), clientAssertion()]).toEqual(['canary assertion 3', 'canary assertion 4']);
  });

  it('B32: have a certificate for TLS, and the authority to trust', () => {
    const settings = settingsOf({ clientAuth: 'tls_client_auth' }, (pair) => ({
      clientKey: `canary key of ${place(pair)}`,
      clientCertificate: `a PEM of ${place(pair)}`,
    }));
    expect(clientOptions({ ...settings, ca: 'an authority' }, {})).toStrictEqual({
      environment: 'live',
      interfaces: {
        stock: forBoth((at) => ({
          tokenUrl: `https://login.example/${at}`,
          ...common(at),
          tls: { ca: 'an authority', cert: `a PEM of ${at}`, key: new Secret(`canary key of ${at}`) },
        })),
      },
    });
    const { interfaces } = clientOptions(settings, {}) as never as {
      interfaces: { stock: { live: { tls: { key: Secret } } } };
    };
    expect(interfaces.stock.live.tls.key.reveal()).toBe('canary key of stock.live');
    expect(clientOptions({ ...settingsOf(), ca: 'an authority' }, {})).toMatchObject({
      interfaces: {
        stock: { live: { tls: { ca: 'an authority' }, clientSecret: new Secret('canary of stock.live') } },
      },
    });
  });
});

const variables = (of: (at: string, name: string) => Record<string, string>) => ({
  DEPOT_ENVIRONMENT: 'live',
  ...of('stock.test', 'DEPOT_STOCK_TEST'),
  ...of('stock.live', 'DEPOT_STOCK_LIVE'),
});
const usual = (at: string, name: string) => ({
  [`${name}_TOKEN_URL`]: `https://login.example/${at}`,
  [`${name}_BASE_URL`]: `https://api.example/${at}`,
  [`${name}_CLIENT_ID`]: `id of ${at}`,
});

/** Writes nothing, and names a file for what it got. */
const keyFileOf = () =>
  vi.fn<NonNullable<ClientSettings['keyFileOf']>>((pair, _pem, kind) => `/run/${place(pair)}.${kind}`);

describe('the variables of a client', () => {
  it('C4: have each interface and environment', () => {
    expect(clientEnvironment(settingsOf())).toStrictEqual(
      variables((at, name) => ({ ...usual(at, name), [`${name}_CLIENT_SECRET`]: `canary of ${at}` })),
    );
  });

  it('S4: have one token URL if environments share it', () => {
    const found = clientEnvironment(settingsOf({ tokenUrlPer: 'interface' }));
    expect(Object.keys(found).filter((name) => name.includes('TOKEN_URL'))).toEqual([
      'DEPOT_STOCK_TOKEN_URL',
    ]);
  });

  it('B31: name the files of a key and its certificate, and the issuer', () => {
    const assertion = { audience: 'issuer', type: 'JWT', lifetimeSeconds: 300, certificate: 'x5c' } as const;
    const settings = settingsOf({ clientAuth: 'private_key_jwt', assertion }, () => ({
      clientKey: 'canary key',
      clientCertificate: 'a PEM',
    }));
    const write = keyFileOf();
    expect(clientEnvironment({ ...settings, keyFileOf: write })).toEqual(
      variables((at, name) => ({
        ...usual(at, name),
        [`${name}_ISSUER`]: `https://issuer.example/${at}`,
        [`${name}_CLIENT_KEY_FILE`]: `/run/${at}.key`,
        [`${name}_CLIENT_CERTIFICATE_FILE`]: `/run/${at}.cert`,
      })),
    );
    const [test] = settings.catalogue.pairs;
    expect(write.mock.calls.slice(0, 2)).toEqual([
      [test, 'canary key', 'key'],
      [test, 'a PEM', 'cert'],
    ]);
    expect(write).toHaveBeenCalledTimes(4);
  });

  it('B32: name the file of an assertion', () => {
    const settings = settingsOf({ clientAuth: 'client_assertion' }, () => ({ clientAssertion: 'canary' }));
    const write = keyFileOf();
    expect(clientEnvironment({ ...settings, keyFileOf: write })).toEqual(
      // The assertion names the client.
      variables((at, name) => ({
        [`${name}_TOKEN_URL`]: `https://login.example/${at}`,
        [`${name}_BASE_URL`]: `https://api.example/${at}`,
        [`${name}_CLIENT_ASSERTION_FILE`]: `/run/${at}.assertion`,
      })),
    );
    expect(write.mock.calls.map(([, pem]) => pem)).toEqual(['canary', 'canary']);
  });

  it('B32: name the files of TLS: those of the client, and those for each pair', () => {
    const settings = settingsOf({ clientAuth: 'tls_client_auth' }, () => ({
      clientKey: 'canary key',
      clientCertificate: 'a PEM',
    }));
    const tlsFiles = { ca: '/run/ca.pem', cert: '/run/other.pem' };
    expect(clientEnvironment({ ...settings, keyFileOf: keyFileOf(), tlsFiles })).toEqual(
      variables((at, name) => ({
        ...usual(at, name),
        [`${name}_CA_FILE`]: '/run/ca.pem',
        [`${name}_CERT_FILE`]: `/run/${at}.cert`,
        [`${name}_KEY_FILE`]: `/run/${at}.key`,
      })),
    );
    expect(clientEnvironment({ ...settingsOf(), tlsFiles })).toMatchObject({
      DEPOT_STOCK_LIVE_CA_FILE: '/run/ca.pem',
      DEPOT_STOCK_LIVE_CERT_FILE: '/run/other.pem',
    });
  });

  it('are empty texts for files if no function writes them', () => {
    const settings = settingsOf({ clientAuth: 'client_assertion' }, () => ({ clientAssertion: 'canary' }));
    expect(clientEnvironment(settings)).toMatchObject({ DEPOT_STOCK_TEST_CLIENT_ASSERTION_FILE: '' });
    const unknown = settingsOf({ clientAuth: 'client_assertion' });
    expect(clientEnvironment(unknown)).toMatchObject({ DEPOT_STOCK_TEST_CLIENT_ASSERTION_FILE: '' });
  });
});
