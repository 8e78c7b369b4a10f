import { describe, expect, it } from 'vitest';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import { secretSourceFailure } from '../../../lib/token/endpoint/token-failures.js';
import { sharedThrottles, TroubleReport } from '../../../lib/token/trouble-report.js';
import { eventsOf } from '../../support/token/events.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { failureOf, profileOf } from '../../support/token/token-fixtures.js';

function givenReport(options?: ConstructorParameters<typeof TroubleReport>[2], profile = profileOf()) {
  const lines: string[] = [];
  const line = (level: string) => (message: unknown) => void lines.push(`${level} ${String(message)}`);
  const logger = { error: line('error'), warn: line('warn'), log: line('log') };
  return { lines, report: new TroubleReport(profile, logger, options) };
}

const unreadable = () => new TokenRequestError(profileOf(), secretSourceFailure('slow', profileOf()));
const codesOf = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/^(\w+) .* \((\w+), .*$/, '$1 $2'));

it('B29: one line when a provider starts to fail, one for each other cause, and one when it works again', () => {
  const { lines, report } = givenReport();
  report.obtained();
  expect(lines).toEqual([]);
  for (let count = 0; count < 100; count += 1) {
    report.attemptTimedOut(failureOf(), 'cold');
    report.failed(failureOf());
    report.failed(failureOf('TOKEN_REJECTED'));
  }
  report.obtained();
  report.obtained();
  report.attemptTimedOut(failureOf(), 'cold');
  // The log has said that it fails, so another attempt that times out is no news.
  const failing = ['warn TOKEN_UNAVAILABLE', 'error TOKEN_UNAVAILABLE', 'error TOKEN_REJECTED'];
  expect(codesOf(lines)).toEqual([...failing, 'log TOKENS_RECOVERED', 'warn TOKEN_UNAVAILABLE']);
});

const ROUTE = '(TOKEN_UNAVAILABLE, 127.0.0.1:9)';
const FAILED = `No access token for easy sandbox: it failed. Fix it. ${ROUTE}`;

it.each<[string, (report: TroubleReport) => void, ...lines: string[]]>([
  [
    'a failure and its end',
    (report) => (report.failed(failureOf()), report.obtained()),
    `error ${FAILED}`,
    'log Access tokens for easy sandbox are available again. (TOKENS_RECOVERED, 127.0.0.1:9)',
  ],
  [
    'an unknown account',
    (report) => report.failed(failureOf('ACCOUNT_UNKNOWN')),
    'error No access token for easy sandbox: it failed. Fix it. (ACCOUNT_UNKNOWN, accounts, 127.0.0.1:9)',
  ],
  [
    'an attempt that times out',
    (report) => report.attemptTimedOut(failureOf(), 'cold'),
    `warn No access token for easy sandbox yet: it failed. The request is sent again. Fix it. ${ROUTE}`,
  ],
  [
    'an attempt of a renewal ahead that times out, and its failure',
    (report) => (
      report.attemptTimedOut(failureOf(), 'ahead'),
      report.renewalAheadFailed(failureOf(), new Date('2026-01-01'))
    ),
    `warn The access token of easy sandbox is not renewed yet: it failed. The request is sent again. Fix it. ${ROUTE}`,
    'warn The access token of easy sandbox could not be renewed: it failed. The current token is valid until ' +
      `2026-01-01T00:00:00.000Z. Fix it. ${ROUTE}`,
  ],
  [
    'an API that refuses new tokens, until it accepts one',
    (report) => (report.renewalsPaused(), report.renewalsPaused(), report.renewalsResumed()),
    'warn The API of easy sandbox refuses tokens that were just obtained. Renewals after a 401 pause, longer each time, ' +
      'until a request succeeds. Set the base URL (interfaces.easy.sandbox.baseUrl) to the address of easy sandbox. ' +
      'If it is right, check the credentials (interfaces.easy.sandbox.clientId, interfaces.easy.sandbox.clientSecret): ' +
      'both must belong to easy sandbox. (RENEWALS_PAUSED, 127.0.0.1:9)',
    'log The API of easy sandbox accepts tokens again. (API_RECOVERED, 127.0.0.1:9)',
  ],
])('B29 B35: the words of %s', (_name, act, ...expected) => {
  const { lines, report } = givenReport();
  act(report);
  expect(lines).toEqual(expected);
});

it('B35: names the secret whose source fails', () => {
  const { lines, report } = givenReport();
  report.failed(unreadable());
  expect(lines[0]).toMatch(
    / \(TOKEN_UNAVAILABLE, interfaces\.easy\.sandbox\.clientSecret, 127\.0\.0\.1:9\)$/,
  );
});

it('B29: with atBoot try, a failure at boot is a warning, and an error for the first caller that gets it', () => {
  const { lines, report } = givenReport({ isTriedAtBoot: true });
  report.attemptTimedOut(failureOf(), 'cold');
  for (let times = 0; times < 3; times += 1) report.failed(failureOf());
  const timedOut = `No access token for easy sandbox yet: it failed. The request is sent again. Fix it. ${ROUTE}`;
  expect(lines).toEqual([`log ${timedOut}`, `warn ${FAILED}`, `error ${FAILED}`]);
});

it('B35: does not call the settings wrong if the API has accepted a token before', () => {
  const { lines, report } = givenReport();
  report.renewalsPaused(true);
  expect(lines[0]).toContain('The API accepted tokens before.');
  expect(lines[0]).not.toContain('baseUrl');
});

it('B31: the line about paused renewals names the statuses of refusedWith', () => {
  const { lines, report } = givenReport({}, profileOf({ terms: { refusedWith: [401, 403] } }));
  report.renewalsPaused();
  expect(lines[0]).toContain('Renewals after a 401 or 403 pause');
});

function givenAccounts() {
  const clock = new FakeClock();
  const sharedThrottle = sharedThrottles(clock);
  return { clock, account: () => givenReport({ sharedThrottle }) };
}

describe('the accounts of one pair', () => {
  const SHARED = {
    'an unknown account': (report) => report.failed(failureOf('ACCOUNT_UNKNOWN')),
    'an outage': (report) => report.failed(failureOf()),
    'a database of credentials that is down': (report) => report.failed(unreadable()),
    'an attempt that times out': (report) => report.attemptTimedOut(failureOf(), 'expired'),
    'an API that refuses all tokens': (report) => report.renewalsPaused(),
  } satisfies Record<string, (report: TroubleReport) => void>;

  it.each(Object.entries(SHARED))('B29 B33: log %s for one of them a minute', (_name, fail) => {
    const { clock, account } = givenAccounts();
    const many = Array.from({ length: 100 }, account);
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

  it('B29 B33: log of one only what was logged before that it is over', () => {
    const { account } = givenAccounts();
    const many = Array.from({ length: 10 }, account);
    for (const { report } of many) report.failed(failureOf());
    for (const { report } of many) report.obtained();
    const [first = [], ...others] = many.map(({ lines }) => codesOf(lines));
    expect([first.at(-1), others.flat()]).toEqual(['log TOKENS_RECOVERED', []]);
  });

  it('B29 B33: log for each that its credentials are refused', () => {
    const { account } = givenAccounts();
    for (const { lines, report } of [account(), account()]) {
      report.failed(failureOf('TOKEN_REJECTED'));
      report.failed(failureOf('TOKEN_REJECTED'));
      expect(lines).toHaveLength(1);
    }
  });
});

it('B29: an event says that the provider fails, with code and end, and that it works again', () => {
  const received = eventsOf('provider-state');
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
