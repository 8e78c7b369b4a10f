import { describe, expect, it } from 'vitest';
import { validateOptions } from '../../support/application/built-in.js';
import { optionsWith, problemsOf } from '../../support/secrets/config-canaries.js';

const PROXY = { host: 'proxy.example', port: 3128 };

const proxyOf = async (proxy: unknown): Promise<unknown> =>
  (await validateOptions(optionsWith({ 'http.proxy': proxy }), {})).http.proxy;

const problemsWith = (members: object) => problemsOf(optionsWith({ 'http.proxy': { ...PROXY, ...members } }));

describe('C4: http.proxy', () => {
  it.each([
    PROXY,
    { ...PROXY, protocol: 'http' },
    { ...PROXY, protocol: 'https' },
    { ...PROXY, protocol: 'http:' },
    { ...PROXY, protocol: 'https:' },
    { ...PROXY, auth: { username: 'user', password: 'word' } },
    { ...PROXY, auth: { username: 'user', password: '' } },
    { ...PROXY, host: '::1' },
    false,
    undefined,
  ])('is taken as it is, with nothing added: %j', async (proxy) => {
    expect(await proxyOf(proxy)).toStrictEqual(proxy);
  });

  it.each([
    [true, 'a boolean'],
    [null, 'null'],
    ['http://proxy', 'a string'],
    [8080, 'a number'],
  ])('is not %j', async (proxy, kind) => {
    expect(await problemsOf(optionsWith({ 'http.proxy': proxy }))).toEqual([
      { path: 'http.proxy', message: `must be false or an object with host and port, not ${kind}.` },
    ]);
  });

  it('is no list', async () => {
    expect(await problemsOf(optionsWith({ 'http.proxy': [PROXY] }))).toEqual([
      { path: 'http.proxy', message: 'must be an object, not a list.' },
    ]);
  });

  it.each(['http://proxy', 'proxy/path', 'user@proxy', String.raw`a\b`, 'proxy?a', 'proxy#a', 'a b'])(
    'has a host that is the name or the address alone, not %s',
    async (host) => {
      expect(await problemsWith({ host })).toEqual([
        {
          path: 'http.proxy.host',
          message:
            'is not a host. Give the name or the address alone; protocol, port and auth are separate settings.',
        },
      ]);
    },
  );

  it.each([
    [{ host: undefined }, 'host', 'is missing. Set it.'],
    [{ host: '' }, 'host', 'is empty. Set it.'],
    [{ host: 5 }, 'host', 'must be a string, not a number.'],
    [{ port: undefined }, 'port', 'must be a whole number from 1 to 65535.'],
    [{ protocol: 'socks' }, 'protocol', 'must be http or https.'],
    [{ auth: {} }, 'auth.username', 'is missing. Set it.'],
    [{ auth: { username: '', password: '' } }, 'auth.username', 'is empty. Set it.'],
    [{ auth: { username: 'user', password: 5 } }, 'auth.password', 'must be a string, not a number.'],
    [
      { auth: { username: 'user', password: 'word', realm: 'x' } },
      'auth.realm',
      'is not an option. Known here: username, password.',
    ],
    [{ auth: null }, 'auth', 'must be an object, not null.'],
  ])('with %j is refused with the wrong member', async (members, member, message) => {
    expect(await problemsWith(members)).toContainEqual({ path: `http.proxy.${member}`, message });
  });
});
