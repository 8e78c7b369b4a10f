import { describe, expect, it } from 'vitest';
import type { CredentialKind, NamedPair, SettingNames } from '../../../lib/errors/setting-names.js';
import {
  certificateFlaw,
  isMatterOfTrust,
  networkTrouble,
  remedyInDefinition,
  remedyOf,
  type Trouble,
  troubleBehindProxy,
  trustAnyPrivateAuthority,
  trustPrivateAuthority,
} from '../../../lib/errors/troubles.js';

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

/** What an operator reads about the usual faults of the built-in provider, configured by variables. */
const ADVICE: readonly (readonly [Trouble, string])[] = [
  [
    'refused-credentials',
    'Check CLIENT_ID and CLIENT_SECRET: both must belong to easy sandbox, and the secret must be the newest one. If both are right, compare TOKEN_URL with the address that the provider gave you.',
  ],
  [
    'unknown-host',
    'Check the spelling of the host of the token URL (TOKEN_URL). If it is right, only other name servers know this host: a VPN or a private network may be missing. Waiting does not help.',
  ],
  [
    'untrusted-certificate',
    "If a private authority issued the certificate, set CA_FILE to its PEM file, or tls.ca in code. If a proxy in your network decrypts TLS, trust that proxy's authority. Otherwise, someone may be intercepting the connection: do not trust the certificate. Waiting does not help.",
  ],
  [
    'refused-token',
    'Set the token URL (TOKEN_URL) to the address of easy sandbox. If it is right, check the credentials (CLIENT_ID, CLIENT_SECRET): both must belong to easy sandbox.',
  ],
  ['unanswered', 'Check the provider and the network, or raise token.timeoutMs.'],
  [
    'refused-connection',
    'No server listens there. Compare host and port of the token URL (TOKEN_URL) with what the provider gave you, or ask whether the service is down.',
  ],
  [
    'proxy',
    'Check HTTPS_PROXY. If this network reaches the provider without a proxy, name its host in NO_PROXY.',
  ],
  [
    'refused-client-certificate',
    'The server does not accept the client certificate. Check CERT_FILE: it must belong to easy sandbox, must not have expired, and must come from an authority that the provider trusts.',
  ],
  [
    'refused-grant',
    'The endpoint does not allow these credentials (CLIENT_ID) to request a token. Ask your account representative to grant client_credentials.',
  ],
  ['secret-source', 'Check the function or the file that provides the client secret (CLIENT_SECRET).'],
];

describe('B29: the remedy of a trouble', () => {
  it.each(ADVICE)('B29: names the setting and the next step: %s', (trouble, advice) => {
    expect(remedyOf(trouble, pair)).toBe(advice);
  });

  it.each<[Trouble, string]>([
    ['unknown-host', 'the host of the base URL (BASE_URL).'],
    ['unanswered', 'raise http.timeoutMs.'],
    ['not-found', 'Check the path of the base URL (BASE_URL), and the paths of the requests.'],
  ])('B29: names the settings of the API if the API has the problem: %s', (trouble, words) => {
    expect(remedyOf(trouble, pair, 'baseUrl')).toContain(words);
  });

  it('B29: says that a server may close the connection if it refuses the client certificate', () => {
    const words = 'If the server refuses the client certificate (CERT_FILE), it may close the connection.';
    expect(remedyOf('broken-off', { ...pair, tls: { endsAt: new Date() } })).toContain(words);
    expect(remedyOf('broken-off', { ...pair, tls: {} })).not.toContain(words);
  });

  it.each([
    ['ALL_PROXY and NO_PROXY', 'Check ALL_PROXY. If', 'name its host in NO_PROXY.'],
    ['HTTPS_PROXY, NO_PROXY and http.httpsAgent', 'Check HTTPS_PROXY. If', 'name its host in NO_PROXY.'],
    ['ALL_PROXY, whose SOCKS proxy is not supported, and NO_PROXY', 'is not supported. If', 'in NO_PROXY.'],
    ['http.httpsAgent', 'Check the proxy of', 'http.httpsAgent.'],
    ['http.proxy', 'Check http.proxy. If', 'set it to false.'],
  ])('B29: names the setting that chose the proxy: %s', (proxy, start, end) => {
    const advice = remedyOf('proxy', pair, 'tokenUrl', proxy);
    expect(advice).toContain(start);
    expect(advice.endsWith(end)).toBe(true);
    expect(remedyOf('unanswered', pair, 'tokenUrl', proxy)).toContain(`Check the proxy (${proxy}), the`);
    expect(remedyOf('no-tls', pair, 'tokenUrl', proxy)).toContain(`Check ${proxy}, too: unless the proxy`);
  });

  it.each<[CredentialKind, Partial<SettingNames>, string]>([
    ['key', {}, 'and the provider must know the public key of this key. If both'],
    [
      'key',
      { keyId: 'KEY_ID', clientCertificate: 'CLIENT_CERT', issuer: 'ISSUER' },
      'the certificate in CLIENT_CERT. If the provider gave the key an id, KEY_ID must be this id. ISSUER must be what the provider calls its issuer, to the letter. If both',
    ],
    ['assertion', {}, 'Check the assertion in CLIENT_KEY and what the provider trusts: its issuer'],
    ['certificate', {}, 'and this certificate must be registered for the client. If both'],
  ])('B29: says what to compare for a client with a %s (%j)', (credential, more, words) => {
    const client = { ...pair, credential, names: { ...names, clientSecret: 'CLIENT_KEY', ...more } };
    expect(remedyOf('refused-credentials', client)).toContain(words);
    expect(remedyOf('secret-source', client)).toContain(`the client ${credential} (CLIENT_KEY).`);
  });

  it('B31: speaks of a provider of the application by its name, of its grant and of its members', () => {
    const terms = { grantType: 'account_credentials', scope: 'orders.read', audience: 'https://a.example' };
    expect(remedyOf('refused-grant', { ...ofWarehouse, terms })).toContain(
      'Ask the provider to grant account_credentials. Check audience too, in the interface stock',
    );
    expect(remedyOf('refused-scope', { ...ofWarehouse, terms })).toContain(
      'Check scope and audience, in the interface stock of your definition warehouse or in for()',
    );
    expect(remedyOf('refused-scope', ofWarehouse)).toContain('has no scope, audience or resource. If');
    expect(remedyOf('refused-token', ofWarehouse)).toContain('to the address of warehouse stock test.');
    expect(remedyInDefinition('expiresIn', ofWarehouse)).toContain('set expiresIn in the definition.');
    expect([remedyInDefinition('expiresIn', pair), remedyInDefinition(undefined, ofWarehouse)]).toEqual([
      '',
      '',
    ]);
  });

  it('B33: an account has the settings of its pair, so the advice does not name the account', () => {
    expect(remedyOf('refused-token', { ...pair, account: 'a-17' })).toBe(remedyOf('refused-token', pair));
  });
});

