import { Logger } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import type { Profile } from '../../../lib/config/options/profile.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import type { TokenRequests } from '../../../lib/token/endpoint/token-endpoint.js';
import { TokenOrigins } from '../../../lib/token/token-origins.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';
import {
  errorOf,
  failureOf,
  MINUTE,
  TOKEN_SETTINGS,
  tokenOf,
  tokensOf,
  Watched,
} from '../../support/token/token-fixtures.js';

const MOST_AT_ONCE = 32;
/** One place is for the pair's own token. */
const MOST_ACCOUNTS = MOST_AT_ONCE - 1;

interface Sent {
  readonly account: string | undefined;
  readonly withinMs: number;
  readonly answer: (result?: Error) => void;
}

/** Token providers of one application, whose token requests a test answers. */
class Application {
  readonly clock = new FakeClock();
  readonly sent: Sent[] = [];
  /** Accounts whose credentials are never found. */
  readonly hanging = new Set<string>();
  readonly #origins = new TokenOrigins(this.clock);

  provider(profile: Partial<Profile> = {}, store?: MemoryTokenStore) {
    const accounts = (account: string) =>
      this.hanging.has(account)
        ? new Promise<never>(() => {})
        : { clientId: account, clientSecret: `secret of ${account}` };
    const token = { maxAttempts: 2, expiryLeewayMs: MINUTE };
    const origins = this.#origins;
    return tokensOf(this.clock, this.#request, { profile, token, random: () => 1, store, accounts, origins });
  }

  readonly #request: TokenRequests['request'] = ({ clientId }, withinMs, { signal } = {}) =>
    new Promise<AccessToken>((resolve, reject) => {
      const answer = (error?: Error): void =>
        error ? reject(error) : resolve(tokenOf(this.clock, `of-${clientId?.reveal()}`));
      signal?.addEventListener('abort', () => answer(failureOf()));
      this.sent.push({ account: clientId?.reveal(), withinMs, answer });
    });

  get names(): (string | undefined)[] {
    return this.sent.map(({ account }) => account);
  }
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `merchant-${index}`);

type Provider = ReturnType<Application['provider']>;

function ask(provider: Provider, accounts: readonly string[]): Watched<AccessToken>[] {
  return accounts.map((account) => new Watched(provider.for({ account }).getToken()));
}

describe('many accounts without a token', () => {
  it('B39: no more token requests than places are sent at once, the first to come is the first to go', async () => {
    const app = new Application();
    const calls = ask(app.provider(), names(300));
    await settled();
    expect(app.names).toEqual(names(MOST_ACCOUNTS));
    for (let index = 0; index < 300; index += 1) {
      app.sent[index]?.answer();
      await settled();
      expect(app.sent).toHaveLength(Math.min(300, index + 1 + MOST_ACCOUNTS));
    }
    expect(app.names).toEqual(names(300));
    expect(calls.every(({ state }) => state === 'given')).toBe(true);
  });

  it('B39: all pairs of an application with the same token origin share the places, others do not', async () => {
    const app = new Application();
    const [one, sameOrigin, other] = [
      app.provider({ tokenUrl: 'https://login.example/one' }),
      app.provider({ tokenUrl: 'https://login.example/other' }),
      app.provider({ tokenUrl: 'https://login.example:8443/one' }),
    ];
    ask(one, names(20));
    ask(sameOrigin, names(20));
    await settled();
    expect(app.sent).toHaveLength(MOST_AT_ONCE - 2);
    ask(other, names(20));
    await settled();
    expect(app.sent).toHaveLength(MOST_AT_ONCE - 2 + 20);
  });

  it("B39: the requests for the pairs' own tokens wait for no account", async () => {
    const app = new Application();
    const [one, other] = [app.provider(), app.provider({ environment: 'production' })];
    ask(one, names(300));
    await settled();
    const own = [one, other].map((provider) => new Watched(provider.getToken()));
    await settled();
    expect(app.names.slice(-2)).toEqual([undefined, undefined]);
    expect(app.sent).toHaveLength(MOST_AT_ONCE);
    for (const { account, answer } of app.sent) if (account === undefined) answer();
    await settled();
    expect(own.map(({ state }) => state)).toEqual(['given', 'given']);
  });

  it('B39: during the pause before another attempt, the place is free for another account', async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const app = new Application();
    ask(app.provider(), names(MOST_ACCOUNTS + 1));
    await settled();
    app.sent[0]?.answer(failureOf('TOKEN_UNAVAILABLE', { transient: true }));
    await settled();
    expect(app.names.at(-1)).toBe(`merchant-${MOST_ACCOUNTS}`);
    // The second attempt needs a place again.
    await app.clock.advance(100);
    expect(app.sent).toHaveLength(MOST_ACCOUNTS + 1);
    app.sent[1]?.answer();
    await settled();
    expect(app.names.at(-1)).toBe('merchant-0');
  });

  it('B39: an account whose credentials are slow holds no place', async () => {
    const app = new Application();
    for (const name of names(100)) app.hanging.add(name);
    const provider = app.provider();
    ask(provider, names(100));
    await settled();
    ask(provider, ['fast']);
    await settled();
    expect(app.names).toEqual(['fast']);
  });

  it('B39: the wait for a place is not part of the time of an attempt', async () => {
    const app = new Application();
    ask(app.provider(), names(MOST_ACCOUNTS + 1));
    await app.clock.advance(MINUTE);
    app.sent[0]?.answer();
    await settled();
    expect(app.sent.at(-1)).toMatchObject({
      account: `merchant-${MOST_ACCOUNTS}`,
      withinMs: TOKEN_SETTINGS.timeoutMs,
    });
  });

  it('B9 B39: a closed application sends no request that waited for a place and that no caller waits for', async () => {
    const app = new Application();
    const provider = app.provider();
    ask(provider, names(MOST_ACCOUNTS));
    await settled();
    const leaving = new AbortController();
    const left = provider.for({ account: 'left' }).getToken({ signal: leaving.signal });
    ask(provider, ['waiting']);
    await settled();
    leaving.abort();
    await errorOf(left);
    provider.close();
    app.sent[0]?.answer();
    await settled();
    expect(app.names.slice(MOST_ACCOUNTS)).toEqual(['waiting']);
  });

  it('B10 B39: whoever waits for the lease of another process holds no place', async () => {
    const store = new MemoryTokenStore();
    const [one, other] = [new Application(), new Application()];
    ask(one.provider({}, store), names(MOST_ACCOUNTS));
    await settled();
    expect(one.names).toEqual(names(MOST_ACCOUNTS));
    const provider = other.provider({}, store);
    ask(provider, names(MOST_ACCOUNTS));
    await settled();
    expect(other.names).toEqual([]);
    ask(provider, ['another']);
    await settled();
    expect(other.names).toEqual(['another']);
  });

  it('B10 B39: no lease is claimed before there is a place', async () => {
    const store = new MemoryTokenStore();
    const claimed = vi.spyOn(store, 'claim');
    const app = new Application();
    const provider = app.provider({}, store);
    ask(provider, names(MOST_ACCOUNTS));
    await settled();
    claimed.mockClear();
    ask(provider, ['another']);
    await settled();
    expect(claimed).not.toHaveBeenCalled();
    app.sent[0]?.answer();
    await settled();
    expect(claimed).toHaveBeenCalled();
    expect(app.names.at(-1)).toBe('another');
  });
});
