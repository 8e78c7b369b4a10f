import { describe, expect, it } from 'vitest';
import { formsOf, reduced } from '../../../lib/secrets/credential-forms.js';

describe('the forms in which a server might repeat a credential', () => {
  it('S10: are what headers, forms, URLs and dumps make of it, letters and digits in lower case', () => {
    const base64 = reduced(Buffer.from('A b?~ü!').toString('base64').slice(0, -2));
    const forms = ['a20b3fc3bc', '4120623f7ec3bc21', '6532986312619518833', base64];
    expect(formsOf('A b?~ü!')).toEqual(expect.arrayContaining(forms));
    expect(formsOf('A b?~ü!-')).not.toContain('abü');
    expect(formsOf('A b?~üx')).toContain('abüx');
  });

  it('S10: leave out what is no longer than a syllable, such as the letters of a weak credential', () => {
    expect(formsOf('ab').every(({ length }) => length >= 4)).toBe(true);
    expect(formsOf('?!')).not.toContain('');
  });

  it('S10: contain UTF-16 without the zero at its end, because a dump may have the zero in front', () => {
    const hex = Buffer.from('Łódź-4711', 'utf16le').toString('hex');
    expect(formsOf('Łódź-4711')).toContain(hex.slice(0, -2));
    const whole = Buffer.from('4711-aŁ', 'utf16le').toString('hex');
    expect(formsOf('4711-aŁ')).toContain(whole);
  });

  it('S10: are each there backwards, too', () => {
    expect(formsOf('s3cret')).toEqual(expect.arrayContaining(['s3cret', 'terc3s']));
  });

  it('S10: ignore spaces, quotes, prefixes and capitals', () => {
    expect(reduced('S-3 c"R\n_e.T')).toBe('s3cret');
    expect(reduced('0x53 0x33')).toBe('5333');
  });
});
