import assert from 'node:assert/strict';
import { format } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AccessToken, Secret } from '../../lib/index.js';
import { Deadline } from '../../lib/time/deadline.js';
import { systemClock } from '../../lib/time/clock.js';
import { CanaryScanner } from '../support/secrets/canary-scanner.js';
import { loggerRenderings } from '../support/secrets/logger-renderings.js';

const CANARIES = { secret: 'cAnArY-s3cr3t&=+% ü/"-0815', token: 'cAnArY.t0k3n-~_+/4242==' };
const life = { deadline: Deadline.after(systemClock, 60_000), lifetimeMs: 60_000 };
const scanner = new CanaryScanner(CANARIES, loggerRenderings);

describe.each([
  ['Secret', new Secret(CANARIES.secret)],
  ['AccessToken', new AccessToken(CANARIES.token, life)],
])('S10: %s shows nothing', (_, value) => {
  it.each<[string, () => unknown]>([
    ['itself', () => value],
    ['inside of something', () => ({ value, list: [value], map: new Map([['value', value]]) })],
    ['in an error', () => Object.assign(new Error('failed', { cause: value }), { value })],
    ['in a template', () => `a ${value as unknown as string}`],
    ['joined to a text', () => 'a '.concat(value as unknown as string)],
    ['as a key', () => ({ [String(value)]: 1 })],
    ['as a number', () => Number(value)],
    ['as a date', () => new Date(value as unknown as string)],
    ['sorted and joined', () => [value, value].map(String).join()],
    ['formatted', () => format('%s %d %i %f %j %o %O', value, value, value, value, value, value, value)],
    ['in a URL', () => new URL(`https://host.example/?value=${value as unknown as string}`)],
    ['in a query', () => new URLSearchParams({ value: value as unknown as string }).toString()],
    ['as bytes', () => Buffer.from(value as unknown as string)],
    ['copied by spreading', () => ({ ...(value as object) })],
    ['copied by Object.assign', () => Object.assign({}, value)],
    ['cloned', () => structuredClone(value)],
    ['cloned inside of something', () => structuredClone({ value, list: [value] })],
    ['sent and revived', () => JSON.parse(JSON.stringify({ value })) as unknown],
    ['in what deepEqual says', () => said(() => assert.deepEqual(value, { other: 1 }))],
    ['in what deepEqual says of objects', () => said(() => assert.deepEqual({ a: value }, { a: 'b' }))],
    ['in what equal says', () => said(() => assert.equal(value, 'other'))],
    ['in what match says', () => said(() => assert.match(value as unknown as string, /other/))],
    ['in what a test framework says', () => said(() => expect({ value }).toEqual({ value: 'other' }))],
    [
      'in what an unknown method says',
      () => said(() => (value as unknown as Record<string, () => void>)['nix']?.()),
    ],
    ['in its prototype and class', () => [Object.getPrototypeOf(value), value.constructor]],
  ])('%s', (_, make) => {
    expect(scanner.scan(make())).toEqual([]);
  });

  it('changed from outside', () => {
    expect(() => Object.assign(value, { value: 'mine' })).toThrow(TypeError);
    expect(Object.isFrozen(value)).toBe(true);
  });
});

function said(assertion: () => unknown): unknown {
  try {
    return assertion();
  } catch (error) {
    return error;
  }
}
