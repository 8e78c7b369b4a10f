import { beforeEach, describe, expect, it } from 'vitest';
import { checkPair } from '../../../lib/cli/check-pair.js';
import type { PlannedPair } from '../../../lib/cli/plan.js';
import type { ClientTls } from '../../../lib/net/client-tls.js';
import { CATALOGUE } from '../../support/application/built-in.js';
import { NotedReporter, SETTINGS } from '../../support/application/doctor-check.js';
import { playSteps } from '../../support/application/played-steps.js';
import { givenEnvironment } from '../../support/http/proxy-variables.js';
import { profileOf } from '../../support/token/token-fixtures.js';

const PLAN = {
  baseUrls: [{ interface: 'easy', environment: 'sandbox', url: 'https://api.example/v1', variable: 'OWN' }],
  probe: '/payments',
};

const profile = profileOf({
  tokenUrl: 'https://auth.example:8443/token',
  baseUrl: 'https://api.example/v1',
});
const settings = { ...SETTINGS, catalogue: CATALOGUE, profiles: [profile] };

function pairOf(overrides: Partial<PlannedPair>): PlannedPair {
  const pair = { interface: 'easy', environment: 'sandbox', active: true };
  return { ...pair, configured: { profile, settings }, ...overrides };
}

beforeEach(() => givenEnvironment());

const HEAD = { interface: 'easy', environment: 'sandbox', active: true, host: 'auth.example:8443' };
const CONFIGURED = { name: 'configuration', status: 'ok', detail: 'complete', durationMs: 0 };
describe('the check of one pair', () => {
  it('B24: names the provider of a pair that is not of the built-in one', async () => {
    playSteps();
    const reporter = new NotedReporter();
    const result = await checkPair(pairOf({ provider: 'warehouse' }), PLAN, reporter);
    expect(result).toMatchObject({ provider: 'warehouse' });
    expect(reporter.events[0]).toEqual(['pair', { provider: 'warehouse', ...HEAD }]);
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
