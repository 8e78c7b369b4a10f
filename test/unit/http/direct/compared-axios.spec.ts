import axios, { Axios, create } from 'axios';
import lowestAxios, { Axios as LowestAxios } from 'axios-lowest';
import { describe, expect, it } from 'vitest';
import {
  areMethodsOfAxios,
  COMPARED_AXIOS,
  isComparedAxios,
} from '../../../../lib/http/direct/compared-axios.js';

const versionOf = (loaded: object): unknown => Reflect.get(loaded, 'VERSION');

describe('the versions of axios that the direct path was compared with', () => {
  it('B36: the installed axios is one of them', () => {
    expect(isComparedAxios()).toBe(true);
    expect(versionOf(axios)).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('B36: the lowest axios of the peer range is the lowest of them', () => {
    expect(versionOf(lowestAxios)).toBe(COMPARED_AXIOS.lowest);
  });

  it.each(['1.20.0', '1.20.3', '1.21.0', '1.21.1'])('B36: %s is one of them', (version) => {
    expect(isComparedAxios(version)).toBe(true);
  });

  it.each([
    '1.9.0',
    '1.19.9',
    '1.21.1-beta.1',
    '1.21.2',
    '1.21.10',
    '1.22.0',
    '1.100.0',
    '2.0.0',
    '',
    undefined,
  ])('B36: %s is none of them', (version) => {
    expect(isComparedAxios(version ?? null)).toBe(false);
  });
});

describe('the methods of axios', () => {
  it.each([
    ['the installed axios', Axios.prototype],
    ['the lowest axios', LowestAxios.prototype],
  ])('B36: are recognised in %s', (_, prototype) => {
    expect(areMethodsOfAxios(prototype)).toBe(true);
  });

  it.each(['request', 'get', 'delete', 'head', 'options', 'post', 'put', 'patch'])(
    'B36: a replaced %s is noticed',
    (method) => {
      const original = Reflect.get(Axios.prototype, method) as (...given: unknown[]) => unknown;
      const replaced = Object.create(Axios.prototype, {
        [method]: {
          value: function traced(this: unknown, ...given: unknown[]) {
            return Reflect.apply(original, this, given);
          },
        },
      }) as Axios;
      expect(areMethodsOfAxios(replaced)).toBe(false);
      const bound = Object.create(Axios.prototype, { [method]: { value: original.bind(create()) } }) as Axios;
      expect(areMethodsOfAxios(bound)).toBe(false);
    },
  );
});
