import { Agent } from 'node:https';
import { type Refusal, refused, row } from './refusal.js';

const HALF_A_STORE = { claim: () => {}, publish: () => {} };

export const TOKEN_AND_HTTP: readonly Refusal[] = [
  row('token', 5, 'must be an object'),
  row('token.timeoutMs', Number.POSITIVE_INFINITY, 'whole number'),
  row('token.timeoutMs', '5000', 'whole number'),
  row('token.timeoutMs', null, 'whole number'),
  row('token.expiryLeewayMs', Number.NaN, 'whole number'),
  row('token.timeoutMS', 5000, 'Did you mean timeoutMs?'),
  row(
    'token.scope',
    'canary',
    'Known here: timeoutMs, maxAttempts, expiryLeewayMs, renewAheadMs, atBoot, maxAccounts.',
  ),

  row('http', [], 'not a list'),
  row('http.retryUnauthorized', 'canary', 'true or false'),
  row('http.headers.Authorization', 'canary', 'is set by this module, with the access token. Remove it.'),
  row('http.headers.aUTHORIZATION', 'canary', 'Remove it'),
  refused(
    'a header with a space in its name',
    { 'http.headers': { 'X canary': '1' } },
    'http.headers.[not a name]: not the name of an HTTP header',
  ),
  row('http.headers.X-Trace', 'canary\r\nX-Other: 1', 'cannot carry'),
  refused(
    'each wrong header',
    { 'http.headers': { 'X-Count': 5, 'X-Right': 'canary', Authorization: 'canary' } },
    'http.headers.X-Count: must be a string, not a number.',
    'http.headers.Authorization: Remove it',
  ),
  ...[new Headers({ 'x-key': 'canary' }), new Map([['x-key', 'canary']])].map((headers) =>
    row(
      'http.headers',
      headers,
      'must be a plain object of names and values. Turn it into one with Object.fromEntries().',
    ),
  ),
  row('http.headers', 'canary', 'not a string'),
  row(
    'http.httpsAgent',
    new Agent({ rejectUnauthorized: false, passphrase: 'canary' }),
    'rejectUnauthorized: false',
  ),
  row('http.httpsAgent', { ca: 'canary' }, 'must be an agent'),
  row('http.httpsAgent', 'canary', 'must be an agent'),
  row('http.proxy', true, 'must be false or an object'),
  row('http.proxy', 'http://canary:canary@proxy', 'must be false or an object'),
  refused(
    'a proxy without host and port',
    { 'http.proxy': {} },
    'http.proxy.host: is missing',
    'http.proxy.port: whole number',
  ),
  row('http.transport', { adapter: 'canary' }, 'function `open`'),
  row('http.transport', () => 'canary', 'function `open`'),
  refused(
    'an agent and a transport',
    { 'http.httpsAgent': new Agent(), 'http.transport': { open: () => ({}) } },
    'http.httpsAgent: Set certificates in tls',
  ),
  row('http.timeout', 5000, 'Did you mean timeoutMs?'),
  row('http.proxy', [{ host: 'canary', port: 1 }], 'must be an object, not a list.'),
  ...(
    [
      [{ host: 'http://canary' }, 'host: is not a host'],
      [{ protocol: 'socks5' }, 'protocol: http or https'],
      [{ auth: { username: 'canary' } }, 'auth.password: is missing'],
      [{ auth: 'canary:canary' }, 'auth: must be an object'],
      [{ hostname: 'canary' }, 'hostname: Known here: host, port, protocol, auth.'],
      [{ host: '' }, 'host: is empty. Set it.'],
      [{ host: 5 }, 'host: must be a string, not a number.'],
      [{ port: undefined }, 'port: must be a whole number from 1 to 65535.'],
      [{ auth: { username: '', password: '' } }, 'auth.username: is empty. Set it.'],
      [{ auth: { username: 'canary', password: 5 } }, 'auth.password: must be a string, not a number.'],
      [
        { auth: { username: 'canary', password: 'canary', realm: 'canary' } },
        'auth.realm: is not an option. Known here: username, password.',
      ],
      [{ auth: null }, 'auth: must be an object, not null.'],
    ] as const
  ).map(([members, problem]) =>
    refused(
      `a proxy with ${JSON.stringify(members)}`,
      { 'http.proxy': { host: 'canary', port: 1, ...members } },
      `http.proxy.${problem}`,
    ),
  ),

  ...[
    'redis://canary',
    5,
    null,
    [],
    {},
    HALF_A_STORE,
    { ...HALF_A_STORE, release: 'no' },
    { ...HALF_A_STORE, release: () => {}, timeoutMs: 0 },
    { ...HALF_A_STORE, release: () => {}, timeoutMs: '250' },
    { ...HALF_A_STORE, release: () => {}, sealKey: 'canary' },
  ].map((store) => row('store', store, 'claim, publish, release')),
];
