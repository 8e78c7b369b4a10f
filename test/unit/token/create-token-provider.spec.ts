import { Logger } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { ClientCredential } from '../../../lib/secrets/client-credential.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import type { TokenRequests } from '../../../lib/token/endpoint/token-endpoint.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';
import {
  CANARY,
  failureOf,
  errorOf,
  MINUTE,
  profileOf,
  TOKEN_SETTINGS,
  tokenOf,
  tokensOf,
} from '../../support/token/token-fixtures.js';

const token = { ...TOKEN_SETTINGS, expiryLeewayMs: MINUTE };
const http = { httpsAgent: undefined, proxy: undefined };

const accounts = async (name: string) => ({
  clientId: name,
  clientSecret: `${CANARY.secret} of ${name}`,
});

/** An account whose provider has made room for another one. The store still has its token. */
async function droppedAccount() {
  const clock = new FakeClock();
  const store = new MemoryTokenStore(() => clock.wall());
  let issued = 0;
  const request = async () => tokenOf(clock, `token-${(issued += 1)}`);
  const provider = tokensOf(clock, request, { token: { maxAccounts: 1 }, store, accounts });
  const one = provider.for({ account: 'one' });
  const refused = await one.getToken();
  await provider.for({ account: 'other' }).getToken();
  return { one, refused };
}

