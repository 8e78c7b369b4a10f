import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { Agent } from 'node:https';
import { describe, expect, it } from 'vitest';
import { type AdapterTraits, traitsOf, traitsOfTransport } from '../../../lib/http/adapter/adapter-traits.js';
import { Call } from '../../../lib/http/call.js';
import { IDENTITY, TokenIdentity } from '../../../lib/token/token-identity.js';
import { FakeClock } from '../../support/token/fake-clock.js';

const adapter = () => Promise.reject(new Error('unused'));
const close = (): Promise<void> => Promise.resolve();

const TRAITS = {
  'axios’ http adapter': traitsOf('http'),
  'axios’ fetch adapter': traitsOf('fetch'),
  'an adapter of the application': traitsOf(adapter),
  'a transport': traitsOfTransport({ adapter, close }),
  'a transport that acts as the http adapter': traitsOfTransport({ adapter, actsAsHttp: true, close }),
} satisfies Record<string, AdapterTraits>;

function callOf(further: object = {}, traits: AdapterTraits = TRAITS['a transport'], agents?: object): Call {
  const config = { method: 'post', headers: new AxiosHeaders(), ...further };
  return new Call(config as InternalAxiosRequestConfig, traits, new FakeClock(), agents);
}

describe('a call', () => {
  const pair = { provider: 'provider', interface: 'easy', environment: 'sandbox' };

  it.each<[string, object | undefined, object]>([
    ['the pair', undefined, pair],
    ['the pair, if only the scope is another one', { scope: 'a' }, pair],
    ['the pair with its account', { account: 'one', scope: 'a' }, { ...pair, account: 'one' }],
  ])('B33: is about %s', (_, target, subject) => {
    const call = callOf({ [IDENTITY]: target && TokenIdentity.of(target) });
    expect(call.identity).toEqual(target);
    expect(call.subjectIn(pair)).toStrictEqual(subject);
  });

  it('B33 B12: is about nothing else that a profile has', () => {
    const call = callOf({ [IDENTITY]: TokenIdentity.of({ account: 'one' }) });
    expect(call.subjectIn({ ...pair, clientSecret: 'canary' } as never)).toEqual({ ...pair, account: 'one' });
  });

  it.each([null, '', 'one', { account: 'one' }])(
    'B33: refuses the identity %j, so that no other value means the pair',
    (value) => {
      expect(() => callOf({ [IDENTITY]: value })).toThrow(
        new TypeError('The member _tokenIdentity of a config comes from for() only.'),
      );
    },
  );

  it('B33 B36: takes no identity from a prototype', () => {
    const config = Object.create({ [IDENTITY]: 'one' }) as InternalAxiosRequestConfig;
    expect(new Call(config, TRAITS['a transport'], new FakeClock()).identity).toBeUndefined();
  });

  it.each<[keyof typeof TRAITS, boolean]>([
    ['axios’ http adapter', false],
    ['a transport', false],
    ['a transport that acts as the http adapter', false],
    ['axios’ fetch adapter', true],
    ['an adapter of the application', true],
  ])('B29: by %s says nothing about the settings, if it fails: %s', (name, isOwn) => {
    expect(callOf({}, TRAITS[name]).hasOwnConnection).toBe(isOwn);
  });

  it.each([
    ['proxy', { host: 'proxy.example', port: 3128 }],
    ['socketPath', '/tmp/socket'],
    ['lookup', () => undefined],
    ['family', 6],
    ['transport', {}],
    ['http2Options', {}],
  ])('B29: with its own %s says nothing about the settings', (name, value) => {
    expect(callOf({ [name]: value }).hasOwnConnection).toBe(true);
    expect(callOf({ [name]: undefined }).hasOwnConnection).toBe(false);
  });

  it('B29: with its own agents says nothing about the settings', () => {
    const call = callOf({}, undefined, { httpsAgent: new Agent() });
    expect([call.hasAgents, call.hasOwnConnection]).toEqual([true, true]);
    expect(callOf().hasAgents).toBe(false);
  });

  it('B12 B29: takes the agents out of its config, also those that it gets later', () => {
    const [httpsAgent, dispatcher] = [new Agent(), { dispatch: () => true }];
    const call = callOf({ httpsAgent });
    expect(call.takeAgents()).toEqual({ httpsAgent });
    expect(call.config).not.toHaveProperty('httpsAgent');
    Object.assign(call.config, { fetchOptions: { dispatcher } });
    expect(call.takeAgents()).toEqual({ httpsAgent, dispatcher });
    expect(call.config).toHaveProperty('fetchOptions', {});
    expect([call.hasAgents, call.hasOwnConnection]).toEqual([true, true]);
  });
});
