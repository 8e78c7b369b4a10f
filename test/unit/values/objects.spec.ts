import { PassThrough, Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import {
  hasAny,
  isCopiedByAxios,
  isFormData,
  isNodeStream,
  isPlainInAnyRealm,
  isPlainObject,
  memberOf,
} from '../../../lib/values/objects.js';

describe('a plain object', () => {
  it.each([
    ['an object literal', {}, true, true, true],
    ['an object without a prototype', Object.create(null), true, true, true],
    ['an object literal of another realm', runInNewContext('({})'), false, true, false],
    ['an object with a tag', { [Symbol.toStringTag]: 'tag' }, true, true, false],
    ['an object that can be iterated', { *[Symbol.iterator]() {} }, true, true, false],
    ['an instance of a class', new (class {})(), false, false, false],
    ['a list', [], false, false, false],
    ['a date', new Date(), false, false, false],
  ])('%s', (_, value: object, isPlain, isPlainAnywhere, isCopied) => {
    expect([isPlainObject(value), isPlainInAnyRealm(value), isCopiedByAxios(value)]).toEqual([
      isPlain,
      isPlainAnywhere,
      isCopied,
    ]);
  });

  it.each([null, undefined, 'text', 1])('is not %s', (value) => {
    expect([isPlainObject(value), isCopiedByAxios(value)]).toEqual([false, false]);
  });
});

describe('a member of an object', () => {
  afterEach(() => {
    Reflect.deleteProperty(Object.prototype, 'proxy');
  });

  class Options {
    get proxy(): string {
      return 'of the class';
    }
  }

  it.each([
    ['its own', { proxy: 'its own' }, 'its own'],
    [
      'one of an object without a prototype',
      Object.assign(Object.create(null), { proxy: 'its own' }),
      'its own',
    ],
    ['one of its class', new Options(), 'of the class'],
    ['one of a class further up', new (class extends Options {})(), 'of the class'],
    ['none', {}, undefined],
    ['none, in an object without a prototype', Object.create(null), undefined],
  ])('B36: %s, also if Object.prototype is polluted', (_, object: object, value) => {
    expect(memberOf(object, 'proxy')).toBe(value);
    Reflect.defineProperty(Object.prototype, 'proxy', { value: 'polluted', configurable: true });
    expect(memberOf(object, 'proxy')).toBe(value);
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

/** Has the tag of a form, as forms of packages have. */
function tagged(members: object): object {
  return Object.assign(members, { [Symbol.toStringTag]: 'FormData' });
}

describe('a form', () => {
  it.each([
    ['the global FormData', new FormData(), true],
    ['a form of a package', tagged({}), true],
    ['a form that is a stream', tagged(new Readable()), false],
    ['an object', {}, false],
    ['a text', '[object FormData]', false],
    ['nothing', undefined, false],
  ])('%s', (_, body, isForm) => {
    expect(isFormData(body)).toBe(isForm);
  });
});

it('an object has a member if it has a value, also one that is false', () => {
  const names = ['proxy', 'lookup'];
  const objects = [{}, { proxy: undefined }, { lookup: null }, { other: 1 }, undefined, 'proxy'];
  expect(objects.map((object) => hasAny(object, names))).toEqual(objects.map(() => false));
  const given = [{ proxy: false }, { lookup: 0 }, Object.create({ proxy: {} })];
  expect(given.map((object: unknown) => hasAny(object, names))).toEqual([true, true, true]);
});
