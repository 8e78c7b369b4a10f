import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { obtainTokensAtBoot } from '../../../lib/module/provider-service.js';
import type { TokenProvider } from '../../../lib/token/token-provider.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';
import { errorOf, failureOf, tokenOf, Watched } from '../../support/token/token-fixtures.js';

/** A provider whose token request ends when the test answers it. */
class SteeredProvider {
  calls = 0;
  give!: (token: AccessToken) => void;
  fail!: (error: unknown) => void;

  constructor(readonly active = true) {}

  getToken(): Promise<AccessToken> {
    this.calls += 1;
    return new Promise((give, fail) => {
      this.give = give;
      this.fail = fail;
    });
  }
}

const token = tokenOf(new FakeClock(), 'one');

function boot(atBoot: 'no' | 'try' | 'require', ...providers: SteeredProvider[]): Watched<void> {
  return new Watched(obtainTokensAtBoot(providers as unknown as TokenProvider[], atBoot));
}

describe('B29: the tokens of a boot', () => {
  it('B29: no sends no request and waits for nothing', async () => {
    const provider = new SteeredProvider();
    const booted = boot('no', provider);
    await settled();
    expect([booted.state, provider.calls]).toEqual(['given', 0]);
  });

  it.each(['try', 'require'] as const)(
    'B29: %s asks for all active pairs at the same time, and waits for all',
    async (atBoot) => {
      const [one, passive, other] = [
        new SteeredProvider(),
        new SteeredProvider(false),
        new SteeredProvider(),
      ] as const;
      const booted = boot(atBoot, one, passive, other);
      expect([one.calls, passive.calls, other.calls]).toEqual([1, 0, 1]);
      one.give(token);
      await settled();
      expect(booted.state).toBe('waiting');
      other.give(token);
      await settled();
      expect(booted.state).toBe('given');
    },
  );

  it('B29: try goes on after pairs that failed', async () => {
    const [one, other] = [new SteeredProvider(), new SteeredProvider()] as const;
    const booted = boot('try', one, other);
    one.fail(failureOf());
    other.fail(failureOf('TOKEN_REJECTED'));
    await settled();
    expect(booted.state).toBe('given');
  });

  it('B29: require ends with the error of the first pair that failed, after all requests have ended', async () => {
    const [good, first, second] = [
      new SteeredProvider(),
      new SteeredProvider(),
      new SteeredProvider(),
    ] as const;
    const booted = boot('require', good, first, second);
    const error = failureOf();
    second.fail(failureOf('TOKEN_REJECTED'));
    first.fail(error);
    await settled();
    expect(booted.state).toBe('waiting');
    good.give(token);
    await settled();
    expect(booted).toMatchObject({ state: 'failed', error });
  });

  it('a fault of this library ends the boot, also with try', async () => {
    const [failed, broken] = [new SteeredProvider(), new SteeredProvider()] as const;
    const booted = obtainTokensAtBoot([failed, broken] as unknown as TokenProvider[], 'try');
    const bug = new TypeError('bug');
    failed.fail(failureOf());
    broken.fail(bug);
    expect(await errorOf(booted)).toBe(bug);
  });
});
