import { describe, expect, it } from 'vitest';
import { quotedPath } from '../../../../lib/cli/simulate/quoted-path.js';

describe('a path in a printed command', () => {
  it.each([
    ['.provider-simulator/.env', 'linux', '.provider-simulator/.env'],
    ['C:/app/.env', 'win32', 'C:/app/.env'],
    ['my app/.env', 'linux', "'my app/.env'"],
    ["Ann's app/.env", 'darwin', String.raw`'Ann'\''s app/.env'`],
    ["C:/Ann's app/.env", 'win32', `"C:/Ann's app/.env"`],
  ])('B37: %s on %s is pasted as %s', (path, platform, expected) => {
    expect(quotedPath(path, platform)).toBe(expected);
  });
});
