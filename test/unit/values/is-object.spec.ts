import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { hasAny, isFormData, isPolluted } from '../../../lib/values/objects.js';

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

it('B36: a member of Object.prototype is found, if a loop over an object would find it', () => {
  expect(isPolluted()).toBe(false);
  Reflect.set(Object.prototype, 'added', 1);
  const found = isPolluted();
  Reflect.deleteProperty(Object.prototype, 'added');
  expect(found).toBe(true);
});

it('an object has a member if it has a value, also one that is false', () => {
  const names = ['proxy', 'lookup'];
  const objects = [{}, { proxy: undefined }, { lookup: null }, { other: 1 }, undefined, 'proxy'];
  expect(objects.map((object) => hasAny(object, names))).toEqual(objects.map(() => false));
  const given = [{ proxy: false }, { lookup: 0 }, Object.create({ proxy: {} })];
  expect(given.map((object: unknown) => hasAny(object, names))).toEqual([true, true, true]);
});
