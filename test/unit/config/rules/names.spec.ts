import { describe, expect, it } from 'vitest';
import { editDistance, nearestName } from '../../../../lib/config/rules/names.js';

describe('C4: the most similar name', () => {
  it.each([
    ['timeoutMS', 'timeoutMs'],
    ['client_id', 'clientId'],
    ['client-id', 'clientId'],
    ['Client ID', 'clientId'],
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

describe('the edit distance between two names', () => {
  it.each([
    ['', '', 0],
    ['same', 'same', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['flaw', 'lawn', 2],
    ['kitten', 'sitting', 3],
    ['sandbox', 'sanbox', 1],
    ['abcdef', 'azced', 3],
  ])('from %j to %j are %i', (from, to, slips) => {
    expect(editDistance(from, to)).toBe(slips);
    expect(editDistance(to, from)).toBe(slips);
  });
});
