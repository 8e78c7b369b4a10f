import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { strangersOf } from '../../../../lib/config/process-env/misspelt-variables.js';
import { readEnvironmentVariables } from '../../../../lib/config/process-env/read-variables.js';
import { validateOptions } from '../../../../lib/config/validate-options.js';
import { defineProvider, ProviderAuthConfigError } from '../../../../lib/index.js';
import { requiredPartsOf } from '../../../../lib/testing/any-provider.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

let defined = 0;

/** A new provider for each test: a variable of any definition of the process is known. */
function bankWith(terms: object) {
  defined += 1;
  const provider = defineProvider({
    name: `bank${defined}`,
    environments: ['live', 'test'],
    interfaces: { pay: terms },
  });
  return { catalogue: requiredPartsOf(provider).catalogue, prefix: `BANK${defined}` };
}

/** @param values by the names of variables without the name of the provider. */
function validated({ catalogue, prefix }: ReturnType<typeof bankWith>, values: Record<string, string>) {
  const variables = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${prefix}_${name}`, value]),
  );
  return validateOptions(catalogue, readEnvironmentVariables(catalogue, variables), variables);
}

const WITH_SECRET = 'is not used: this interface authenticates with a client secret';

it.each([
  ['KEY_ID', {}, WITH_SECRET],
  ['CLIENT_KEY_FILE', {}, WITH_SECRET],
  ['CLIENT_ASSERTION_FILE', {}, WITH_SECRET],
  ['CLIENT_CERTIFICATE_FILE', {}, WITH_SECRET],
  ['ISSUER', {}, WITH_SECRET],
  ['KEY_ID', { clientAuth: 'client_assertion' }, WITH_SECRET.replace('secret', 'assertion')],
  [
    'CLIENT_CERTIFICATE_FILE',
    { clientAuth: 'private_key_jwt' },
    'is not used: the assertion names no certificate',
  ],
  ['ISSUER', { clientAuth: 'private_key_jwt' }, 'is not used: the assertion is for the token URL'],
])('B35: a variable of another kind of client gets its reason: %s for %j', (name, terms, reason) => {
  const { catalogue, prefix } = bankWith(terms);
  const variable = `${prefix}_PAY_LIVE_${name}`;
  expect(strangersOf(catalogue, { [variable]: 'canary' }, [catalogue])).toEqual({
    misspelt: [],
    unknown: [`${variable} (${reason})`],
  });
});

const ASSERTION = { clientAuth: 'client_assertion' };

it.each(['PAY_LIVE_CLIENT_SECRET', 'PAY_LIVE_CLIENT_SECRET_FILE'])(
  'B32: the boot names %s, even if nothing else is set for a client without a secret',
  async (variable) => {
    const bank = bankWith(ASSERTION);
    const error = await errorOf(validated(bank, { ENVIRONMENT: 'live', [variable]: 'canary' }));
    if (!(error instanceof ProviderAuthConfigError)) throw error;
    expect(error.problems).toContainEqual({
      path: 'interfaces.pay.live.clientSecret',
      env: `${bank.prefix}_${variable}`,
      message: 'is not used: this interface authenticates with a client assertion. Set clientAssertion.',
    });
    expect(error.message).toContain("no variable for an address or the client's credentials");
  },
);

it('B35: a secret that is left over in an environment without settings is a warning', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unused-variables-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'assertion');
  writeFileSync(file, 'header.payload.signature');
  const bank = bankWith(ASSERTION);
  const { unknownVariables } = await validated(bank, {
    ENVIRONMENT: 'live',
    PAY_LIVE_TOKEN_URL: 'https://bank.example/token',
    PAY_LIVE_BASE_URL: 'https://bank.example/v1',
    PAY_LIVE_CLIENT_ASSERTION_FILE: file,
    PAY_TEST_CLIENT_SECRET: 'canary',
  });
  expect(unknownVariables).toEqual([
    `${bank.prefix}_PAY_TEST_CLIENT_SECRET (is not used: this interface authenticates with a client assertion)`,
  ]);
});
