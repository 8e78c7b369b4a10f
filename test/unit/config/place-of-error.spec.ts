import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigService } from '@nestjs/config';
import { describe, expect, it, onTestFinished } from 'vitest';
import { placeOfError } from '../../../lib/config/validate-created.js';
import { Validation } from '../../../lib/config/validation.js';
import { CATALOGUE } from '../../support/application/built-in.js';

const HERE = /^test\/unit\/config\/place-of-error\.spec\.ts:\d+$/;

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('was expected to throw');
}

function withStack(...lines: string[]): Error {
  return Object.assign(new Error('canary'), { stack: ['Error: canary', ...lines].join('\n') });
}

describe('C4: the place of an error', () => {
  it.each([
    ['of the application', () => new Error('canary')],
    ['of JavaScript', () => thrownBy(() => JSON.parse('{canary'))],
    ['of a dependency', () => thrownBy(() => new ConfigService({}).getOrThrow('CANARY'))],
    ['of Node', () => thrownBy(() => new URL('canary'))],
  ])('is the line in the application that led to an error %s', (_, error) => {
    expect(placeOfError(error())).toMatch(HERE);
  });

  it('is the line with the await, for an error that came later', async () => {
    // Not an error of a file: from Node 26 on, those of `node:fs/promises` have no frames.
    const error: unknown = await (async () => await assert.rejects(Promise.resolve()))().catch(
      (reason: unknown) => reason,
    );
    expect(placeOfError(error)).toMatch(HERE);
  });

  it('is an absolute path outside the folder of the process', () => {
    const folder = mkdtempSync(join(tmpdir(), 'place-of-error-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'main.js');
    writeFileSync(file, '');
    expect(placeOfError(withStack(`    at run (${file}:7:1)`))).toBe(`${file}:7`);
    expect(placeOfError(withStack(`    at ${pathToFileURL(file).href}:7:1`))).toBe(`${file}:7`);
  });

  it.each([
    ['no error', 'canary'],
    ['nothing', undefined],
    ['no stack', Object.assign(new Error('canary'), { stack: undefined })],
    ['frames of Node alone', withStack('    at node:internal/fs:1:1', '    at async open (node:fs:2:2)')],
    ['files that do not exist', withStack('    at canary (/canary/secret:1:2)', '    at /canary:3:4')],
    [
      'no file',
      withStack('    at JSON.parse (<anonymous>)', '    at file://%:1:1', '    at relative.js:1:1'),
    ],
  ])('is undefined for %s', (_, error) => {
    expect(placeOfError(error)).toBeUndefined();
  });

  it('is undefined if the error passed this package first', () => {
    const error = thrownBy(() => new Validation(CATALOGUE, {}).add(undefined as never));
    expect(placeOfError(error)).toBeUndefined();
  });

  it('S10: is not taken from the text of the error', () => {
    const error = new Error(`canary\n    at canary (${process.execPath}:1:2)`);
    expect(placeOfError(error)).toMatch(HERE);
  });
});
