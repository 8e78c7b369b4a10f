import { REMOVED } from '../../../support/secrets/config-canaries.js';
import { EASY, ORIGINATIONS, type Refusal, refused } from './refusal.js';

export const ADDRESSES: readonly Refusal[] = [
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
    'a token URL that is the placeholder of the document',
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
  refused(
    'a base URL with the port 0',
    { [`${EASY}.baseUrl`]: 'https://canary.example:0' },
    `${EASY}.baseUrl: has the port 0`,
  ),
  refused(
    'a base URL with an IP address in an unusual form',
    { [`${EASY}.baseUrl`]: 'https://127.1/v1' },
    `${EASY}.baseUrl: which means 127.0.0.1`,
  ),
  refused(
    'a base URL with a part of its host that is too long',
    { [`${EASY}.baseUrl`]: `https://${'a'.repeat(64)}.canary.example` },
    `${EASY}.baseUrl: is longer than 63 characters`,
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
    'a base URL that is the placeholder of the document',
    { [`${EASY}.baseUrl`]: '{base_url}' },
    `${EASY}.baseUrl: placeholder`,
  ),
  refused(
    'a base URL of an example',
    { [`${EASY}.baseUrl`]: 'https://your-api-host/v1' },
    `${EASY}.baseUrl: placeholder`,
  ),
  refused(
    'a token URL as base URL',
    { [`${EASY}.baseUrl`]: 'https://canary.example/auth/v0/connect/token' },
    `${EASY}.baseUrl: is a token URL`,
  ),
];
