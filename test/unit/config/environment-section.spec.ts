import { describe, expect, it } from 'vitest';
import { validateOptions } from '../../support/application/built-in.js';
import { optionsWith, problemsOf, REMOVED, type Tree } from '../../support/secrets/config-canaries.js';

const problemLines = async (changes: Tree): Promise<string[]> =>
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
  ])(
    'is not %j, for all interfaces or for one interface, and the error names the choices',
    async (environment, message) => {
      expect(await problemLines({ environment })).toEqual([`environment: ${message}`]);
      expect(await problemLines({ environment: { originations: 'sandbox', easy: environment } })).toEqual([
        `environment.easy: ${message}`,
      ]);
    },
  );

  it('cannot be chosen for an interface that is not configured', async () => {
    const expected =
      'environment.easy: chooses an environment for easy, which is not configured. Configure easy, or remove this.';
    for (const easy of ['sandbox', 'staging', 5])
      expect(await problemLines({ ...NO_EASY, environment: { originations: 'sandbox', easy } })).toEqual([
        expected,
      ]);
    const left = optionsWith({ ...NO_EASY, environment: { originations: 'sandbox' } });
    await expect(validateOptions(left, {})).resolves.toBeDefined();
    const undecided = optionsWith({ ...NO_EASY, environment: { originations: 'sandbox', easy: undefined } });
    await expect(validateOptions(undecided, {})).resolves.toBeDefined();
  });

  it('must be configured if it is chosen, or the error names all missing settings', async () => {
    const missing = ['tokenUrl', 'baseUrl', 'clientId', 'clientSecret']
      .map((member) => `interfaces.easy.production.${member}`)
      .join(', ');
    const expected = `chooses production, for which easy is not configured. Set ${missing}, or choose sandbox.`;
    expect(await problemLines({ ...NO_PRODUCTION_OF_EASY, environment: 'production' })).toEqual([
      `environment: ${expected}`,
    ]);
    const environment = { originations: 'sandbox', easy: 'production' };
    expect(await problemLines({ ...NO_PRODUCTION_OF_EASY, environment })).toEqual([
      `environment.easy: ${expected}`,
    ]);
  });

  it('is not reported for the other interface if it is wrong for one', async () => {
    expect(await problemLines({ environment: { originations: 'production', easy: 'staging' } })).toEqual([
      'environment.easy: must be sandbox or production.',
    ]);
  });
});
