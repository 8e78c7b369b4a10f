import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkPair } from '../../../lib/cli/check-pair.js';
import type { PlannedPair } from '../../../lib/cli/plan.js';
import type { StepName } from '../../../lib/cli/report.js';
import type { ClientTls } from '../../../lib/net/client-tls.js';
import { CATALOGUE } from '../../support/application/built-in.js';
import { FINE, NotedReporter, SETTINGS } from '../../support/application/doctor-check.js';
import { playSteps } from '../../support/application/played-steps.js';
import { givenEnvironment } from '../../support/http/proxy-variables.js';
import { profileOf } from '../../support/token/token-fixtures.js';

const PLAN = {
  baseUrls: [{ interface: 'easy', environment: 'sandbox', url: 'https://api.example/v1', variable: 'OWN' }],
  probe: '/payments',
};

const ALL = [
  'configuration',
  'connection',
  'token-request',
  'lifetime',
  'claims',
  'clock',
  'api-connection',
  'probe',
] as const;
const AFTER_CONFIGURATION = ALL.slice(1);

const profile = profileOf({
  tokenUrl: 'https://auth.example:8443/token',
  baseUrl: 'https://api.example/v1',
});
const settings = { ...SETTINGS, catalogue: CATALOGUE, profiles: [profile] };

function pairOf(overrides: Partial<PlannedPair> = {}): PlannedPair {
  const pair = { interface: 'easy', environment: 'sandbox', active: true };
  return { ...pair, configured: { profile, settings }, ...overrides };
}

beforeEach(() => givenEnvironment());

/** Nothing takes any time. */
function stopTime(): void {
  vi.spyOn(performance, 'now').mockReturnValue(1_000);
}

const HEAD = { interface: 'easy', environment: 'sandbox', active: true, host: 'auth.example:8443' };
const CONFIGURED = { name: 'configuration', status: 'ok', detail: 'complete', durationMs: 0 };
const skipped = (name: StepName) => ({
  name,
  durationMs: 0,
  status: 'skipped',
  detail: 'an earlier step failed',
});

describe('the check of one pair', () => {
  it('runs every step in order, and reports each', async () => {
    stopTime();
    const asked = playSteps();
    const reporter = new NotedReporter();
    const steps = [CONFIGURED, ...AFTER_CONFIGURATION.map((name) => ({ name, ...FINE, durationMs: 0 }))];
    expect(await checkPair(pairOf(), PLAN, reporter)).toEqual({ ...HEAD, ok: true, steps });
    expect(reporter.events).toEqual([
      ['pair', HEAD],
      ['ended', CONFIGURED],
      ...AFTER_CONFIGURATION.flatMap((name) => [
        ['begins', name],
        ['ended', { name, ...FINE, durationMs: 0 }],
      ]),
      ['pairEnded'],
    ]);
    expect(asked.map(([name]) => name)).toEqual(AFTER_CONFIGURATION);
    const [first] = asked;
    expect(first?.[1]).toEqual({ profile, settings, ...PLAN });
    // Each step finds what earlier steps have stored.
    expect(asked.every(([, check]) => check === first?.[1])).toBe(true);
  });

  it('B24: names the provider of a pair that is not of the built-in one', async () => {
    playSteps();
    const reporter = new NotedReporter();
    const result = await checkPair(pairOf({ provider: 'warehouse' }), PLAN, reporter);
    expect(result).toMatchObject({ provider: 'warehouse' });
    expect(reporter.events[0]).toEqual(['pair', { provider: 'warehouse', ...HEAD }]);
  });

  it('checks nothing if the settings of the pair are wrong', async () => {
    const asked = playSteps();
    const reporter = new NotedReporter();
    const head = { interface: 'easy', environment: 'sandbox', active: false };
    const wrong = {
      name: 'configuration',
      durationMs: 0,
      status: 'failed',
      detail: 'incomplete or wrong',
      code: 'CONFIG_INVALID',
      advice: 'Fix the problems listed above.',
    };
    expect(await checkPair(pairOf({ configured: undefined, active: false }), PLAN, reporter)).toEqual({
      ...head,
      ok: false,
      steps: [wrong, ...AFTER_CONFIGURATION.map(skipped)],
    });
    expect(reporter.events).toStrictEqual([['pair', head], ['ended', wrong], ['pairEnded']]);
    expect(asked).toEqual([]);
  });

  it.each<[StepName, readonly StepName[]]>([
    ['connection', ['token-request', 'lifetime', 'claims', 'clock', 'probe']],
    ['token-request', ['lifetime', 'claims', 'probe']],
    ['lifetime', []],
    ['claims', ['probe']],
    ['clock', []],
    ['api-connection', ['probe']],
    ['probe', []],
  ])('skips what depends on a step that failed: %s', async (failing, depending) => {
    stopTime();
    const failed = { status: 'failed', detail: 'broken', code: 'BROKEN', advice: 'Fix it.' } as const;
    const asked = playSteps((name) => (name === failing ? failed : undefined));
    const { ok, steps } = await checkPair(pairOf(), PLAN, new NotedReporter());
    expect(ok).toBe(false);
    expect(steps).toEqual([
      CONFIGURED,
      ...AFTER_CONFIGURATION.map((name) => {
        if (depending.includes(name)) return skipped(name);
        return { name, ...(name === failing ? failed : FINE), durationMs: 0 };
      }),
    ]);
    expect(asked.map(([name]) => name)).toEqual(
      AFTER_CONFIGURATION.filter((name) => !depending.includes(name)),
    );
  });

  it('measures the duration of each step, in whole milliseconds', async () => {
    let now = 1_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    playSteps(() => {
      now += 3.6;
      return FINE;
    });
    const { steps } = await checkPair(pairOf(), PLAN, new NotedReporter());
    expect(steps.map(({ durationMs }) => durationMs)).toEqual([0, 4, 4, 4, 4, 4, 4, 4]);
  });

  const SECRET = profile.names.clientSecret;
  const SAME = `${SECRET} has the same value as OTHER. Each environment has its own credentials: put each in its place.`;

  it.each([
    [{ sameSecretAs: 'OTHER' }, { advice: SAME }],
    [
      { tls: { endsAt: new Date('2026-03-01T12:00:00Z'), endWarning: 'It ends.' } as ClientTls },
      { advice: 'It ends.', facts: { certificateEndsAt: '2026-03-01T12:00:00.000Z' } },
    ],
    [
      {
        sameSecretAs: 'OTHER',
        tls: { endsAt: new Date('2099-03-01T12:00:00Z'), endWarning: 'It ends.' } as ClientTls,
      },
      { advice: `${SAME} It ends.`, facts: { certificateEndsAt: '2099-03-01T12:00:00.000Z' } },
    ],
    [{ tls: { endsAt: undefined, endWarning: undefined } as ClientTls }, {}],
  ])(
    'warns of settings that may be wrong, and shows the end of the client certificate',
    async (more, found) => {
      playSteps();
      const configured = { profile: { ...profile, ...more }, settings };
      const { steps } = await checkPair(pairOf({ configured }), PLAN, new NotedReporter());
      expect(steps[0]).toEqual({ ...CONFIGURED, ...found });
    },
  );
});
