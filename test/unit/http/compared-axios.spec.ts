import { Axios } from 'axios';
import { describe, expect, it } from 'vitest';
import {
  areMethodsOfAxios,
  COMPARED_AXIOS,
  isAxiosSince,
  isComparedAxios,
} from '../../../lib/http/axios/compared-axios.js';

const METHODS = ['request', 'get', 'delete', 'head', 'options', 'post', 'put', 'patch'];

describe('B17: the short way', () => {
  const { lowest, highest } = COMPARED_AXIOS;

  it.each([
    [lowest, true],
    [highest, true],
    ['1.9.0', false],
    [`${highest}0`, false],
    [['1.20.0'], false],
  ])('is compared with axios %j: %j', (version, isCompared) => {
    expect(isComparedAxios(version)).toBe(isCompared);
  });

  it('compares versions as numbers', () => {
    expect(isAxiosSince('1.9.0', '1.20.0')).toBe(true);
  });

  it.each(METHODS)('is left if instrumentation has replaced %s of axios', (method) => {
    const changed = Object.create(Axios.prototype, { [method]: { value: () => undefined } }) as Axios;
    expect(areMethodsOfAxios(Axios.prototype)).toBe(true);
    expect(areMethodsOfAxios(changed)).toBe(false);
  });
});
