import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { isNodeStream } from '../../../lib/values/is-node-stream.js';
import { isObject, isRecord } from '../../../lib/values/is-object.js';
import { safely } from '../../../lib/values/safely.js';

describe('an object', () => {
  it.each([
    ['a plain object', {}, true, true],
    ['an object without a prototype', Object.create(null), true, true],
    ['a list', [], true, false],
    ['null', null, false, false],
    ['a text', 'text', false, false],
    ['a function', () => undefined, false, false],
    ['nothing', undefined, false, false],
  ])('%s', (_, value, isAnObject, isARecord) => {
    expect([isObject(value), isRecord(value)]).toEqual([isAnObject, isARecord]);
  });
});

describe('a stream of Node', () => {
  it.each([
    ['a stream', new PassThrough(), true],
    ['an object of an npm package with the method of a stream', { pipe: () => undefined }, true],
    ['an object with another member of that name', { pipe: 'a text' }, false],
    ['an object', {}, false],
    ['a web stream', new ReadableStream(), false],
    ['a function with that method', Object.assign(() => undefined, { pipe: () => undefined }), false],
    ['null', null, false],
    ['a text', 'text', false],
  ])('%s', (_, value, isStream) => {
    expect(isNodeStream(value)).toBe(isStream);
  });
});

describe('code that touches a value of the application', () => {
  it('gives its result', () => {
    expect(safely(() => 'result', 'otherwise')).toBe('result');
  });

  it('S10: gives the other result if it throws, and drops the error', () => {
    const value = {
      get member(): string {
        throw new Error('canary');
      },
    };
    expect(safely(() => value.member, 'otherwise')).toBe('otherwise');
  });
});
