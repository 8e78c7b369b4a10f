import { describe, expect, it } from 'vitest';
import { bytesOf, joined } from '../../../../lib/token/endpoint/own-memory.js';

describe('memory of credentials and tokens', () => {
  it('S10: a text shares its memory with nothing else', () => {
    const bytes = bytesOf('grant_type=client_credentials&client_secret=ünï+秘密');
    expect(bytes.toString()).toBe('grant_type=client_credentials&client_secret=ünï+秘密');
    expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
  });

  it('S10: neither does what was put together', () => {
    const bytes = joined([Buffer.from('ab'), Buffer.alloc(0), Buffer.from('cde')]);
    expect(bytes.toString()).toBe('abcde');
    expect(bytes.buffer.byteLength).toBe(5);
    expect(joined([])).toHaveLength(0);
  });
});
