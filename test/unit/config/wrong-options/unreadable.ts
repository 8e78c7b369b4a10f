import type { Tree } from '../../../support/secrets/config-canaries.js';
import { EASY, type Refusal, refused } from './refusal.js';

const throwing = (): Tree =>
  Object.defineProperty({}, 'clientId', {
    enumerable: true,
    get: () => {
      throw new Error('canary in a getter');
    },
  });

export const hostile = (): object =>
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

export const UNREADABLE: readonly Refusal[] = [
  refused(
    'a getter that throws',
    { 'interfaces.easy.sandbox': Object.assign(throwing(), {}) },
    `${EASY}.tokenUrl: is missing`,
    `${EASY}.baseUrl: is missing`,
    `${EASY}.clientId: getter`,
    `${EASY}.clientSecret: is missing`,
  ),
  refused(
    'a proxy that throws as an interface',
    { 'interfaces.easy': hostile() },
    'interfaces.easy.sandbox: getter',
    'interfaces.easy.production: getter',
  ),
  refused(
    'a proxy that throws as client secret',
    { [`${EASY}.clientSecret`]: hostile() },
    `${EASY}.clientSecret: throws when it is touched`,
  ),
  refused(
    'a proxy that throws as agent',
    { 'http.httpsAgent': hostile() },
    'http.httpsAgent: throws when it is touched',
  ),
  refused('a revoked proxy as token', { token: revoked() }, 'token: throws when it is touched'),
];
