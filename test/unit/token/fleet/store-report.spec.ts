import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreReport } from '../../../../lib/token/fleet/guarded-store.js';

const retryAt = new Date(1_000_000);

function givenReport(host?: string) {
  const lines: string[] = [];
  const report = new StoreReport(
    {
      warn: (line) => void lines.push(`warn ${line}`),
      log: (line) => void lines.push(`log ${line}`),
    },
    host,
  );
  const events: unknown[] = [];
  const listen = (event: unknown): void => void events.push(event);
  subscribe('provider-auth:store-state', listen);
  onTestFinished(() => void unsubscribe('provider-auth:store-state', listen));
  return { lines, events, report };
}

describe('the report on a store', () => {
  it('B10: logs why the store fails, what that means and what to do, and publishes an event', () => {
    const { lines, events, report } = givenReport();
    for (let failures = 0; failures < 3; failures += 1) report.failing('ECONNREFUSED', retryAt);
    expect(lines).toEqual([
      'warn The token store fails (ECONNREFUSED). Requests go on: this process requests its own tokens and tries ' +
        'the store again by itself. Check the store and the connection to it. (STORE_FAILING)',
    ]);
    expect(events).toEqual([{ state: 'failing', why: 'ECONNREFUSED', retryAt }]);
  });

  it.each([
    ['NOAUTH', 'user and password'],
    ['WRONGPASS', 'user and password'],
    ['NOPERM', 'rights of the user'],
  ])('B29: says what to check if Redis refuses the user: %s', (why, what) => {
    const { lines, report } = givenReport();
    report.failing(why, retryAt);
    expect(lines[0]).toContain(`again by itself. Check the ${what} of the Redis client. (STORE_FAILING)`);
  });

  it('B10: logs once when the store works again', () => {
    const { lines, events, report } = givenReport();
    report.recovered();
    expect(lines).toEqual([]);
    report.failing('ECONNREFUSED', retryAt);
    report.recovered();
    report.recovered();
    expect(lines.slice(1)).toEqual(['log The token store works again. (STORE_RECOVERED)']);
    expect(events.slice(1)).toEqual([{ state: 'recovered' }]);
  });

  it('B29: says that another part still fails, without an event', () => {
    const { lines, events, report } = givenReport();
    report.failing('ECONNREFUSED', retryAt);
    report.recovered(true);
    expect(lines.slice(1)).toEqual([
      'log This part of the token store works again, but another part still fails. (STORE_RECOVERED)',
    ]);
    expect(events).toHaveLength(1);
  });

  it('B35: names the host of the store when it fails and when it works again', () => {
    const { lines, report } = givenReport('redis.internal:6379');
    report.failing('WRONGPASS', retryAt);
    report.recovered();
    expect(lines).toEqual([
      expect.stringMatching(
        /^warn The token store fails \(WRONGPASS\)\. .* \(STORE_FAILING, redis\.internal:6379\)$/,
      ),
      'log The token store works again. (STORE_RECOVERED, redis.internal:6379)',
    ]);
  });
});
