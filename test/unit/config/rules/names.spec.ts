import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../../lib/config/rules/names.js';

describe('C4: the most similar name', () => {
  it.each([
    ['timeoutMS', 'timeoutMs'],
    ['client_id', 'clientId'],
    ['clientIde', 'clientId'],
    ['clintld', 'clientId'],
  ])('is found for %s, with any capitals and hyphens', (name, meant) => {
    expect(nearestName(name, ['baseUrl', 'clientId', 'timeoutMs'])).toBe(meant);
  });

  it('may have two typing errors, and not three', () => {
    expect(nearestName('eay', ['easy'])).toBe('easy');
    expect(nearestName('eays', ['easy'])).toBe('easy');
    expect(nearestName('ebyx', ['easy'])).toBeUndefined();
    expect(nearestName('xyz', ['easy'])).toBeUndefined();
  });

  it('may have one typing error in four letters if it is long', () => {
    expect(nearestName('xxxginations', ['originations'])).toBe('originations');
    expect(nearestName('xxxxinations', ['originations'])).toBeUndefined();
  });

  it('is found by its first three letters, and not by two', () => {
    const known = ['sandbox', 'production'];
    expect(nearestName('pro', known)).toBe('production');
    expect(nearestName('PROD', known)).toBe('production');
    expect(nearestName('pr', known)).toBeUndefined();
    expect(nearestName('box', known)).toBeUndefined();
  });

  it('is the more similar of two names, and the first of two equally similar names', () => {
    expect(nearestName('baseUri', ['baseUrls', 'baseUrl'])).toBe('baseUrl');
    expect(nearestName('baseUri', ['baseUrl', 'baseUrn'])).toBe('baseUrl');
    expect(nearestName('baseUri', ['baseUrn', 'baseUrl'])).toBe('baseUrn');
  });
});
