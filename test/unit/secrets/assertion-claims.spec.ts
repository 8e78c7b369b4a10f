import { describe, expect, it } from 'vitest';
import { claimsOf, endOf } from '../../../lib/secrets/assertion-claims.js';
import { Secret } from '../../../lib/secrets/secret.js';

const withPayload = (payload: string): Secret =>
  new Secret(`e30.${Buffer.from(payload).toString('base64url')}.signature`);
const END_S = 1_772_366_400;

describe('B32: the claims of an assertion', () => {
  it.each([
    ['seconds', `{"exp":${END_S}}`, END_S * 1000],
    ['a fraction', `{"exp":${END_S}.5}`, END_S * 1000 + 500],
    ['a text', `{"exp":"${END_S}"}`, undefined],
    ['too large for a number', '{"exp":1e999}', undefined],
    ['null', '{"exp":null}', undefined],
    ['absent', '{"iss":"ä"}', undefined],
    ['in a list', `[{"exp":${END_S}}]`, undefined],
  ])('B32: an end that is %s', (_, payload, end) => {
    expect(endOf(withPayload(payload))).toBe(end);
  });

  it('B32: what is no JWT has none', () => {
    const assertions = ['', 'a', 'a.b', 'a.b.c', 'a..c', '..', 'a.e30.c.d.e', `e30.${'A'.repeat(64_000)}.x`];
    expect(assertions.filter((one) => claimsOf(new Secret(one)) !== undefined)).toEqual([]);
  });

  it('B36: a polluted Object.prototype gives an assertion neither an end nor an identity', () => {
    const polluted = { exp: 1, iss: 'a', sub: 'b' };
    Object.assign(Object.prototype, polluted);
    try {
      const { exp, iss, sub } = claimsOf(withPayload('{}')) ?? {};
      expect([exp, iss, sub]).toEqual([undefined, undefined, undefined]);
      expect(endOf(withPayload('{}'))).toBeUndefined();
    } finally {
      for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name);
    }
  });
});
