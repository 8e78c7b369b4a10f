import { describe, expect, it } from 'vitest';
import { formsOf } from '../../../lib/secrets/credential-forms.js';

describe('the forms in which a server might repeat a credential', () => {
  it('S10: are what headers, forms, URLs and dumps make of it, in lower case', () => {
    expect(formsOf('A b?~ü')).toEqual([
      'a b?~ü',
      'a%20b%3f~%c3%bc',
      'a+b%3f%7e%c3%bc',
      'qsbip37dva',
      'qsbip37dva',
      '4120623f7ec3bc',
    ]);
  });

  it('S10: leave out the padding of base64, which may be cut off, and nothing else', () => {
    const [, , , base64] = formsOf('a');
    expect(base64).toBe('yq');
    expect(formsOf('ab')[3]).toBe('ywi');
    expect(formsOf('a=b==')[0]).toBe('a=b==');
  });

  it('S10: know both alphabets of base64', () => {
    expect(formsOf('??>').slice(3, 5)).toEqual(['pz8+', 'pz8-']);
  });
});
