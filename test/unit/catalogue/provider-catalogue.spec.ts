import { expect, it } from 'vitest';
import type { InterfaceEntry } from '../../../lib/catalogue/catalogue.js';
import { PROVIDER_CATALOGUE, PROVIDER_ENVIRONMENTS } from '../../../lib/catalogue/provider-catalogue.js';

const { originations, easy }: Readonly<Record<string, InterfaceEntry>> = PROVIDER_CATALOGUE;

it('S5: each interface has a sandbox and a production', () => {
  expect(PROVIDER_ENVIRONMENTS).toEqual(['sandbox', 'production']);
  expect(Object.keys(PROVIDER_CATALOGUE)).toEqual(expect.arrayContaining(['originations', 'easy']));
});

it.each([
  [originations, '/oauth/token', true],
  [originations, '/tenant/oauth/token', true],
  [originations, '/oauth/token/', false],
  [originations, '/oauth-token', false],
  [originations, '/auth/v0/connect/token', false],
  [easy, '/auth/v0/connect/token', true],
  [easy, '/tenant/auth/v12/connect/token', true],
  [easy, '/auth/v/connect/token', false],
  [easy, '/auth/vx/connect/token', false],
  [easy, '/auth/v0/connect/token/x', false],
  [easy, '/oauth/token', false],
])('S4: the path of a token URL must end as in the document: case %#, %s', (entry, path, isRight) => {
  expect(entry?.tokenPath?.test(path)).toBe(isRight);
});

it('S4, S5: the token URL of easy is that of its environment; that of originations serves both', () => {
  expect([originations?.tokenUrlPer, easy?.tokenUrlPer]).toEqual(['interface', 'environment']);
  expect([originations?.unshared, easy?.unshared]).toEqual([['clientId'], ['clientId', 'tokenUrl']]);
});

it('S4: the example of an ending is an ending that is accepted', () => {
  expect(originations?.tokenPathExample).toMatch(originations?.tokenPath ?? /$^/);
  expect(easy?.tokenPathExample).toMatch(easy?.tokenPath ?? /$^/);
});