describe('the token provider of a profile', () => {
  it.each<[...what: [active: boolean, atBoot: 'no' | 'try', account?: string], level: 'warn' | 'error']>([
    [true, 'try', undefined, 'warn'],
    [true, 'no', undefined, 'error'],
    [false, 'try', undefined, 'error'],
    [true, 'try', 'one', 'error'],
  ])(
    'B29: active %j, atBoot %j, account %j: the first failure is logged as %s',
    async (active, atBoot, account, level) => {
      const lines = (['warn', 'error'] as const).map((one) =>
        vi.spyOn(Logger.prototype, one).mockReturnValue(),
      );
      const tokens = tokensOf(new FakeClock(), () => Promise.reject(failureOf()), {
        profile: { active },
        token: { atBoot, maxAttempts: 1 },
        accounts,
      });
      await errorOf((account === undefined ? tokens : tokens.for({ account })).getToken());
      expect(lines.map(({ mock }) => mock.calls.length)).toEqual(level === 'warn' ? [1, 0] : [0, 1]);
    },
  );

  it('B33 B28: says what is wrong with for(), in a separate error for each caller', async () => {
    const tokens = tokensOf(new FakeClock(), () => Promise.reject(failureOf())).for({ scope: 'read' });
    const [one, other] = await Promise.all([errorOf(tokens.getToken()), errorOf(tokens.getToken())]);
    expect(one).toMatchObject({
      code: 'NOT_CONFIGURED',
      message:
        'nestjs-provider-auth: scope of for() cannot be used: the token request of this provider has no scope. Leave it out, or define a provider that has one.',
    });
    expect(other).toEqual(one);
    expect(other).not.toBe(one);
  });

  it('B33: for() of an account or a scope adds to it, and its status keeps nothing', async () => {
    const clock = new FakeClock();
    const seen: unknown[] = [];
    const provider = createTokenProvider(
      profileOf({ provider: 'warehouse', terms: { scope: 'all' } }),
      { token, http, accounts },
      clock,
      Math.random,
      ({ terms }) => ({
        async request({ clientId }) {
          seen.push([clientId?.reveal(), terms?.scope]);
          return tokenOf(clock, 'canary');
        },
      }),
    );
    const one = provider.for({ account: 'one' });
    const reading = one.for({ scope: 'read' });
    for (const tokens of [reading, one.for({}), one, one.for({ account: 'two' })]) await tokens.getToken();
    expect(seen).toEqual([
      ['one', 'read'],
      ['one', 'all'],
      ['two', 'all'],
    ]);
    expect(reading.status()).toMatchObject({ interface: 'easy', environment: 'sandbox', state: 'valid' });
    expect(one.for({ account: 'never used' }).status().state).toBe('empty');
    expect(provider.status().accounts).toEqual({ tokens: 3, failing: 0 });
  });

  it('B9: a secret function that asks for the same token waits for its own renewal, and the error says so', async () => {
    const clock = new FakeClock();
    const read = vi.fn<() => Promise<ClientCredential>>(async () => {
      await tokens.getToken();
      return new ClientCredential(CANARY.secret);
    });
    const profile = { clientSecret: { read } };
    const tokens = tokensOf(clock, () => Promise.reject(failureOf()), { profile });
    const failed = errorOf(tokens.getToken());
    await clock.advance(token.timeoutMs);
    expect(await failed).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      message: expect.stringContaining('reading the client secret took too long'),
    });
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('B9: a seal key function that asks for the same token waits for its own renewal, once', async () => {
    const clock = new FakeClock();
    const sealKey = vi.fn<() => Promise<Secret>>(async () => {
      await tokens.getToken();
      return new Secret('k'.repeat(32));
    });
    const store = Object.assign(new MemoryTokenStore(() => clock.wall()), { sealKey });
    const request = async () => tokenOf(clock, 'without the fleet');
    const tokens = tokensOf(clock, request, { profile: { credential: 'certificate' }, store });
    const given = tokens.getToken();
    await clock.advance(token.timeoutMs);
    expect((await given).reveal()).toBe('without the fleet');
    expect(sealKey).toHaveBeenCalledTimes(1);
  });

  it('B33: gives no refused token again, also if the provider of the account was made again', async () => {
    const { one, refused } = await droppedAccount();
    expect((await one.renew(refused)).reveal()).not.toBe(refused.reveal());
  });

  it('B33: gives no refused token again, also if a request that began before the refusal takes it from the store', async () => {
    const { one, refused } = await droppedAccount();
    const before = one.getToken();
    const renewed = await one.renew(refused);
    expect((await before).reveal()).toBe(refused.reveal());
    expect(renewed.reveal()).toBe('token-3');
    expect((await one.getToken()).reveal()).toBe('token-3');
  });

  it('B9: close ends the request of an account whose callers have all left, and no other', async () => {
    const clock = new FakeClock();
    const signals: (AbortSignal | undefined)[] = [];
    const request: TokenRequests['request'] = (_credential, _withinMs, { signal } = {}) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const provider = tokensOf(clock, request, { accounts });
    const leaving = new AbortController();
    const left = provider.for({ account: 'left' }).getToken({ signal: leaving.signal });
    void provider.for({ account: 'waiting' }).getToken();
    await settled();
    leaving.abort();
    await errorOf(left);
    provider.close();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  });

  it('B35: a pair that only accounts use is in use as well', async () => {
    const clock = new FakeClock();
    const request = () => Promise.resolve(tokenOf(clock, 'one'));
    const provider = tokensOf(clock, request, { profile: { active: false }, accounts });
    const merchant = provider.for({ account: 'merchant' });
    merchant.status();
    expect(provider.isInUse).toBe(false);
    await merchant.getToken();
    expect(provider.isInUse).toBe(true);
    await clock.advance(10 * MINUTE);
    expect(provider.isInUse).toBe(false);
  });

  it.each([
    ['alone', undefined],
    ['in a fleet', new MemoryTokenStore()],
  ])('B7: a corrected id of an unchanged key ends the cool-down, %s', async (_, store) => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const clock = new FakeClock();
    let keyId = 'wrong';
    const clientSecret = { read: async () => new ClientCredential(CANARY.secret, { keyId }) };
    const request: TokenRequests['request'] = async (credential) => {
      if (credential.keyId === 'wrong') throw failureOf('TOKEN_REJECTED');
      return tokenOf(clock, 'canary');
    };
    const provider = tokensOf(clock, request, { profile: { clientSecret, credential: 'key' }, store });
    // The cool-down of the fourth refusal is half a minute and more.
    for (let refusals = 0; refusals < 4; refusals += 1) {
      await errorOf(provider.getToken());
      await clock.advance(50_000);
    }
    await errorOf(provider.getToken());
    keyId = 'right';
    // A note of the refusal may hold the process back for one look.
    for (let looks = 0; looks < 3 && provider.status().state !== 'valid'; looks += 1) {
      await clock.advance(1_000);
      await provider.getToken().catch(() => undefined);
    }
    expect(provider.status().state).toBe('valid');
  });
});
