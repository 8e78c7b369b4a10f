import { PassThrough } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import {
  isCopiedByAxios,
  isObject,
  isPlainInAnyRealm,
  isPlainObject,
  isRecord,
  isNodeStream,
} from '../../../lib/values/is-object.js';
import { HTTP_TOKEN, UNFIT_FOR_HEADER } from '../../../lib/values/http-text.js';
import { memberOf } from '../../../lib/values/member-of.js';
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

describe('a text of HTTP', () => {
  it.each(['GET', 'x-a_1', "!#$%&'*+-.^`|~9"])('%s can be a name', (text) => {
    expect(HTTP_TOKEN.test(text)).toBe(true);
  });

  it.each(['', 'a b', ' a', 'a ', 'a:', 'ä', '(a)', '{'])('%j can be no name', (text) => {
    expect(HTTP_TOKEN.test(text)).toBe(false);
  });

  it.each(['', 'a b', '\t', '~', '\u0080', 'ÿ'])('%j fits a header', (text) => {
    expect(UNFIT_FOR_HEADER.test(text)).toBe(false);
  });

  it.each(['a\n', '\0', '\u007f', 'Ā', 'a€b'])('%j does not fit a header', (text) => {
    expect(UNFIT_FOR_HEADER.test(text)).toBe(true);
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
