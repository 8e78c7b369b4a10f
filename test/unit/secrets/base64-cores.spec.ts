import { describe, expect, it } from 'vitest';
import { base64Cores } from '../../../lib/secrets/base64-cores.js';

describe('S10: the base64 of bytes inside of longer content', () => {
  // In base64 these bytes contain many `+` and `/`.
  const bytes = Buffer.from([0xfb, 0xef, 0xbe, 0xff, 0xff, 0xff, 0xfb, 0xef, 0xbe]);

  it.each(['base64', 'base64url'] as const)(
    'contains a core, wherever the bytes begin, in %s',
    (encoding) => {
      const cores = base64Cores(bytes);
      for (const before of [0, 1, 2, 3, 4, 5]) {
        const content = Buffer.concat([Buffer.alloc(before, 'x'), bytes, Buffer.from('yz')]);
        const text = content.toString(encoding);
        expect(cores.filter((core) => text.includes(core))).toHaveLength(1);
      }
    },
  );

  it('has three cores in two alphabets', () => {
    expect(base64Cores(bytes)).toHaveLength(6);
    expect(base64Cores(bytes).some((core) => core.includes('+') && core.includes('/'))).toBe(true);
    expect(base64Cores(bytes).some((core) => core.includes('-') && core.includes('_'))).toBe(true);
  });

  it('has no duplicates if both alphabets give the same core', () => {
    const cores = base64Cores(Buffer.from('canary'));
    expect(new Set(cores).size).toBe(cores.length);
    expect(cores).toHaveLength(3);
  });
});
