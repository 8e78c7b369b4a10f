import assert from 'node:assert/strict';
import { format } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AccessToken, Secret } from '../../../lib/index.js';
import { Deadline, systemClock } from '../../../lib/time/clock.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';
import { loggerRenderings } from '../../support/secrets/logger-renderings.js';

const CANARIES = { secret: 'cAnArY-s3cr3t&=+% ü/"-0815', token: 'cAnArY.t0k3n-~_+/4242==' };
const life = { deadline: Deadline.after(systemClock, 60_000), lifetimeMs: 60_000 };
const scanner = new CanaryScanner(CANARIES, loggerRenderings);

describe.each([
  ['Secret', new Secret(CANARIES.secret)],
  ['AccessToken', new AccessToken(CANARIES.token, life)],
])('S10: %s shows nothing', (_, value) => {
  it.each<[string, () => unknown]>([
    ['itself', () => value],
    [
      'inside of an object, a list and a map',
      () => ({ value, list: [value], map: new Map([['value', value]]) }),
    ],
    ['in an error', () => Object.assign(new Error('failed', { cause: value }), { value })],
    ['in a template', () => `a ${value as unknown as string}`],
    ['as a number', () => Number(value)],
    ['formatted', () => format('%s %d %i %f %j %o %O', value, value, value, value, value, value, value)],
    // A copy: on Node 24 and later, the memory of small buffers also has text of this file.
    ['as bytes', () => new Uint8Array(Buffer.from(value as unknown as string))],
    ['copied by spreading', () => ({ ...(value as object) })],
    ['cloned inside of an object', () => structuredClone({ value, list: [value] })],
    ['sent and revived', () => JSON.parse(JSON.stringify({ value })) as unknown],
    [
      'in the message of deepEqual about objects',
      () => messageOf(() => assert.deepEqual({ a: value }, { a: 'b' })),
    ],
    [
      'in the message of a test framework',
      () => messageOf(() => expect({ value }).toEqual({ value: 'other' })),
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

function messageOf(assertion: () => unknown): unknown {
  try {
    return assertion();
  } catch (error) {
    return error;
  }
}
