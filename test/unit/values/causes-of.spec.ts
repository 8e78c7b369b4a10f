import { expect, it } from 'vitest';
import { proxyErrorIn, ProxyError } from '../../../lib/net/proxy.js';
import { causesOf } from '../../../lib/values/causes-of.js';

it('the causes of an error are found once each, also in a circle', () => {
  const inner = new ProxyError('the proxy', 'ECONNREFUSED');
  const outer = new Error('outer', { cause: new Error('between', { cause: inner }) });
  inner.cause = outer;
  expect([...causesOf(outer)].map(({ message }) => message)).toEqual(['outer', 'between', 'the proxy']);
  expect(proxyErrorIn(outer)).toBe(inner);
  expect([...causesOf('a text')]).toEqual([]);
});
