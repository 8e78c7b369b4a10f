import { Agent as HttpAgent } from 'node:http';
import { Agent } from 'node:https';
import { describe, expect, it } from 'vitest';
import {
  CANARY,
  configErrorOf,
  optionsWith,
  REMOVED,
  shownBy,
  type Tree,
} from '../../support/secrets/config-canaries.js';

const EASY = 'interfaces.easy.sandbox';
const ORIGINATIONS = 'interfaces.originations';

interface Case {
  readonly is: string;
  readonly changes: Tree;
  /** `path: words of the sentence`, in the order in which they are told. */
  readonly told: readonly string[];
}

const refused = (is: string, changes: Tree, ...told: string[]): Case => ({ is, changes, told });

const throwing = (): Tree =>
  Object.defineProperty({}, 'clientId', {
    enumerable: true,
    get: () => {
      throw new Error('canary in a getter');
    },
  });

const hostile = (): object =>
  new Proxy(
    {},
    {
      get: () => {
        throw new Error('canary in a proxy');
      },
      ownKeys: () => {
        throw new Error('canary in a proxy');
      },
      getPrototypeOf: () => {
        throw new Error('canary in a proxy');
      },
    },
  );

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const cases: readonly Case[] = [
  // environment
  refused('no environment', { environment: REMOVED }, 'environment: is missing'),
  refused('an empty environment', { environment: '' }, 'environment: is missing'),
  refused('a misspelt environment', { environment: 'sandbx' }, 'environment: Did you mean sandbox?'),
  refused('an abbreviated environment', { environment: 'prod' }, 'environment: Did you mean production?'),
  refused('an environment in capitals', { environment: 'SANDBOX' }, 'environment: Did you mean sandbox?'),
  refused('another environment', { environment: 'canary' }, 'environment: must be sandbox or production.'),
  refused('a number as environment', { environment: 7 }, 'environment: not a number'),
  refused('null as environment', { environment: null }, 'environment: not null'),
  refused('a list as environment', { environment: ['sandbox'] }, 'environment: not a list'),
  refused(
    'an active environment that is not configured',
    { environment: 'production', 'interfaces.easy.production': REMOVED },
    'environment: for which easy is not configured. Set interfaces.easy.production.tokenUrl, interfaces.easy.production.baseUrl, interfaces.easy.production.clientId, interfaces.easy.production.clientSecret, or choose sandbox.',
  ),
  refused(
    'an active environment that neither interface has',
    {
      environment: 'production',
      'interfaces.easy.production': REMOVED,
      'interfaces.originations.production': REMOVED,
    },
    'environment: for which originations is not configured. Set interfaces.originations.production.baseUrl,',
    'environment: for which easy is not configured',
  ),
  refused(
    'a choice for each interface with one left out',
    { environment: { easy: 'sandbox' } },
    'environment.originations: is missing',
  ),
  refused(
    'a misspelt choice for one interface',
    { environment: { easy: 'sandbox', originations: 'productoin' } },
    'environment.originations: Did you mean production?',
  ),
  refused(
    'a choice for an interface that is not configured',
    { environment: { easy: 'sandbox', originations: 'sandbox' }, 'interfaces.originations': REMOVED },
    'environment.originations: which is not configured',
  ),
  refused(
    'a choice of something that is not configured for one interface',
    { environment: { easy: 'production', originations: 'sandbox' }, 'interfaces.easy.production': REMOVED },
    'environment.easy: chooses production',
  ),
  refused(
    'a choice for an unknown interface',
    { environment: { easy: 'sandbox', originations: 'sandbox', esy: 'sandbox' } },
    'environment.esy: Did you mean easy?',
  ),

  // interfaces
  refused('no interfaces', { interfaces: REMOVED }, 'interfaces: is missing'),
  refused('interfaces without one', { interfaces: {} }, 'interfaces: configures no interface'),
  refused('a text as interfaces', { interfaces: 'canary' }, 'interfaces: must be an object, not a string'),
  refused('a list as interfaces', { interfaces: ['canary'] }, 'interfaces: must be an object, not a list'),
  refused(
    'a misspelt interface',
    { 'interfaces.esay': { canary: 1 } },
    'interfaces.esay: Did you mean easy?',
  ),
  refused(
    'an unknown interface',
    { 'interfaces.other': {} },
    'interfaces.other: Known here: originations, easy.',
  ),
  refused('null as an interface', { 'interfaces.easy': null }, 'interfaces.easy: not null'),
  refused(
    'an interface without environments',
    { 'interfaces.easy': {} },
    'interfaces.easy: has no environment. Set for sandbox tokenUrl, baseUrl, clientId, clientSecret; or for production',
  ),
  refused('a text as an environment', { [EASY]: 'canary' }, `${EASY}: must be an object`),
  refused(
    'a misspelt environment of an interface',
    { 'interfaces.easy.prodution': {} },
    'interfaces.easy.prodution: Did you mean production?',
  ),

  // token URLs
  refused(
    'no token URL',
    { [`${EASY}.tokenUrl`]: REMOVED },
    `${EASY}.tokenUrl: is missing. Set it to the https address that ends in /auth/v0/connect/token.`,
  ),
  refused(
    'no common token URL',
    { [`${ORIGINATIONS}.tokenUrl`]: undefined },
    `${ORIGINATIONS}.tokenUrl: ends in /oauth/token`,
  ),
  refused(
    'a number as token URL',
    { [`${EASY}.tokenUrl`]: 5 },
    `${EASY}.tokenUrl: must be a string, not a number`,
  ),
  refused(
    'a token URL with another path',
    { [`${EASY}.tokenUrl`]: 'https://canary.example/token' },
    `${EASY}.tokenUrl: ends in /auth/v0/connect/token`,
  ),
  refused(
    'a token URL that goes on after its ending',
    { [`${ORIGINATIONS}.tokenUrl`]: 'https://canary.example/oauth/token/canary' },
    `${ORIGINATIONS}.tokenUrl: ends in /oauth/token`,
  ),
  refused(
    'a token URL with a slash at its end',
    { [`${ORIGINATIONS}.tokenUrl`]: 'https://canary.example/oauth/token/' },
    `${ORIGINATIONS}.tokenUrl: a slash`,
  ),
  refused(
    'a token URL whose ending is only in its query',
    { [`${ORIGINATIONS}.tokenUrl`]: 'https://canary.example/?to=/oauth/token' },
    `${ORIGINATIONS}.tokenUrl: ends in /oauth/token`,
  ),
  refused(
    'swapped token URLs',
    {
      [`${ORIGINATIONS}.tokenUrl`]: 'https://canary.example/auth/v0/connect/token',
      [`${EASY}.tokenUrl`]: 'https://canary.example/oauth/token',
    },
    `${ORIGINATIONS}.tokenUrl: swapped`,
    `${EASY}.tokenUrl: swapped`,
  ),
  refused(
    'a token URL over http',
    { [`${EASY}.tokenUrl`]: 'http://canary.example/auth/v0/connect/token' },
    `${EASY}.tokenUrl: is not https`,
  ),
  refused(
    'a token URL on loopback over http',
    { [`${ORIGINATIONS}.tokenUrl`]: 'http://localhost:8080/oauth/token' },
    `${ORIGINATIONS}.tokenUrl: is not https`,
  ),
  refused(
    'a token URL with a fragment',
    { [`${EASY}.tokenUrl`]: 'https://canary.example/auth/v0/connect/token#canary' },
    `${EASY}.tokenUrl: fragment`,
  ),
  refused(
    'a token URL with a user',
    { [`${EASY}.tokenUrl`]: 'https://canary@canary.example/auth/v0/connect/token' },
    `${EASY}.tokenUrl: user name`,
  ),
  refused(
    'a token URL of the document',
    { [`${ORIGINATIONS}.tokenUrl`]: '{auth_url_originations}' },
    `${ORIGINATIONS}.tokenUrl: placeholder`,
  ),
  refused(
    'a token URL made from a placeholder',
    { [`${EASY}.tokenUrl`]: 'https://{auth_host}/auth/v0/connect/token' },
    `${EASY}.tokenUrl: placeholder`,
  ),
  refused(
    'a token URL in the wrong place',
    { 'interfaces.easy.tokenUrl': 'https://canary.example/auth/v0/connect/token' },
    'interfaces.easy.tokenUrl: one level down',
  ),
  refused(
    'a token URL in an environment that shares one',
    { [`${ORIGINATIONS}.sandbox.tokenUrl`]: 'https://canary.example/oauth/token' },
    `${ORIGINATIONS}.sandbox.tokenUrl: one level up`,
  ),

  // base URLs
  refused('no base URL', { [`${EASY}.baseUrl`]: REMOVED }, `${EASY}.baseUrl: is missing`),
  refused('an empty base URL', { [`${EASY}.baseUrl`]: '' }, `${EASY}.baseUrl: is empty`),
  refused(
    'a base URL of white space',
    { [`${EASY}.baseUrl`]: ' \t' },
    `${EASY}.baseUrl: contains nothing but white space`,
  ),
  refused(
    'two base URLs',
    { [`${EASY}.baseUrl`]: 'https://canary.example,https://b.canary.example' },
    `${EASY}.baseUrl: holds more than one address`,
  ),
  refused(
    'a base URL for any host',
    { [`${EASY}.baseUrl`]: 'https://*.canary.example' },
    `${EASY}.baseUrl: has a character in its host`,
  ),
  refused(
    'a token URL with a host from a variable that is not set',
    { [`${EASY}.tokenUrl`]: 'https://undefined.canary.example/auth/v0/connect/token' },
    `${EASY}.tokenUrl: is not set?`,
  ),
  refused('null as base URL', { [`${EASY}.baseUrl`]: null }, `${EASY}.baseUrl: not null`),
  refused(
    'a URL object as base URL',
    { [`${EASY}.baseUrl`]: new URL('https://canary.example') },
    `${EASY}.baseUrl: not an object`,
  ),
  refused(
    'a host as base URL',
    { [`${EASY}.baseUrl`]: 'canary.example/v1' },
    `${EASY}.baseUrl: is not a URL`,
  ),
  refused('a path as base URL', { [`${EASY}.baseUrl`]: '/canary' }, `${EASY}.baseUrl: is not a URL`),
  refused(
    'a base URL without slashes',
    { [`${EASY}.baseUrl`]: 'https:canary.example' },
    `${EASY}.baseUrl: is not a URL`,
  ),
  refused('a base URL without a host', { [`${EASY}.baseUrl`]: 'https://' }, `${EASY}.baseUrl: is not a URL`),
  refused(
    'a base URL with an empty host',
    { [`${EASY}.baseUrl`]: 'https:///canary' },
    `${EASY}.baseUrl: has no host`,
  ),
  refused(
    'a base URL with half a host',
    { [`${EASY}.baseUrl`]: 'https://.canary.example' },
    `${EASY}.baseUrl: has no host`,
  ),
  refused(
    'a base URL with a hole in its host',
    { [`${EASY}.baseUrl`]: 'https://api..canary.example' },
    `${EASY}.baseUrl: has no host`,
  ),
  refused(
    'a base URL over http',
    { [`${EASY}.baseUrl`]: 'http://canary.example' },
    `${EASY}.baseUrl: is not https`,
  ),
  refused(
    'a base URL over ftp',
    { [`${EASY}.baseUrl`]: 'ftp://canary.example' },
    `${EASY}.baseUrl: is not https`,
  ),
  refused(
    'a base URL with a query',
    { [`${EASY}.baseUrl`]: 'https://canary.example/v1?canary=1' },
    `${EASY}.baseUrl: query`,
  ),
  refused(
    'a base URL with an empty query',
    { [`${EASY}.baseUrl`]: 'https://canary.example/v1?' },
    `${EASY}.baseUrl: query`,
  ),
  refused(
    'a base URL with an empty fragment',
    { [`${EASY}.baseUrl`]: 'https://canary.example/v1#' },
    `${EASY}.baseUrl: fragment`,
  ),
  refused(
    'a base URL with a user and a password',
    { [`${EASY}.baseUrl`]: 'https://canary:canary@canary.example' },
    `${EASY}.baseUrl: user name or password`,
  ),
  refused(
    'a base URL with an empty user',
    { [`${EASY}.baseUrl`]: 'https://@canary.example' },
    `${EASY}.baseUrl: user name or password`,
  ),
  refused(
    'a base URL with a backslash',
    { [`${EASY}.baseUrl`]: String.raw`https://canary.example\v1` },
    `${EASY}.baseUrl: backslash`,
  ),
  refused(
    'a base URL with white space in it',
    { [`${EASY}.baseUrl`]: 'https://canary.example/a b' },
    `${EASY}.baseUrl: white space`,
  ),
  refused(
    'a base URL with a line break at its end',
    { [`${EASY}.baseUrl`]: 'https://canary.example\n' },
    `${EASY}.baseUrl: line break`,
  ),
  refused(
    'a base URL with a tab in it',
    { [`${EASY}.baseUrl`]: 'https://canary\t.example' },
    `${EASY}.baseUrl: control character`,
  ),
  refused(
    'a base URL in quotes',
    { [`${EASY}.baseUrl`]: '"https://canary.example"' },
    `${EASY}.baseUrl: quotes`,
  ),
  refused(
    'a base URL of the document',
    { [`${EASY}.baseUrl`]: '{base_url}' },
    `${EASY}.baseUrl: placeholder`,
  ),
  refused(
    'a base URL that nobody has',
    { [`${EASY}.baseUrl`]: 'https://your-api-host/v1' },
    `${EASY}.baseUrl: placeholder`,
  ),
  refused(
    'a token URL as base URL',
    { [`${EASY}.baseUrl`]: 'https://canary.example/auth/v0/connect/token' },
    `${EASY}.baseUrl: is a token URL`,
  ),

  // credentials
  refused(
    'no client id',
    { [`${EASY}.clientId`]: REMOVED },
    `${EASY}.clientId: is missing. Set it to the client id`,
  ),
  refused('an empty client id', { [`${EASY}.clientId`]: '' }, `${EASY}.clientId: is empty`),
  refused('a number as client id', { [`${EASY}.clientId`]: 1234 }, `${EASY}.clientId: not a number`),
  refused(
    'a function as client id',
    { [`${EASY}.clientId`]: () => 'canary' },
    `${EASY}.clientId: not a function`,
  ),
  refused(
    'a client id with a space before it',
    { [`${EASY}.clientId`]: ' canary' },
    `${EASY}.clientId: white space`,
  ),
  refused(
    'a client id with a no-break space after it',
    { [`${EASY}.clientId`]: 'canary\u00a0' },
    `${EASY}.clientId: white space`,
  ),
  refused(
    'a client id with an invisible mark before it',
    { [`${EASY}.clientId`]: '\ufeffcanary' },
    `${EASY}.clientId: white space`,
  ),
  refused(
    'a client id that is a placeholder',
    { [`${EASY}.clientId`]: '<CLIENT_ID>' },
    `${EASY}.clientId: placeholder`,
  ),
  refused(
    'one client id in both environments',
    { 'interfaces.easy.production.clientId': 'canary-id-es' },
    'interfaces.easy.production.clientId: is the same as interfaces.easy.sandbox.clientId',
  ),
  refused(
    'one client id in both environments, beside another problem of the pair',
    { 'interfaces.easy.production.clientId': 'canary-id-es', 'interfaces.easy.production.baseUrl': '' },
    'interfaces.easy.production.baseUrl: is empty',
    'interfaces.easy.production.clientId: is the same as',
  ),
  refused('no client secret', { [`${EASY}.clientSecret`]: REMOVED }, `${EASY}.clientSecret: is missing`),
  refused(
    'a client secret of white space',
    { [`${EASY}.clientSecret`]: '   ' },
    `${EASY}.clientSecret: contains nothing but white space`,
  ),
  refused(
    'a client secret with a line break at its end',
    { [`${EASY}.clientSecret`]: 'canary\n' },
    `${EASY}.clientSecret: line break`,
  ),
  refused(
    'a client secret with a null in it',
    { [`${EASY}.clientSecret`]: 'can\0ary' },
    `${EASY}.clientSecret: control character`,
  ),
  refused(
    'a client secret with half a character',
    { [`${EASY}.clientSecret`]: 'canary\ud800canary' },
    `${EASY}.clientSecret: control character`,
  ),
  refused(
    'a client secret that was to be changed',
    { [`${EASY}.clientSecret`]: 'changeme' },
    `${EASY}.clientSecret: placeholder`,
  ),
  refused(
    'a printed Secret as client secret',
    { [`${EASY}.clientSecret`]: '[redacted]' },
    `${EASY}.clientSecret: placeholder`,
  ),
  refused(
    'an object as client secret',
    { [`${EASY}.clientSecret`]: { value: 'canary' } },
    `${EASY}.clientSecret: a string, a Secret or a function`,
  ),
  refused('null as client secret', { [`${EASY}.clientSecret`]: null }, `${EASY}.clientSecret: not null`),
  refused(
    'a misspelt credential',
    { [`${EASY}.client_id`]: 'canary' },
    `${EASY}.client_id: Did you mean clientId?`,
  ),
  refused(
    'an unknown member of a pair',
    { [`${EASY}.scope`]: 'canary' },
    `${EASY}.scope: Known here: tokenUrl, baseUrl, clientId, clientSecret, tls.`,
  ),

  // token
  refused('a number as token', { token: 5 }, 'token: must be an object'),
  refused('a timeout of 0', { 'token.timeoutMs': 0 }, 'token.timeoutMs: from 1 to 600000'),
  refused(
    'a timeout without end',
    { 'token.timeoutMs': Number.POSITIVE_INFINITY },
    'token.timeoutMs: whole number',
  ),
  refused(
    'a timeout beyond ten minutes',
    { 'token.timeoutMs': 600_001 },
    'token.timeoutMs: from 1 to 600000',
  ),
  refused('a text as timeout', { 'token.timeoutMs': '5000' }, 'token.timeoutMs: whole number'),
  refused('null as timeout', { 'token.timeoutMs': null }, 'token.timeoutMs: whole number'),
  refused('no attempts', { 'token.maxAttempts': 0 }, 'token.maxAttempts: from 1 to 10'),
  refused('eleven attempts', { 'token.maxAttempts': 11 }, 'token.maxAttempts: from 1 to 10'),
  refused('one and a half attempts', { 'token.maxAttempts': 1.5 }, 'token.maxAttempts: whole number'),
  refused('a negative leeway', { 'token.expiryLeewayMs': -1 }, 'token.expiryLeewayMs: 0 or more'),
  refused(
    'a leeway that is no number',
    { 'token.expiryLeewayMs': Number.NaN },
    'token.expiryLeewayMs: whole number',
  ),
  refused('renewing after expiry', { 'token.renewAheadMs': -5 }, 'token.renewAheadMs: 0 or more'),
  refused(
    'a misspelt member of token',
    { 'token.timeoutMS': 5000 },
    'token.timeoutMS: Did you mean timeoutMs?',
  ),
  refused(
    'an unknown member of token',
    { 'token.scope': 'canary' },
    'token.scope: Known here: timeoutMs, maxAttempts, expiryLeewayMs, renewAheadMs, atBoot.',
  ),

  // http
  refused('a list as http', { http: [] }, 'http: not a list'),
  refused('a negative timeout of calls', { 'http.timeoutMs': -1 }, 'http.timeoutMs: from 1 to 600000'),
  refused(
    'a text as switch',
    { 'http.retryUnauthorized': 'canary' },
    'http.retryUnauthorized: true or false',
  ),
  refused('too many redirects', { 'http.maxRedirects': 21 }, 'http.maxRedirects: from 0 to 20'),
  refused('a negative number of redirects', { 'http.maxRedirects': -1 }, 'http.maxRedirects: from 0 to 20'),
  refused(
    'an Authorization header',
    { 'http.headers.Authorization': 'canary' },
    'http.headers.Authorization: Remove it',
  ),
  refused(
    'an authorization header in other letters',
    { 'http.headers.aUTHORIZATION': 'canary' },
    'http.headers.aUTHORIZATION: Remove it',
  ),
  refused(
    'a header with a space in its name',
    { 'http.headers': { 'X canary': '1' } },
    'http.headers.[not a name]: not the name of an HTTP header',
  ),
  refused(
    'a header with a line break',
    { 'http.headers.X-Trace': 'canary\r\nX-Other: 1' },
    'http.headers.X-Trace: cannot carry',
  ),
  refused('a number as header', { 'http.headers.X-Count': 5 }, 'http.headers.X-Count: not a number'),
  refused(
    'headers of fetch',
    { 'http.headers': new Headers({ 'x-key': 'canary' }) },
    'http.headers: plain object',
  ),
  refused(
    'headers in a map',
    { 'http.headers': new Map([['x-key', 'canary']]) },
    'http.headers: plain object',
  ),
  refused('a text as headers', { 'http.headers': 'canary' }, 'http.headers: not a string'),
  refused(
    'an agent that checks no certificates',
    { 'http.httpsAgent': new Agent({ rejectUnauthorized: false, passphrase: 'canary' }) },
    'http.httpsAgent: rejectUnauthorized: false',
  ),
  refused(
    'a proxy agent that checks no certificates',
    { 'http.httpsAgent': { addRequest() {}, connectOpts: { rejectUnauthorized: false } } },
    'http.httpsAgent: rejectUnauthorized: false',
  ),
  refused('an agent for http', { 'http.httpsAgent': new HttpAgent() }, 'http.httpsAgent: node:https'),
  refused(
    'options instead of an agent',
    { 'http.httpsAgent': { ca: 'canary' } },
    'http.httpsAgent: must be an agent',
  ),
  refused('a text as agent', { 'http.httpsAgent': 'canary' }, 'http.httpsAgent: must be an agent'),
  refused('true as proxy', { 'http.proxy': true }, 'http.proxy: must be false or an object'),
  refused(
    'a URL as proxy',
    { 'http.proxy': 'http://canary:canary@proxy' },
    'http.proxy: must be false or an object',
  ),
  refused(
    'a proxy without host and port',
    { 'http.proxy': {} },
    'http.proxy.host: is missing',
    'http.proxy.port: whole number',
  ),
  refused(
    'a URL as host of the proxy',
    { 'http.proxy': { host: 'http://canary', port: 1 } },
    'http.proxy.host: is not a host',
  ),
  refused(
    'a port beyond the last',
    { 'http.proxy': { host: 'canary', port: 65_536 } },
    'http.proxy.port: from 1 to 65535',
  ),
  refused(
    'another protocol to the proxy',
    { 'http.proxy': { host: 'canary', port: 1, protocol: 'socks5' } },
    'http.proxy.protocol: http or https',
  ),
  refused(
    'credentials of the proxy without a password',
    { 'http.proxy': { host: 'canary', port: 1, auth: { username: 'canary' } } },
    'http.proxy.auth.password: is missing',
  ),
  refused(
    'a text as credentials of the proxy',
    { 'http.proxy': { host: 'canary', port: 1, auth: 'canary:canary' } },
    'http.proxy.auth: must be an object',
  ),
  refused(
    'a misspelt member of the proxy',
    { 'http.proxy': { host: 'canary', port: 1, hostname: 'canary' } },
    'http.proxy.hostname: Known here: host, port, protocol, auth.',
  ),
  refused(
    'a transport that cannot be opened',
    { 'http.transport': { adapter: 'canary' } },
    'http.transport: function `open`',
  ),
  refused('a function as transport', { 'http.transport': () => 'canary' }, 'http.transport: function `open`'),
  refused('a misspelt member of http', { 'http.timeout': 5000 }, 'http.timeout: Did you mean timeoutMs?'),

  // the whole
  refused(
    'an unknown member',
    { scopes: 'canary' },
    'scopes: Known here: environment, interfaces, token, http',
  ),
  refused('a misspelt member', { interface: {} }, 'interface: Did you mean interfaces?'),
  refused('isGlobal among the options of a factory', { isGlobal: false }, 'isGlobal: forRootAsync'),
  refused('a member that is no name', { 'canary canary': 1 }, '[not a name]: is not an option'),

  // what throws when it is touched
  refused(
    'a getter that throws',
    { 'interfaces.easy.sandbox': Object.assign(throwing(), {}) },
    `${EASY}.tokenUrl: is missing`,
    `${EASY}.baseUrl: is missing`,
    `${EASY}.clientId: getter`,
    `${EASY}.clientSecret: is missing`,
  ),
  refused(
    'a hostile proxy as an interface',
    { 'interfaces.easy': hostile() },
    'interfaces.easy.sandbox: getter',
    'interfaces.easy.production: getter',
  ),
  refused(
    'a hostile proxy as client secret',
    { [`${EASY}.clientSecret`]: hostile() },
    `${EASY}.clientSecret: throws when it is touched`,
  ),
  refused(
    'a hostile proxy as agent',
    { 'http.httpsAgent': hostile() },
    'http.httpsAgent: throws when it is touched',
  ),
  refused(
    'a revoked proxy as token',
    { token: revoked() },
    'token.timeoutMs: getter',
    'token.atBoot: getter',
    'token.expiryLeewayMs: getter',
    'token.maxAttempts: getter',
    'token.renewAheadMs: getter',
  ),
];