it.each<[Trouble, ...string[]]>([
  ['expired-certificate', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'],
  ['wrong-name', 'ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'],
  ['untrusted-certificate', 'CERT_REVOKED', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ['untrusted-certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['untrusted-certificate', 'SELF_SIGNED_CERT_IN_CHAIN', 'INVALID_CA', 'CRL_HAS_EXPIRED'],
  ['client-certificate', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
  ['refused-client-certificate', 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'],
  ['refused-client-certificate', 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED'],
  ['no-http', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'HPE_INVALID_CONSTANT'],
  ['no-tls', 'EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'],
  ['unknown-host', 'ENOTFOUND'],
  ['name-server', 'EAI_AGAIN'],
  ['refused-connection', 'ECONNREFUSED'],
  ['no-connection', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ['broken-off', 'ECONNRESET', 'EPIPE'],
  ['proxy', 'ERR_INVALID_URL'],
  ['unreachable', 'MY_CERT_LOST', 'MY_ERR_SSL_X', 'MY_EAI_X', 'MY_HPE_X', 'constructor', ''],
])('B29: a code of Node names the trouble %s', (trouble, ...codes) => {
  expect(codes.map((code) => networkTrouble(code))).toEqual(codes.map(() => trouble));
});

it('B13: only what is wrong with a certificate is the same at the next attempt', () => {
  const codes = ['CERT_HAS_EXPIRED', 'HOSTNAME_MISMATCH', 'INVALID_CA', 'EPROTO', 'ENOTFOUND'];
  expect(codes.map((code) => isMatterOfTrust(networkTrouble(code)))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

it('B29: a connection that was not opened is a matter of the proxy, if there is one', () => {
  const codes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ETIMEDOUT', 'ECONNRESET', 'CERT_HAS_EXPIRED'];
  const behind = codes.map((code) => troubleBehindProxy(networkTrouble(code), true));
  expect(behind).toEqual(['proxy', 'proxy', 'proxy', 'proxy', 'broken-off', 'expired-certificate']);
  expect(troubleBehindProxy('unknown-host', false)).toBe('unknown-host');
});

it.each<[Trouble, string, string | undefined, string | undefined]>([
  ['expired-certificate', 'expired on 2020-01-02', '', 'Jan  2 10:00:00 2020 GMT'],
  ['expired-certificate', 'is not valid before 2320-01-02', 'Jan  2 10:00:00 2320 GMT', ''],
  [
    'expired-certificate',
    'is valid, but a certificate above it in the chain has expired or is not valid yet',
    'Jan  2 10:00:00 2020 GMT',
    'Jan  2 10:00:00 2320 GMT',
  ],
  ['expired-certificate', 'or that of an authority above it has expired or is not valid yet', '', ''],
  ['wrong-name', 'is for another host name', '', 'Jan  2 10:00:00 2020 GMT'],
  ['untrusted-certificate', 'is not trusted', '', ''],
])('B29: says what is wrong with a certificate: %s: %s', (trouble, flaw, from = '', to = '') => {
  expect(certificateFlaw({ valid_from: from, valid_to: to }, trouble)).toBe(flaw);
});

it('B29: advice names the kind of value that the setting for a private authority takes', () => {
  expect(trustPrivateAuthority('interfaces.easy.sandbox.tls.ca')).toBe(
    'set interfaces.easy.sandbox.tls.ca to its PEM text',
  );
  expect(trustPrivateAuthority('ca of http.httpsAgent')).toBe('add its certificate to ca of http.httpsAgent');
  expect(trustAnyPrivateAuthority('my-bank')).toBe(
    'set MY_BANK_<IFACE>_<ENV>_CA_FILE to its PEM file, or tls.ca in code',
  );
});
