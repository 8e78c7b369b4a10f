import { expect } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import { Deadline } from '../../../lib/time/clock.js';
import type { Failure } from '../../../lib/token/outage.js';
import type { TokenNeed } from '../../../lib/token/token-need.js';
import { Tokens } from '../../../lib/token/tokens.js';
import { TroubleReport } from '../../../lib/token/trouble-report.js';
import { FakeClock } from './fake-clock.js';
import { HOUR, MINUTE, profileOf, SteeredSource, tokenOf } from './token-fixtures.js';

/** Also says what has failed, as a renewal does. Its cool-down ends at the `retryAt` of the error. */
class FailingSource extends SteeredSource {
  failure: Failure | undefined;

  constructor(private readonly clock: FakeClock) {
    super();
  }

  override async obtain(need: TokenNeed): Promise<AccessToken> {
    try {
      const token = await super.obtain(need);
      this.failure = undefined;
      return token;
    } catch (error) {
      if (error instanceof TokenRequestError && !need.signal?.aborted) {
        const at = Deadline.after(this.clock, 0);
        this.failure = { error, at, until: at.plus((error.retryAt?.getTime() ?? at.wall) - at.wall) };
      }
      throw error;
    }
  }
}

/** A `Tokens` with a fake clock and a source that the test answers. */
export function givenProvider(
  settings: { expiryLeewayMs?: number; renewAheadMs?: number } = {},
  store?: { readonly isFailing: boolean; readonly asked: () => void },
  profile = profileOf(),
) {
  const clock = new FakeClock();
  const source = new FailingSource(clock);
  const lines: string[] = [];
  const line = (message: unknown): void => void lines.push(String(message));
  const provider = new Tokens({
    profile,
    settings: { expiryLeewayMs: 0, renewAheadMs: 0, ...settings },
    source,
    report: new TroubleReport(profile, { error: line, warn: line, log: line }),
    clock,
    store,
  });
  /** A caller starts a request and gets this token from it. */
  async function obtain(value: string, lifetimeMs = HOUR): Promise<AccessToken> {
    const call = provider.getToken();
    const token = tokenOf(clock, value, lifetimeMs);
    source.last.give(token);
    expect(await call).toBe(token);
    return token;
  }
  /** After a 401 a caller renews `refused` and gets this token. */
  async function renew(refused: AccessToken, value: string): Promise<AccessToken> {
    const call = provider.renew(refused);
    const token = tokenOf(clock, value);
    source.last.give(token);
    expect(await call).toBe(token);
    return token;
  }
  return { clock, source, lines, provider, obtain, renew };
}

/** The same, 5 minutes before the end of its first token, while a renewal ahead is under way. */
export async function givenRenewalAhead() {
  const all = givenProvider({ renewAheadMs: 5 * MINUTE });
  const one = await all.obtain('one');
  await all.clock.advance(55 * MINUTE);
  await all.provider.getToken();
  return { ...all, one, renewal: all.source.last };
}
