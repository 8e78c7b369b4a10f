import { describe, expect, it } from 'vitest';
import {
  clockProblem,
  remedyInDefinition,
  remedyOf,
  sameSecretProblem,
  sharedValueProblems,
  type Trouble,
  trustAnyPrivateAuthority,
} from '../../../lib/errors/remedies.js';
import type { CredentialKind, NamedPair, SettingNames } from '../../../lib/errors/setting-names.js';

const names: SettingNames = {
  tokenUrl: 'TOKEN_URL',
  baseUrl: 'BASE_URL',
  clientId: 'CLIENT_ID',
  clientSecret: 'CLIENT_SECRET',
  ca: 'CA_FILE',
  cert: 'CERT_FILE',
  key: 'KEY_FILE',
};
const pair: NamedPair = { interface: 'easy', environment: 'sandbox', names };
const ofWarehouse: NamedPair = { ...pair, provider: 'warehouse', interface: 'stock', environment: 'test' };

/** Only a definition has the members that these name. */
type OfDefinition = 'refused-scope' | 'refused-target' | 'refused-grant-type' | 'refused-request';

const ADVICE_OF_DEFINITION: Readonly<Record<OfDefinition, string>> = {
  'refused-scope':
    'The token request has no scope. If the documentation of the provider names one, set scope in the interface stock of your definition warehouse.',
  'refused-target':
    'The token request has no audience and no resource. If the documentation of the provider names one, set it in the interface stock of your definition warehouse.',
  'refused-grant-type':
    'The endpoint does not support the grant type client_credentials. If the documentation of the provider names another, set grantType in the definition warehouse. Otherwise, compare TOKEN_URL with the address that the provider gave you.',
  'refused-request':
    'The token request probably has a missing, additional or wrong field. Compare clientAuth in the interface stock of your definition warehouse with the documentation of the provider, then TOKEN_URL with the address that the provider gave you.',
};

