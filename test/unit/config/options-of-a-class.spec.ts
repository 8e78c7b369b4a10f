import { describe, expect, it } from 'vitest';
import { validateOptions } from '../../support/application/built-in.js';
import { configErrorOf, rightOptions, type Tree } from '../../support/secrets/config-canaries.js';

/** Correct options as an instance of a class, with other members. */
function instanceWith(members: Tree): object {
  class Options {}
  return Object.assign(new Options(), rightOptions(), members);
}

const problemLines = async (options: object) =>
  (await configErrorOf(options)).problems.map(({ path, message }) => `${path}: ${message}`);

describe('C4: options of a class', () => {
  it('may have other members that do not look like an option', async () => {
    await expect(validateOptions(instanceWith({ logger: console, vault: {} }), {})).resolves.toBeDefined();
  });

  it('may have a field behind a getter', async () => {
    await expect(
      validateOptions(instanceWith({ _token: {}, token: {}, _environment: 'x' }), {}),
    ).resolves.toBeDefined();
  });

  it('have no member that looks like a missing option', async () => {
    expect(await problemLines(instanceWith({ tokn: {} }))).toEqual([
      'tokn: is not an option. Did you mean token?',
    ]);
  });
});

it.each([
  ['of an object literal', (members: Tree) => ({ ...rightOptions(), ...members })],
  ['without a prototype', (members: Tree) => Object.assign(Object.create(null), rightOptions(), members)],
])('C4: plain options %s have no other members than options', async (_, optionsOf) => {
  expect(await problemLines(optionsOf({ vault: {} }))).toEqual([
    'vault: is not an option. Known here: environment, interfaces, token, http, store, accounts.',
  ]);
  expect(await problemLines(optionsOf({ _environment: 'x' }))).toEqual([
    '_environment: is not an option. Did you mean environment?',
  ]);
});
