import { expect, it } from 'vitest';
import type { Profile } from '../../../lib/config/options/profile.js';
import { EVERY_TERM } from '../../support/application/every-term.js';
import { TokenTrial } from '../../support/token/token-trial.js';

/** A profile whose terms differ. */
const withTerms =
  (terms: object) =>
  (profile: Profile): Profile => ({ ...profile, terms: { ...profile.terms, ...terms } });

const withAssertion =
  (assertion: object) =>
  (profile: Profile): Profile =>
    withTerms({ assertion: { ...profile.terms?.assertion, ...assertion } })(profile);

it('B31: the simulator answers with its token type and its characters, and without a lifetime', async () => {
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
])('B31: the simulator refuses a client whose %s is another', async (_, profile) => {
  const trial = await TokenTrial.start({ provider: EVERY_TERM, profile });
  expect((await trial.ask()).error).toMatchObject({ code: 'TOKEN_REJECTED' });
  expect((await trial.ask(await trial.another({ provider: EVERY_TERM }))).token).toBeDefined();
});
