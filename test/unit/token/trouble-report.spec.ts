import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Logger } from '@nestjs/common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import { LOG_CONTEXT } from '../../../lib/logging/safe-logger.js';
import { secretSourceFailure } from '../../../lib/token/endpoint/token-failures.js';
import { sharedThrottles, TroubleReport } from '../../../lib/token/trouble-report.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { failureOf, profileOf } from '../../support/token/token-fixtures.js';

function givenReport(options?: ConstructorParameters<typeof TroubleReport>[2]) {
  const lines: string[] = [];
  const line = (level: string) => (message: unknown) => void lines.push(`${level} ${String(message)}`);
  const logger = { error: line('error'), warn: line('warn'), log: line('log') };
  return { lines, report: new TroubleReport(profileOf(), logger, options) };
}

const unreadable = () => new TokenRequestError(profileOf(), secretSourceFailure('slow', profileOf()));

function givenAccounts() {
  const clock = new FakeClock();
  const sharedThrottle = sharedThrottles(clock);
  return { clock, account: () => givenReport({ sharedThrottle }) };
}

describe('TroubleReport', () => {
  it('B29: logs one line when a provider starts to fail, one for another cause, and one when it works again', () => {
    const { lines, report } = givenReport();
    report.obtained();
    expect(lines).toEqual([]);
    for (let count = 0; count < 100; count += 1) report.failed(failureOf());
    for (let count = 0; count < 100; count += 1) {
      report.failed(failureOf('TOKEN_REJECTED'));
      report.failed(failureOf());
    }
    expect(lines).toEqual([
      `error ${failureOf().message} (TOKEN_UNAVAILABLE, 127.0.0.1:9)`,
      `error ${failureOf('TOKEN_REJECTED').message} (TOKEN_REJECTED, 127.0.0.1:9)`,
    ]);
    report.obtained();
    report.obtained();
    expect(lines.slice(2)).toEqual([AVAILABLE]);
  });

  it('B29: names the source of a secret that could not be read, and the host', () => {
    const { lines, report } = givenReport();
    report.failed(unreadable());
    expect(lines).toEqual([
      expect.stringMatching(
        /^error .* \(TOKEN_UNAVAILABLE, interfaces\.easy\.sandbox\.clientSecret, 127\.0\.0\.1:9\)$/,
      ),
    ]);
  });

  it('B29: a failure that the boot has warned of is an error for the first caller after it', () => {
    const { lines, report } = givenReport({ isTriedAtBoot: true });
    for (let calls = 0; calls < 3; calls += 1) report.failed(failureOf('TOKEN_REJECTED'));
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['warn', 'error']);
    report.obtained();
    report.failed(failureOf());
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['warn', 'error', 'log', 'error']);
  });

  describe('of the accounts of one pair', () => {
    const SHARED = {
      'an unknown account': (report) => report.failed(failureOf('ACCOUNT_UNKNOWN')),
      'an outage': (report) => report.failed(failureOf()),
      'a database of credentials that is down': (report) => report.failed(unreadable()),
      'an attempt that times out': (report) => report.attemptTimedOut(failureOf(), 'expired'),
      'an API that refuses all tokens': (report) => report.renewalsPaused(),
    } satisfies Record<string, (report: TroubleReport) => void>;

    it.each(Object.entries(SHARED))('B29 B33: logs %s for one of them a minute', (_name, fail) => {
      const { clock, account } = givenAccounts();
      const many = Array.from({ length: 1_000 }, account);
      const failAll = (): void => {
        for (const { report } of many) fail(report);
      };
      failAll();
      failAll();
      expect(many.flatMap(({ lines }) => lines)).toHaveLength(1);
      clock.setMonotonicBy(60_000);
      failAll();
      // The one that was logged is not logged again, and another one is.
      expect(many.map(({ lines }) => lines.length).filter((count) => count > 0)).toEqual([1, 1]);
    });

    it('B29 B33: logs for one account only what was logged before that it is over', () => {
      const { account } = givenAccounts();
      const many = Array.from({ length: 10 }, account);
      for (const { report } of many) report.failed(failureOf());
      for (const { report } of many) report.obtained();
      expect(many.map(({ lines }) => lines.slice(1))).toEqual([
        [AVAILABLE],
        ...Array.from({ length: 9 }, () => []),
      ]);
    });

    it('B29 B33: logs for each that its credentials are refused', () => {
      const { account } = givenAccounts();
      for (const { lines, report } of [account(), account()]) {
        report.failed(failureOf('TOKEN_REJECTED'));
        report.failed(failureOf('TOKEN_REJECTED'));
        expect(lines).toHaveLength(1);
      }
    });
  });

  it('B29: a renewal ahead that times out is no lack of a token', () => {
    const { lines, report } = givenReport();
    for (let attempts = 0; attempts < 2; attempts += 1) report.attemptTimedOut(failureOf(), 'ahead');
    expect(lines).toEqual([
      'warn The access token of easy sandbox is not renewed yet: it failed. The request is sent again. Fix it. (TOKEN_UNAVAILABLE, 127.0.0.1:9)',
    ]);
  });

  it('B3: logs the first pause of renewals, and once that the API accepts tokens again', () => {
    const { lines, report } = givenReport();
    report.renewalsResumed();
    for (let pauses = 0; pauses < 3; pauses += 1) report.renewalsPaused();
    // The token endpoint works. That does not end the pause.
    report.obtained();
    report.renewalsPaused();
    for (let successes = 0; successes < 3; successes += 1) report.renewalsResumed();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^warn The API of easy sandbox refuses tokens that were just obtained\..* Set the base URL \(interfaces\.easy\.sandbox\.baseUrl\)/,
    );
    expect(lines[1]).toMatch(
      /^log The API of easy sandbox accepts tokens again\. \(API_RECOVERED, [\w.:]+\)$/,
    );
  });

  it('B35: does not call the settings wrong if the API has accepted a token before', () => {
    const { lines, report } = givenReport();
    report.renewalsPaused(true);
    expect(lines[0]).toContain('The API accepted tokens before.');
    expect(lines[0]).not.toContain('baseUrl');
  });

  it('logs through the logger of Nest, under the name of the library', () => {
    const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    new TroubleReport(profileOf()).failed(failureOf());
    expect(error).toHaveBeenCalledExactlyOnceWith(`${failureOf().message} (TOKEN_UNAVAILABLE, 127.0.0.1:9)`);
    expect(LOG_CONTEXT).toBe('ProviderAuth');
    expect(error.mock.contexts[0]).toMatchObject({ context: LOG_CONTEXT });
  });
});