describe('C4: what is wrong with the options', () => {
  it('is tried in at least 60 ways', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
    expect(new Set(cases.map(({ is }) => is)).size).toBe(cases.length);
  });

  it.each(cases)('C4: refuses $is', async ({ changes, told }) => {
    const { problems } = await configErrorOf(optionsWith(changes));
    expect(problems.map(({ path }) => path)).toEqual(told.map((line) => line.slice(0, line.indexOf(': '))));
    for (const [index, line] of told.entries()) {
      expect(problems[index]?.message).toContain(line.slice(line.indexOf(': ') + 2));
      expect(problems[index]?.message).toMatch(/[.?]$/);
      expect(problems[index]).not.toHaveProperty('env');
    }
  });

  it.each(cases)('S10: shows nothing of $is', async ({ changes }) => {
    expect(shownBy(await configErrorOf(optionsWith(changes))).toLowerCase()).not.toContain(CANARY);
  });
});

describe('C4: options that are no object', () => {
  it.each([undefined, null, 'canary', 5, true, ['canary'], () => 'canary', Symbol('canary')])(
    'C4: are refused: %s',
    async (options) => {
      const error = await configErrorOf(options);
      expect(error.problems.map(({ path }) => path)).toEqual(['(options)']);
      expect(shownBy(error).toLowerCase()).not.toContain(CANARY);
    },
  );

  it('S10: a hostile proxy is refused without a word of its own', async () => {
    const error = await configErrorOf(hostile());
    expect(error.problems.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['environment', 'interfaces', 'token', 'http']),
    );
    expect(shownBy(error).toLowerCase()).not.toContain(CANARY);
  });
});

