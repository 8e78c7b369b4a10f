import { types } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { copyOf, textOf, wrapped, wrappedLookup } from '../../../../lib/http/adapter/member-copies.js';

const lookup = async (): Promise<string> => '127.0.0.1';

describe('a copy of a member', () => {
  it('B28: is another object at each level, with the same content', () => {
    const value = { list: [1, { two: [2] }], none: null, text: 'x', params: new URLSearchParams('a=b') };
    const copy = copyOf(value) as typeof value;
    expect(copy).toEqual(value);
    expect(copy).not.toBe(value);
    expect(copy.list).not.toBe(value.list);
    expect(copy.list[1]).not.toBe(value.list[1]);
    expect(copy.params).not.toBe(value.params);
  });

  it('B28: may lead back to itself', () => {
    const value: { self?: unknown; list: unknown[] } = { list: [] };
    value.self = value;
    value.list.push(value.list, value);
    const copy = copyOf(value) as typeof value;
    expect(copy.self).toBe(copy);
    expect(copy.list[0]).toBe(copy.list);
    expect(copy.list[1]).toBe(copy);
  });

  it('B28: is made of an object of another realm', () => {
    const value = runInContext('({ deep: { list: [1] } })', createContext()) as object;
    const copy = copyOf(value) as { deep: { list: number[] } };
    expect(copy).not.toBe(value);
    expect(copy.deep.list[0]).toBe(1);
  });

  it('B28: has the prototype of no member', () => {
    const copy = copyOf(JSON.parse('{"__proto__":{"polluted":true},"a":1}')) as object;
    expect(copy).toEqual({ a: 1 });
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it.each([1, 'text', true, null, undefined, Symbol.iterator, new Date(0), Buffer.from('x')])(
    'B28: is the value itself where there is nothing to copy: %s',
    (value) => {
      expect(copyOf(value)).toBe(value);
    },
  );
});

describe('a function of ours', () => {
  it("B28: calls the caller's, with no this, and is the same for the same function", () => {
    const seen: unknown[] = [];
    const call = function (this: unknown, ...given: unknown[]): number {
      seen.push(this, ...given);
      return 7;
    };
    const own = wrapped(call);
    expect(own).not.toBe(call);
    expect(wrapped(call)).toBe(own);
    expect((copyOf({ call }) as { call: unknown }).call).toBe(own);
    expect(Reflect.apply(own, 'this', [1, 2])).toBe(7);
    expect(seen).toEqual([undefined, 1, 2]);
  });

  it('B28: is asynchronous where axios asks whether it is', async () => {
    expect(types.isAsyncFunction(wrappedLookup(lookup))).toBe(true);
    expect(await wrappedLookup(lookup)()).toBe('127.0.0.1');
    expect(types.isAsyncFunction(wrappedLookup(() => undefined))).toBe(false);
  });
});

it('S6: an address that is no text is read once', () => {
  expect(textOf(new URL('https://api.example.com/x'))).toBe('https://api.example.com/x');
});
