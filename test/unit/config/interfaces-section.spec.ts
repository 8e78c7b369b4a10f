import { describe, expect, it } from 'vitest';
import { readEnvironmentVariables, validateOptions } from '../../support/application/built-in.js';
import { optionsWith, problemsOf, REMOVED, type Tree } from '../../support/secrets/config-canaries.js';

const EASY = 'interfaces.easy';
const ORIGINATIONS = 'interfaces.originations';

const problemLines = async (changes: Tree): Promise<string[]> =>
  (await problemsOf(optionsWith(changes))).map(({ path, message }) => `${path}: ${message}`);

describe('C4: interfaces', () => {
  it.each([
    [REMOVED, 'is missing. Configure at least one interface in it.'],
    [{}, 'configures no interface. Add originations or easy.'],
    [5, 'must be an object, not a number.'],
    [[], 'must be an object, not a list.'],
  ])('that are %o are reported with the way to fix them', async (interfaces, message) => {
    expect(await problemLines({ interfaces })).toEqual([`interfaces: ${message}`]);
  });

  it('without any variable: the error asks whether the process got the variables', async () => {
    expect(await problemsOf(readEnvironmentVariables({ PROVIDER_ENVIRONMENT: 'sandbox' }))).toEqual([
      {
        path: 'interfaces',
        message: expect.stringMatching(
          /^configures no interface: no variable for an address or the client's credentials, such as PROVIDER_ORIGINATIONS_… or PROVIDER_EASY_…, is set\. Pass them to this process\. /,
        ),
      },
    ]);
  });

  it('without any environment: the error names all settings that are needed', async () => {
    expect(await problemLines({ [EASY]: {} })).toEqual([
      `${EASY}: has no environment. Set for sandbox tokenUrl, baseUrl, clientId, clientSecret; or for production tokenUrl, baseUrl, clientId, clientSecret.`,
    ]);
    expect(
      await problemLines({ [`${ORIGINATIONS}.sandbox`]: REMOVED, [`${ORIGINATIONS}.production`]: REMOVED }),
    ).toEqual([
      `${ORIGINATIONS}: has no environment. Set for sandbox baseUrl, clientId, clientSecret; or for production baseUrl, clientId, clientSecret.`,
    ]);
  });

  it('have only environments, and a token URL if all environments share it (S4)', async () => {
    expect(await problemLines({ [`${EASY}.region`]: 'x', [`${EASY}.sandbx`]: {} })).toEqual([
      `${EASY}.region: is not an option. Known here: sandbox, production.`,
      `${EASY}.sandbx: is not an option. Did you mean sandbox?`,
    ]);
    expect(await problemLines({ [`${ORIGINATIONS}.region`]: 'x' })).toEqual([
      `${ORIGINATIONS}.region: is not an option. Known here: tokenUrl, sandbox, production.`,
    ]);
    expect(await problemLines({ [`${EASY}.tokenUrl`]: 'x' })).toEqual([
      `${EASY}.tokenUrl: belongs one level down: each environment of easy has its own token URL.`,
    ]);
    expect(await problemLines({ [`${ORIGINATIONS}.sandbox.tokenUrl`]: 'x' })).toEqual([
      `${ORIGINATIONS}.sandbox.tokenUrl: belongs one level up: one token URL serves all environments of originations.`,
    ]);
  });

  it('have environments, and missing members of an environment are reported', async () => {
    expect(await problemLines({ [`${ORIGINATIONS}.sandbox`]: {} })).toEqual([
      `${ORIGINATIONS}.sandbox.baseUrl: is missing. Set it to the https address of the API.`,
      `${ORIGINATIONS}.sandbox.clientId: is missing. Set it to the client id of this environment.`,
      `${ORIGINATIONS}.sandbox.clientSecret: is missing. Set it to the client secret of this environment.`,
    ]);
    expect(await problemLines({ [`${ORIGINATIONS}.sandbox.scope`]: 'x' })).toEqual([
      `${ORIGINATIONS}.sandbox.scope: is not an option. Known here: baseUrl, clientId, clientSecret, tls.`,
    ]);
  });

  it('have a client secret that is a text, a Secret or a function', async () => {
    for (const [clientSecret, kind] of [
      [5, 'a number'],
      [null, 'null'],
      [{}, 'an object'],
    ] as const)
      expect(await problemLines({ [`${EASY}.sandbox.clientSecret`]: clientSecret })).toEqual([
        `${EASY}.sandbox.clientSecret: must be a string, a Secret or a function that returns one, not ${kind}.`,
      ]);
  });
});

describe('B29: the same token URL in two environments with their own token URLs', () => {
  const SANDBOX_URL = 'https://sandbox.canary.example/auth/v0/connect/token';
  const expected = `${EASY}.production.tokenUrl: is the same as ${EASY}.sandbox.tokenUrl. Each environment of easy has its own token URL: put each in its place.`;

  it.each([
    SANDBOX_URL,
    SANDBOX_URL.replace('sandbox.canary', 'SANDBOX.canary'),
    SANDBOX_URL.replace('/auth', '/x/../auth'),
  ])('is reported at its second place: %s', async (tokenUrl) => {
    expect(await problemLines({ [`${EASY}.production.tokenUrl`]: tokenUrl })).toEqual([expected]);
  });

  it('is not reported for different queries and for wrong token URLs', async () => {
    const other = { [`${EASY}.production.tokenUrl`]: `${SANDBOX_URL}?tenant=7` };
    await expect(validateOptions(optionsWith(other), {})).resolves.toBeDefined();
    const wrong = { [`${EASY}.sandbox.tokenUrl`]: 'canary', [`${EASY}.production.tokenUrl`]: 'canary' };
    expect((await problemLines(wrong)).filter((line) => line.includes('is the same as'))).toEqual([]);
  });
});

describe('S5: the same client id in two environments of an interface', () => {
  it('is reported at its second place', async () => {
    expect(await problemLines({ [`${EASY}.production.clientId`]: 'canary-id-es' })).toEqual([
      `${EASY}.production.clientId: is the same as ${EASY}.sandbox.clientId. Each environment has its own credentials: put each in its place.`,
    ]);
  });

  it('is not reported for wrong client ids', async () => {
    for (const clientId of ['', 'changeme', 5])
      expect(
        (
          await problemLines({
            [`${EASY}.sandbox.clientId`]: clientId,
            [`${EASY}.production.clientId`]: clientId,
          })
        ).filter((line) => line.includes('is the same as')),
      ).toEqual([]);
  });
});