/** What an operator reads about the token endpoint of the built-in provider, configured by variables. */
const ADVICE: Readonly<Record<Exclude<Trouble, OfDefinition>, string>> = {
  'untrusted-certificate':
    "If a private authority issued the certificate, set CA_FILE to its PEM file, or tls.ca in code. If a proxy in your network decrypts TLS, trust that proxy's authority. Otherwise, someone may be intercepting the connection: do not trust the certificate. Waiting does not help.",
  'expired-certificate':
    "Report this to the provider. If your own authority's certificate has expired, put the new one into CA_FILE. If no certificate has expired, this machine's clock is wrong. Waiting does not help.",
  'future-certificate':
    'Check the clock of this machine. If the clock is right, report this to the provider.',
  'wrong-name':
    'Compare the host of the token URL (TOKEN_URL) with what the provider gave you. A DNS entry or a hosts file may point to another server. Waiting does not help.',
  'unchecked-agent':
    'Do not set rejectUnauthorized to false. To trust a private authority, set CA_FILE to its PEM file, or tls.ca in code.',
  'leading-agent':
    'Use an Agent of node:https without checkServerIdentity, host, port, path, socket and socketPath.',
  'client-certificate': 'The server demands a client certificate. Set CERT_FILE and KEY_FILE.',
  'refused-client-certificate':
    'The server does not accept the client certificate. Check CERT_FILE: it must belong to easy sandbox, must not have expired, and must come from an authority that the provider trusts.',
  'unknown-host':
    'Check the spelling of the host of the token URL (TOKEN_URL). If it is right, only other name servers know this host: a VPN or a private network may be missing. Waiting does not help.',
  'name-server': 'The name server of this machine does not answer. Check its network and its DNS settings.',
  'refused-connection':
    'No server listens there. Compare host and port of the token URL (TOKEN_URL) with what the provider gave you, or ask whether the service is down.',
  'no-route': 'There is no route to this host. Check the network, the VPN and the firewall.',
  'no-connection':
    'A firewall may drop the packets. Allow outgoing connections to the host of the token URL (TOKEN_URL), or set HTTPS_PROXY if this network needs one.',
  proxy:
    'Check HTTPS_PROXY. If this network reaches the provider without a proxy, name its host in NO_PROXY.',
  'proxy-refusal':
    'Check HTTPS_PROXY and NO_PROXY: the address and the credentials of the proxy, and whether it allows the host of the token URL (TOKEN_URL).',
  'proxy-credentials':
    'Check HTTPS_PROXY and NO_PROXY: the proxy demands a user name and a password, or refuses the ones it got.',
  'no-tls':
    'Check the port of the token URL (TOKEN_URL). The server there may not speak TLS, or demands a client certificate.',
  'no-tls-by-proxy':
    'Check HTTPS_PROXY and NO_PROXY: unless the proxy itself speaks TLS, write http:// before its address. If that is right, check the port of the token URL (TOKEN_URL). The server there may not speak TLS, or demands a client certificate.',
  'http2-only':
    'The server there speaks HTTP/2 only. Check the token URL (TOKEN_URL), and ask the provider for an address that speaks HTTP/1.1.',
  'no-http':
    'The server there does not speak HTTP. Check the port of the token URL (TOKEN_URL). If the port is right, report this to the provider.',
  'broken-off':
    'The connection was closed. If this lasts, check the port of the token URL (TOKEN_URL) and the firewall, and ask the provider.',
  unanswered: 'Check the provider and the network, or raise token.timeoutMs.',
  'unanswered-by-proxy':
    'Check the proxy (HTTPS_PROXY and NO_PROXY), the provider and the network, or raise token.timeoutMs.',
  unreachable: 'Check the token URL (TOKEN_URL), DNS, the network and the proxy.',
  'refused-credentials':
    'Check CLIENT_ID and CLIENT_SECRET: both must belong to easy sandbox, and the secret must be the newest one. If both are right, compare TOKEN_URL with the address that the provider gave you.',
  'refused-grant':
    'The endpoint does not allow these credentials (CLIENT_ID) to request a token. Ask your account representative to grant client_credentials.',
  'no-endpoint':
    'There is no token endpoint at this path. Compare the path in TOKEN_URL with the address that the provider gave you.',
  redirect: 'Set the token URL (TOKEN_URL) to the final address.',
  'other-service': 'Check the token URL (TOKEN_URL). A proxy or a login page may answer in its place.',
  'other-address':
    'TOKEN_URL is probably not the address of a token endpoint. Compare it with the address that the provider gave you.',
  metadata:
    "TOKEN_URL is probably the address of the provider's metadata. Set it to the token_endpoint in that document.",
  'server-trouble': 'Wait for the provider. If this lasts, ask the provider.',
  'too-many-requests':
    'Ask your account representative how often this client may request a token. If many processes use this client, let them share a token: set the option store.',
  'brief-token': 'Ask the provider why the token endpoint is slow or why its tokens expire so soon.',
  'secret-source': 'Check the function or the file that provides the client secret (CLIENT_SECRET).',
  'expired-assertion':
    'Check what renews the assertion in CLIENT_SECRET: it must renew each assertion before it expires. If it does, check the clock of this machine.',
  'refused-token':
    'Set the token URL (TOKEN_URL) to the address of easy sandbox. If it is right, check the credentials (CLIENT_ID, CLIENT_SECRET): both must belong to easy sandbox.',
  'refused-token-later':
    'The API accepted tokens before. Ask your account representative whether CLIENT_ID is blocked, or whether the API has changed.',
  'not-found': 'Check the path of the token URL (TOKEN_URL), and the paths of the requests.',
  forbidden:
    'These credentials (CLIENT_ID) have no access to this path. Ask your account representative for access, or use another path.',
};

