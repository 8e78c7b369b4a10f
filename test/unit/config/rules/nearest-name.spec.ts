import { describe, expect, it } from 'vitest';
import { editDistance, nearestName } from '../../../../lib/config/rules/nearest-name.js';

describe('C4: the name that was probably meant', () => {
  it.each([
    ['timeoutMS', 'timeoutMs'],
    ['client_id', 'clientId'],
    ['client-id', 'clientId'],
    ['Client ID', 'clientId'],
    ['clientIde', 'clientId'],
    ['clintld', 'clientId'],
  ])('is found for %s, whatever its letters and hyphens', (name, meant) => {
    expect(nearestName(name, ['baseUrl', 'clientId', 'timeoutMs'])).toBe(meant);
  });

  it('may be two slips away, and not three', () => {
    expect(nearestName('eay', ['easy'])).toBe('easy');
    expect(nearestName('eays', ['easy'])).toBe('easy');
    expect(nearestName('ebyx', ['easy'])).toBeUndefined();
    expect(nearestName('xyz', ['easy'])).toBeUndefined();
  });

  it('may be one slip in four letters away where it is long', () => {
    expect(nearestName('xxxginations', ['originations'])).toBe('originations');
    expect(nearestName('xxxxinations', ['originations'])).toBeUndefined();
  });

  it('is known by its first three letters, and not by two', () => {
    const known = ['sandbox', 'production'];
    expect(nearestName('pro', known)).toBe('production');
    expect(nearestName('PROD', known)).toBe('production');
    expect(nearestName('pr', known)).toBeUndefined();
    expect(nearestName('box', known)).toBeUndefined();
  });

  it('is the nearer one of two, and the first of two that are as near', () => {
    expect(nearestName('baseUri', ['baseUrls', 'baseUrl'])).toBe('baseUrl');
    expect(nearestName('baseUri', ['baseUrl', 'baseUrn'])).toBe('baseUrl');
    expect(nearestName('baseUri', ['baseUrn', 'baseUrl'])).toBe('baseUrn');
  });
});

describe('the slips between two names', () => {
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
