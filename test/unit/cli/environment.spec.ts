import { ConfigModule } from '@nestjs/config';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { CannotRun, loadEnvironment } from '../../../lib/cli/environment.js';
import { givenFolder } from '../../support/run/given-folder.js';
import { errorOf } from '../../support/token/token-fixtures.js';

afterEach(() => void delete process.env['VARIABLE_OF_THIS_TEST']);

const inFile = (name: string, value: string): string => {
  const file = join(givenFolder(), name);
  writeFileSync(file, `VARIABLE_OF_THIS_TEST="${value}" # a comment\n`);
  return file;
};

it('the variables come from .env if no file is named', async () => {
  const forRoot = vi.spyOn(ConfigModule, 'forRoot').mockResolvedValue({ module: ConfigModule });
  await loadEnvironment();
  expect(forRoot.mock.calls).toEqual([[{ envFilePath: '.env' }]]);
});

it('the variables of an earlier file count more than those of a later one', async () => {
  await loadEnvironment([inFile('one.env', 'of one'), inFile('other.env', 'of the other')]);
  expect(process.env['VARIABLE_OF_THIS_TEST']).toBe('of one');
});

it('the variables of the process count more than the file', async () => {
  process.env['VARIABLE_OF_THIS_TEST'] = 'of the process';
  await loadEnvironment([inFile('other.env', 'of the other')]);
  expect(process.env['VARIABLE_OF_THIS_TEST']).toBe('of the process');
});

const unreadable = (name: string): string =>
  `${name} cannot be read. Check that it is a file and that this user may read it.`;

it('a file that ConfigModule cannot read is named, and no more is said', async () => {
  vi.spyOn(ConfigModule, 'forRoot').mockRejectedValue(new Error('canary of a file'));
  const file = inFile('other.env', 'x');
  for (const [settings, name] of [
    [[file], file],
    [[], '.env'],
  ] as const) {
    const error = await errorOf(loadEnvironment(settings));
    expect(error).toBeInstanceOf(CannotRun);
    expect(error).toHaveProperty('message', unreadable(name));
  }
});
