import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { KeyFiles } from '../../../../lib/testing/simulator/key-files.js';

it('S10: keys are in one folder, which only this user can read, and which is removed', () => {
  const files = new KeyFiles();
  onTestFinished(() => files.remove());
  const [one, other] = [files.write('one.pem', 'canary one'), files.write('other.pem', 'canary other')];
  expect([readFileSync(one, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['canary one', 'canary other']);
  const folder = dirname(one);
  expect([basename(one), dirname(other), dirname(folder)]).toEqual(['one.pem', folder, tmpdir()]);
  expect(basename(folder)).toMatch(/^provider-simulator-\w{6}$/);
  const modes = [one, folder].map((path) => (statSync(path).mode % 0o1000).toString(8));
  // Windows has no such modes.
  expect(modes).toEqual(process.platform === 'win32' ? modes : ['600', '700']);
  files.remove();
  expect(existsSync(folder)).toBe(false);
});

it('S10: a folder that another program has removed is no error', () => {
  const files = new KeyFiles();
  rmSync(dirname(files.write('one.pem', 'canary')), { recursive: true });
  expect(files.remove()).toBeUndefined();
});

it('S10: a folder is made only for a key, and a new one after a removal', () => {
  const files = new KeyFiles();
  onTestFinished(() => files.remove());
  files.remove();
  const first = files.write('one.pem', 'canary');
  files.remove();
  files.remove();
  const second = files.write('one.pem', 'canary');
  expect(dirname(second)).not.toBe(dirname(first));
  expect([existsSync(first), existsSync(second)]).toEqual([false, true]);
});