describe('remedyOf', () => {
  it.each(Object.entries(ADVICE_OF_DEFINITION))('B29: names the definition: %s', (trouble, advice) => {
    expect(remedyOf(trouble as Trouble, ofWarehouse)).toBe(advice);
  });

  it.each(Object.entries(ADVICE))('B29: names the setting and the next step: %s', (trouble, advice) => {
    expect(remedyOf(trouble as Trouble, pair)).toBe(advice);
  });

  it.each<[Trouble, string]>([
    [
      'unknown-host',
      'Check the spelling of the host of the base URL (BASE_URL). If it is right, only other name servers know this host: a VPN or a private network may be missing. Waiting does not help.',
    ],
    ['unanswered', 'Check the provider and the network, or raise http.timeoutMs.'],
    ['not-found', 'Check the path of the base URL (BASE_URL), and the paths of the requests.'],
  ])('B29: names the settings of the API if the API has the problem: %s', (trouble, advice) => {
    expect(remedyOf(trouble, pair, 'baseUrl')).toBe(advice);
  });

  it('B29: says that a server may close the connection if it refuses the client certificate', () => {
    expect(remedyOf('broken-off', { ...pair, tls: { endsAt: new Date() } })).toBe(
      'The connection was closed. If the server refuses the client certificate (CERT_FILE), it may close the connection. ' +
        'If this lasts, check the port of the token URL (TOKEN_URL) and the firewall, and ask the provider.',
    );
    expect(remedyOf('broken-off', { ...pair, tls: {} })).toBe(ADVICE['broken-off']);
  });

  it('B29: says which protocol http.proxy must have', () => {
    expect(remedyOf('no-tls-by-proxy', pair, 'tokenUrl', 'http.proxy')).toContain(
      "Check http.proxy: unless the proxy itself speaks TLS, its protocol must be 'http'. If that is right, check the port",
    );
  });

  it.each([
    ['ALL_PROXY and NO_PROXY', 'ALL_PROXY'],
    ['HTTPS_PROXY, NO_PROXY and http.httpsAgent', 'HTTPS_PROXY'],
    [
      'ALL_PROXY, whose SOCKS proxy is not supported, and NO_PROXY',
      'ALL_PROXY, whose SOCKS proxy is not supported',
    ],
  ])('B29: names the variable of the proxy: %s', (settings, named) => {
    expect(remedyOf('proxy', pair, 'tokenUrl', settings)).toBe(
      `Check ${named}. If this network reaches the provider without a proxy, name its host in NO_PROXY.`,
    );
  });

  it.each([
    ['http.httpsAgent', 'Check the proxy of http.httpsAgent.'],
    [
      'http.proxy',
      'Check http.proxy. If this network reaches the provider without a proxy, set it to false.',
    ],
  ])('B29: names the setting that chose the proxy: %s', (proxy, advice) => {
    expect(remedyOf('proxy', pair, 'tokenUrl', proxy)).toBe(advice);
    expect(remedyOf('unanswered-by-proxy', pair, 'tokenUrl', proxy)).toBe(
      `Check the proxy (${proxy}), the provider and the network, or raise token.timeoutMs.`,
    );
  });

  it.each<[CredentialKind, Partial<SettingNames>, string]>([
    [
      'key',
      {},
      'Check CLIENT_ID and CLIENT_KEY: both must belong to easy sandbox, and the provider must know the public key of this key.',
    ],
    [
      'key',
      { keyId: 'KEY_ID', clientCertificate: 'CLIENT_CERT', issuer: 'ISSUER' },
      'Check CLIENT_ID and CLIENT_KEY: both must belong to easy sandbox, and the provider must know the certificate in CLIENT_CERT. If the provider gave the key an id, KEY_ID must be this id. ISSUER must be what the provider calls its issuer, to the letter.',
    ],
    [
      'assertion',
      {},
      'Check the assertion in CLIENT_KEY and what the provider trusts: its issuer, subject and audience must be registered for the client of easy sandbox.',
    ],
    [
      'certificate',
      {},
      'Check CLIENT_ID and CLIENT_KEY: both must belong to easy sandbox, and the provider must know this certificate as that of the client.',
    ],
  ])(
    'B29: refused credentials: says what to compare for a client with a %s (%j)',
    (credential, more, advice) => {
      const client = { ...pair, credential, names: { ...names, clientSecret: 'CLIENT_KEY', ...more } };
      expect(remedyOf('refused-credentials', client)).toBe(
        `${advice} If both are right, compare TOKEN_URL with the address that the provider gave you.`,
      );
      expect(remedyOf('secret-source', client)).toBe(
        `Check the function or the file that provides the client ${credential} (CLIENT_KEY).`,
      );
    },
  );

  it('B31: speaks of a provider of the application by its name, and of its grant', () => {
    const terms = { grantType: 'account_credentials' };
    expect(remedyOf('refused-grant', { ...ofWarehouse, terms })).toBe(
      'The endpoint does not allow these credentials (CLIENT_ID) to request a token. Ask the provider to grant account_credentials.',
    );
    expect(remedyOf('refused-token', ofWarehouse)).toContain('to the address of warehouse stock test.');
  });

  it('B33: an account has the settings of its pair, so the advice does not name the account', () => {
    expect(remedyOf('refused-token', { ...pair, account: 'a-17' })).toBe(ADVICE['refused-token']);
  });
});

