import { describe, expect, it } from 'vitest';
import { run } from '../../../lib/cli/program.js';

describe('provider-auth doctor --probe', () => {
  it.each([
    'https://elsewhere.invalid/',
    'HTTPS:elsewhere.invalid',
    '//elsewhere.invalid/',
    'javascript:elsewhere',
    '\\\\elsewhere',
    '/\\elsewhere',
    '/else where',
    '/elsewhere\n',
    '/elsewhere#fragment',
    '',
  ])('S6: takes a path, and repeats nothing else: %j', async (path) => {
    const texts = { stdout: '', stderr: '' };
    const code = await run(['doctor', '--probe', path], {
      stdout: { write: (text: string) => (texts.stdout += text) },
      stderr: { write: (text: string) => (texts.stderr += text) },
    });
    expect({ code, stdout: texts.stdout }).toEqual({ code: 2, stdout: '' });
    expect(texts.stderr).toBe(
      'nestjs-provider-auth could not run: --probe takes a path under the base URL, such as /payments.\n',
    );
  });
});
