import { Agent as HttpAgent } from 'node:http';
import { Agent } from 'node:https';
import { type Refusal, refused } from './refusal.js';

export const TOKEN_AND_HTTP: readonly Refusal[] = [
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
    'token.scope: Known here: timeoutMs, maxAttempts, expiryLeewayMs, renewAheadMs, atBoot, maxAccounts.',
  ),

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
  refused(
    'an agent beside a transport',
    { 'http.httpsAgent': new Agent(), 'http.transport': { open: () => ({}) } },
    'http.httpsAgent: Set certificates in tls',
  ),
  refused('a misspelt member of http', { 'http.timeout': 5000 }, 'http.timeout: Did you mean timeoutMs?'),
];