it('C4: tells all problems of all interfaces in one error, in the order of a configuration', async () => {
  const { problems, code } = await configErrorOf(
    optionsWith({
      'http.headers.Authorization': 'canary',
      'token.maxAttempts': 0,
      'interfaces.easy.production.clientSecret': '',
      'interfaces.easy.sandbox.clientId': '',
      'interfaces.originations.tokenUrl': 'canary',
      'interfaces.originations.sandbox.clientSecret': 'xxx',
      'interfaces.originations.sandbox.baseUrl': 'http://canary',
      environment: 'canary',
      unknown: 1,
    }),
  );
  expect(code).toBe('CONFIG_INVALID');
  expect(problems.map(({ path }) => path)).toEqual([
    'environment',
    'interfaces.originations.tokenUrl',
    'interfaces.originations.sandbox.baseUrl',
    'interfaces.originations.sandbox.clientSecret',
    'interfaces.easy.sandbox.clientId',
    'interfaces.easy.production.clientSecret',
    'token.maxAttempts',
    'http.headers.Authorization',
    'unknown',
  ]);
});

it('S9: an environment variable that switches certificates off for the process is refused', async () => {
  const error = await configErrorOf(optionsWith({}), { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  expect(error.problems).toEqual([
    {
      path: 'http.httpsAgent',
      env: 'NODE_TLS_REJECT_UNAUTHORIZED',
      message: expect.stringContaining('Remove it'),
    },
  ]);
});
