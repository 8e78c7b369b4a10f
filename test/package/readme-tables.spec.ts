import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  PROVIDER_ENVIRONMENTS,
  PROVIDER_INTERFACES,
  KNOWN_VARIABLES,
} from '../support/application/built-in.js';
import { ROOT } from '../support/package/packed-package.js';

const page = await readFile(join(ROOT, 'README.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );

/** The matches of this pattern in the first cells of all rows. */
function listed(pattern: RegExp): string[] {
  return rows.flatMap(([first = '']) => [...first.matchAll(pattern)].map(([, name = '']) => name));
}

describe('the tables of the README', () => {
  it('name every variable, and no other', () => {
    const variables = rows
      .flatMap(([first = '']) => [...first.matchAll(/`(PROVIDER_[\w<>]+|…[\w<>]+)`/g)])
      .flatMap(([, pattern = '']) =>
        spelled([pattern], '<IFACE>', capital(PROVIDER_INTERFACES)).flatMap((one) =>
          spelled([one], '<ENV>', capital(PROVIDER_ENVIRONMENTS)),
        ),
      );
    expect(variables.toSorted()).toEqual([...KNOWN_VARIABLES.keys()].toSorted());
  });

  it.each(['token', 'http'])('name every option of %s, with its default', async (section) => {
    const source = await readFile(join(ROOT, 'lib/config/options/provider-auth-options.ts'), 'utf8');
    const kind = section === 'token' ? 'TokenOptions' : 'HttpOptions';
    const [, body = ''] = new RegExp(`export interface ${kind} \\{\\n([^]*?)\\n\\}`).exec(source) ?? [];
    const options = [...body.matchAll(/\/\*\*([^]*?)\*\/\n {2}(\w+)\?:/g)].map(
      ([, comment = '', name = '']) =>
        `${section}.${name} ${/@default (\d+)/.exec(comment)?.[1] ?? 'in words'}`,
    );
    expect(options.length).toBeGreaterThan(3);
    const listedOptions = rows
      .filter(([first = '']) => first.startsWith(`\`${section}.`))
      .map(([name = '', value = '']) => `${name.replaceAll('`', '')} ${numberIn(value)}`);
    expect(listedOptions.toSorted()).toEqual(options.toSorted());
  });

  it('name every code of an error', async () => {
    const files = ['provider-auth-config', 'request-refused', 'token-request'];
    const sources = await Promise.all(
      files.map((file) => readFile(join(ROOT, `lib/errors/${file}.error.ts`), 'utf8')),
    );
    const codes = sources.flatMap((source) => {
      const [, union = ''] = /export type \w+ErrorCode =([^]*?');/.exec(source) ?? [];
      return [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code = '']) => code);
    });
    expect(codes.length).toBe(8);
    expect(
      listed(/^`([A-Z]+(?:_[A-Z]+)+)`$/g)
        .filter((name) => !name.startsWith('PROVIDER_'))
        .toSorted(),
    ).toEqual(codes.toSorted());
  });

  it('name every channel', async () => {
    const source = await readFile(join(ROOT, 'lib/events/provider-auth-events.ts'), 'utf8');
    const channels = [...source.matchAll(/^ {2}'(provider-auth:[\w-]+)':/gm)].map(([, name = '']) => name);
    expect(channels.length).toBeGreaterThan(3);
    expect(listed(/^`(provider-auth:[\w-]+)`$/g).toSorted()).toEqual(channels.toSorted());
  });
});

function numberIn(cell: string): string {
  return /^[\d ]+$/.test(cell) ? cell.replaceAll(' ', '') : 'in words';
}

function capital(names: readonly string[]): string[] {
  return names.map((name) => name.toUpperCase());
}

function spelled(names: readonly string[], place: string, words: readonly string[]): string[] {
  return names.flatMap((name) =>
    name.includes(place) ? words.map((word) => name.replace(place, word)) : [name],
  );
}
