import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { isAuthorization } from '../../../lib/http/authorization-header.js';
import { hasOwnCredentials, namesAnotherHost } from '../../../lib/http/own-credentials.js';

function configOf(headers: object, request: object = {}): InternalAxiosRequestConfig {
  return { headers: Object.assign(new AxiosHeaders(), headers), ...request };
}

describe("a caller's own credentials", () => {
  it.each([['Authorization'], ['authorization'], ['AUTHORIZATION']])('R25: are a header %s', (name) => {
    expect(hasOwnCredentials(configOf({ Accept: '*/*', [name]: 'Basic own' }))).toBe(true);
    expect(isAuthorization(name)).toBe(true);
  });

  it('R25: are a user name and a password', () => {
    expect(hasOwnCredentials(configOf({}, { auth: { username: 'me', password: 'mine' } }))).toBe(true);
  });

  it.each([['X-Api-Version'], ['Proxy-Authorization'], ['Authorizatio']])(
    'S7: are no header %s, however like it is',
    (name) => {
      expect(hasOwnCredentials(configOf({ [name]: 'Basic own' }))).toBe(false);
      expect(isAuthorization(name)).toBe(false);
    },
  );

  it.each([[false], [null], [undefined], [''], [' '], [[]], [['']], [[null, '']], ['\u{4e2d}']])(
    'S7: are no header that is %j',
    (value) => {
      expect(hasOwnCredentials(configOf({ Authorization: value }))).toBe(false);
      expect(hasOwnCredentials(configOf({}))).toBe(false);
    },
  );
});

describe('another host', () => {
  const host = 'api.example.com:8443';

  it.each([
    [{ Host: 'evil.example' }, true],
    [{ host: 'api.example.com' }, true],
    [{ HOST: 'API.example.com:8443' }, false],
    [{ Host: false }, false],
    [{ Date: 'evil.example' }, false],
    [{ 'X-Host': 'evil.example' }, false],
    [{}, false],
  ])('S6: is named by %j: %s', (headers, named) => {
    expect(namesAnotherHost(configOf(headers), host)).toBe(named);
  });
});
