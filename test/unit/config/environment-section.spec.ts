import { describe, expect, it } from 'vitest';
import { validateOptions } from '../../../lib/config/validate-options.js';
import { optionsWith, problemsOf, REMOVED, type Tree } from '../../support/secrets/config-canaries.js';

const toldOf = async (changes: Tree): Promise<string[]> =>
  (await problemsOf(optionsWith(changes))).map(({ path, message }) => `${path}: ${message}`);

const NO_EASY = { 'interfaces.easy': REMOVED };
const NO_PRODUCTION_OF_EASY = { 'interfaces.easy.production': REMOVED };

describe('C5: the environment', () => {
  it.each([
    [undefined, 'is missing. Set it to sandbox or production.'],
    ['', 'is missing. Set it to sandbox or production.'],
    [5, 'must be sandbox or production, not a number.'],
    [null, 'must be sandbox or production, not null.'],
    [true, 'must be sandbox or production, not a boolean.'],
    ['staging', 'must be sandbox or production.'],
    [' Sandbox ', 'must be sandbox or production. Did you mean sandbox?'],
    ['prod', 'must be sandbox or production. Did you mean production?'],
  ])('is not %j, for all interfaces or for one, and the choice is told', async (environment, message) => {
    expect(await toldOf({ environment })).toEqual([`environment: ${message}`]);
    expect(await toldOf({ environment: { originations: 'sandbox', easy: environment } })).toEqual([
      `environment.easy: ${message}`,
    ]);
  });

  it('of an interface that is not configured is not chosen', async () => {
    const told =
      'environment.easy: chooses an environment for easy, which is not configured. Configure easy, or remove this.';
    for (const easy of ['sandbox', 'staging', 5])
      expect(await toldOf({ ...NO_EASY, environment: { originations: 'sandbox', easy } })).toEqual([told]);
    const left = optionsWith({ ...NO_EASY, environment: { originations: 'sandbox' } });
    await expect(validateOptions(left, {})).resolves.toBeDefined();
    const undecided = optionsWith({ ...NO_EASY, environment: { originations: 'sandbox', easy: undefined } });
    await expect(validateOptions(undecided, {})).resolves.toBeDefined();
  });

  it('that is chosen is configured, or all that it lacks is told', async () => {
    const lacking = ['tokenUrl', 'baseUrl', 'clientId', 'clientSecret']
      .map((member) => `interfaces.easy.production.${member}`)
      .join(', ');
    const told = `chooses production, for which easy is not configured. Set ${lacking}, or choose sandbox.`;
    expect(await toldOf({ ...NO_PRODUCTION_OF_EASY, environment: 'production' })).toEqual([
      `environment: ${told}`,
    ]);
    const environment = { originations: 'sandbox', easy: 'production' };
    expect(await toldOf({ ...NO_PRODUCTION_OF_EASY, environment })).toEqual([`environment.easy: ${told}`]);
  });

  it('that is wrong for one interface says nothing about the other', async () => {
    expect(await toldOf({ environment: { originations: 'production', easy: 'staging' } })).toEqual([
      'environment.easy: must be sandbox or production.',
    ]);
  });
});
