import { expect, it } from 'vitest';
import { readEnvironmentVariables } from '../../../../lib/config/process-env/read-variables.js';
import { validateOptions } from '../../../../lib/config/validate-options.js';
import { defineProvider, ProviderAuthConfigError } from '../../../../lib/index.js';
import { requiredPartsOf } from '../../../../lib/testing/any-provider.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

let defined = 0;

/** A name is defined once in a process. */
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
  return validateOptions(catalogue, readEnvironmentVariables(catalogue, variables), { variables });
}

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
      message:
        'is not used: this interface authenticates with clientAssertion. Remove it, and set clientAssertion.',
    });
    expect(error.problems.map(({ env }) => env)).toContain(`${bank.prefix}_PAY_LIVE_CLIENT_ASSERTION_FILE`);
  },
);
