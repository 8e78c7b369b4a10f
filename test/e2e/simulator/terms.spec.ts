import { describe, expect, it, onTestFinished } from 'vitest';
import type { Profile } from '../../../lib/config/options/profile.js';
import { defineProvider } from '../../../lib/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { EVERY_TERM } from '../../support/application/every-term.js';
import { callHttps } from '../../support/http/https-call.js';
import { TokenTrial } from '../../support/token/token-trial.js';

/** A profile whose terms differ. */
const withTerms =
  (terms: object) =>
  (profile: Profile): Profile => ({ ...profile, terms: { ...profile.terms, ...terms } });

const withAssertion =
  (assertion: object) =>
  (profile: Profile): Profile =>
    withTerms({ assertion: { ...profile.terms?.assertion, ...assertion } })(profile);

describe('the simulator of a definition with every term', () => {
  it('B31: answers with its token type and its characters, and without a lifetime', async () => {
    const trial = await TokenTrial.start({ provider: EVERY_TERM });
    let answer = '';
    trial.provider.token.body((regular) => (answer = regular));
    const { token } = await trial.ask();
    expect(JSON.parse(answer)).toEqual({ access_token: token?.reveal(), token_type: 'easy_token' });
    expect(token?.reveal()).toMatch(/^[!-~]*["&\\][!-~]*$/);
    expect(token?.lifetimeMs).toBe(3_600_000);
  });

  it.each<[string, (profile: Profile) => Profile]>([
    ['grantType', withTerms({ grantType: 'client_credentials' })],
    ['params', withTerms({ params: { account_id: 'easy-8' } })],
    ['resource', withTerms({ resource: ['https://easy.example/v1'] })],
    ['assertion.audience', (profile) => ({ ...profile, issuer: undefined })],
    ['assertion.type', withAssertion({ type: 'JWT' })],
    ['assertion.certificate', withAssertion({ certificate: 'x5t' })],
    ['assertion.lifetimeSeconds', withAssertion({ lifetimeSeconds: 61 })],
  ])('B31: refuses a client whose %s is another', async (_, profile) => {
    const trial = await TokenTrial.start({ provider: EVERY_TERM, profile });
    expect((await trial.ask()).error).toMatchObject({ code: 'TOKEN_REJECTED' });
    expect((await trial.ask(await trial.another({ provider: EVERY_TERM }))).token).toBeDefined();
  });

  it('B31: has the lifetime that a test chooses, or else that of the definition', async () => {
    const provider = defineProvider({
      name: 'brief',
      environments: ['live'],
      interfaces: { easy: { expiresIn: 1_800 } },
    });
    const lives: number[] = [];
    for (const lifetimeSeconds of [60, undefined]) {
      const simulated = await ProviderSimulator.start({ provider, lifetimeSeconds });
      onTestFinished(() => simulated.close());
      const { clientId, clientSecret } = simulated.credentials('easy', 'live');
      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const { json } = await callHttps(simulated.tokenUrl('easy', 'live'), {
        agent: simulated.httpsAgent,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      });
      expect(Object.keys(json)).toEqual(['access_token', 'token_type']);
      await callHttps(simulated.baseUrl('easy', 'live'), {
        agent: simulated.httpsAgent,
        headers: { authorization: `Bearer ${String(json['access_token'])}` },
      });
      const { exp = 0, iat = 0 } = simulated.apiRequests[0]?.claims ?? {};
      lives.push(Math.round((exp - iat) / 10) * 10);
    }
    expect(lives).toEqual([60, 1_800]);
  });

  it('B31: refuses a token with the status and the scheme of the definition', async () => {
    const terms = { scheme: 'Easy-Token', refusedWith: [403] } as const;
    const provider = defineProvider({
      name: 'forbidding',
      environments: ['live'],
      interfaces: { easy: terms },
    });
    const simulated = await ProviderSimulator.start({ provider });
    onTestFinished(() => simulated.close());
    const { status, headers } = await callHttps(simulated.baseUrl('easy', 'live'), {
      agent: simulated.httpsAgent,
    });
    expect(status).toBe(403);
    expect(headers['www-authenticate']).toBe('Easy-Token error="invalid_token"');
  });
});