const timedOut = (): TokenRequestError =>
  failureOf('TOKEN_UNAVAILABLE', { reason: 'it did not answer.', timedOut: true });
const TIMED_OUT =
  'No access token for easy sandbox yet: it did not answer. The request is sent again. Fix it. (TOKEN_UNAVAILABLE, 127.0.0.1:9)';
const AVAILABLE = `log Access tokens for easy sandbox are available again. (TOKENS_RECOVERED, ${new URL(profileOf().tokenUrl).host})`;

describe('B29: the line about an attempt that timed out', () => {
  it('B29: is a warning, once until a token is obtained', () => {
    const { lines, report } = givenReport();
    report.attemptTimedOut(timedOut(), 'cold');
    report.attemptTimedOut(timedOut(), 'cold');
    report.obtained();
    report.obtained();
    report.attemptTimedOut(timedOut(), 'cold');
    expect(lines).toEqual([`warn ${TIMED_OUT}`, AVAILABLE, `warn ${TIMED_OUT}`]);
  });

  it('B29: is missing while the provider fails, because the log has said so', () => {
    const { lines, report } = givenReport();
    report.failed(failureOf());
    report.attemptTimedOut(timedOut(), 'cold');
    expect(lines).toHaveLength(1);
  });
});

describe('B29: the log of a boot with token.atBoot: try', () => {
  it('B29: has no warning about a try that timed out, and one warning when the boot goes on without a token', () => {
    const { lines, report } = givenReport({ isTriedAtBoot: true });
    report.attemptTimedOut(timedOut(), 'cold');
    report.failed(failureOf());
    expect(lines).toEqual([
      `log ${TIMED_OUT}`,
      `warn ${failureOf().message} (TOKEN_UNAVAILABLE, 127.0.0.1:9)`,
    ]);
  });

  it.each([
    ['has failed', (report: TroubleReport) => report.failed(failureOf())],
    ['has brought a token', () => {}],
  ])('B29: has an error for each outage after the boot %s', (_, boot) => {
    const { lines, report } = givenReport({ isTriedAtBoot: true });
    boot(report);
    report.obtained();
    lines.length = 0;
    report.attemptTimedOut(timedOut(), 'cold');
    report.failed(failureOf());
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['warn', 'error']);
  });
});

describe('B29: the end of a line about trouble', () => {
  it('B29: names the proxy of the options after the host of the token URL', () => {
    const { lines, report } = givenReport({ http: { proxy: { host: 'proxy.example', port: 3128 } } });
    report.failed(failureOf());
    expect(lines[0]).toMatch(/ \(TOKEN_UNAVAILABLE, 127\.0\.0\.1:9 by the proxy proxy\.example:3128\)$/);
  });
});

it.each([
  [[403], 'a 403'],
  [[401, 403], 'a 401 or 403'],
] as const)(
  'B31: the line about paused renewals names the statuses of refusedWith %j',
  (refusedWith, named) => {
    const lines: string[] = [];
    const line = (text: string) => void lines.push(text);
    const logger = { error: line, warn: line, log: line };
    new TroubleReport(profileOf({ terms: { refusedWith } }), logger).renewalsPaused();
    expect(lines[0]).toContain(`Renewals after ${named} pause`);
  },
);

describe('the event of a provider', () => {
  it('says that the provider fails, with code and end, and that it works again', () => {
    const received: unknown[] = [];
    const listen = (event: unknown): void => {
      received.push(event);
    };
    subscribe('provider-auth:provider-state', listen);
    onTestFinished(() => void unsubscribe('provider-auth:provider-state', listen));
    const { report } = givenReport();
    const retryAt = new Date(42);
    report.failed(failureOf().copy(retryAt));
    report.failed(failureOf());
    report.obtained();
    const pair = { provider: 'provider', interface: 'easy', environment: 'sandbox' };
    expect(received).toEqual([
      { ...pair, state: 'failing', code: 'TOKEN_UNAVAILABLE', retryAt },
      { ...pair, state: 'recovered' },
    ]);
  });
});