describe('B29: advice about a private authority', () => {
  it('names the kind of value that the setting takes', () => {
    const inCode = { ...pair, names: { ...names, ca: 'interfaces.easy.sandbox.tls.ca' } };
    expect(remedyOf('unchecked-agent', inCode)).toBe(
      'Do not set rejectUnauthorized to false. To trust a private authority, set interfaces.easy.sandbox.tls.ca to its PEM text.',
    );
  });

  it('names the form of the variable if no pair is meant', () => {
    expect(trustAnyPrivateAuthority()).toBe(
      'set PROVIDER_<IFACE>_<ENV>_CA_FILE to its PEM file, or tls.ca in code',
    );
    expect(trustAnyPrivateAuthority('my-bank')).toContain('set MY_BANK_<IFACE>_<ENV>_CA_FILE to');
  });
});

describe('S5: a value that stands in two places', () => {
  it('is named with both places if two environments have the same secret', () => {
    expect(sameSecretProblem(pair)).toBeUndefined();
    expect(sameSecretProblem({ ...pair, sameSecretAs: 'OTHER_SECRET' })).toBe(
      'CLIENT_SECRET has the same value as OTHER_SECRET. Each environment has its own credentials: put each in its place.',
    );
  });

  it('is named with both places if two interfaces have it, or if an id is a secret', () => {
    expect(sharedValueProblems(pair)).toEqual([]);
    const sharedValues = [
      { setting: 'CLIENT_ID', sameAs: 'OTHER_ID', isMixed: false },
      { setting: 'CLIENT_SECRET', sameAs: 'CLIENT_ID', isMixed: true },
    ];
    expect(sharedValueProblems({ ...pair, sharedValues })).toEqual([
      'CLIENT_ID has the same value as OTHER_ID. If each interface has its own credentials, put each in its place.',
      'CLIENT_SECRET has the same value as CLIENT_ID. A client id is not a client secret: put each in its place.',
    ]);
  });
});

describe('clockProblem', () => {
  const TOLERATED_MS = 60_000;

  it.each([
    [TOLERATED_MS + 600, '61 s ahead of'],
    [-TOLERATED_MS - 1, '60 s behind'],
  ])('B29: a clock that is off by %i ms may be why assertions are refused', (aheadMs, off) => {
    expect(clockProblem({ credential: 'key' }, aheadMs)).toBe(
      `The clock of this machine is ${off} the clock of the token endpoint, so the endpoint may refuse each client assertion. Set the clock of this machine with NTP.`,
    );
    expect(clockProblem({ credential: 'secret' }, aheadMs)).toBeUndefined();
  });

  it.each([undefined, 0, TOLERATED_MS, -TOLERATED_MS])(
    'a clock that is off by %s ms is not named',
    (aheadMs) => {
      expect(clockProblem({ credential: 'key' }, aheadMs)).toBeUndefined();
    },
  );
});

it('B31: only the definition of a provider of the application can accept an unusual answer', () => {
  expect(remedyInDefinition('expiresIn', ofWarehouse)).toBe(
    'If the documentation of the provider says so, set expiresIn in the definition. ',
  );
  expect(remedyInDefinition('expiresIn', pair)).toBe('');
  expect(remedyInDefinition(undefined, ofWarehouse)).toBe('');
});
