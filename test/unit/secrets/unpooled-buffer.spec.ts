import { describe, expect, it } from 'vitest';
import { unpooled, unpooledConcat, unpooledText } from '../../../lib/secrets/unpooled-buffer.js';

describe('memory of credentials and tokens', () => {
  it('S10: a text shares its memory with no other buffer', () => {
    const bytes = unpooledText('grant_type=client_credentials&client_secret=ünï+秘密');
    expect(bytes.toString()).toBe('grant_type=client_credentials&client_secret=ünï+秘密');
    expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
    expect([...unpooledText('\u00e9', 'latin1')]).toEqual([0xe9]);
  });

  it('S10: nor do chunks that were put together', () => {
    const bytes = unpooledConcat([Buffer.from('ab'), Buffer.alloc(0), Buffer.from('cde')]);
    expect(bytes.toString()).toBe('abcde');
    expect(bytes.buffer.byteLength).toBe(5);
    expect(unpooledConcat([])).toHaveLength(0);
  });

  it('B12: a buffer from the shared block is copied, any other buffer stays the same object', () => {
    const pooled = Buffer.from('token');
    expect(pooled.buffer.byteLength).toBeGreaterThan(pooled.byteLength);
    const copy = unpooled(pooled);
    expect(copy.toString()).toBe('token');
    expect(copy.buffer.byteLength).toBe(copy.byteLength);
    expect(unpooled(copy)).toBe(copy);
  });
});
