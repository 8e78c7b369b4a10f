import { create } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { ConfigTemplates } from '../../../../lib/http/direct/config-templates.js';

describe('the forms of calls', () => {
  it('B13 B36: a member name that differs for each call costs no memory beyond a bound', () => {
    const templates = new ConfigTemplates(create().defaults);
    expect(templates.create('get', { url: '/a' })?.url).toBe('/a');
    const created = (from: number, to: number): boolean[] => {
      const outcomes: boolean[] = [];
      for (let index = from; index < to; index += 1)
        outcomes.push(templates.create('get', { url: '/a', [`_call-${index}`]: 1 }) !== undefined);
      return outcomes;
    };
    expect(created(0, 50).every(Boolean)).toBe(true);
    expect(created(50, 3_000).slice(-1_000).some(Boolean)).toBe(false);

    const grown = vi.spyOn(Map.prototype, 'set');
    created(3_000, 3_100);
    const growth = grown.mock.calls.length;
    grown.mockRestore();
    expect(growth).toBe(0);
    expect(templates.create('get', { url: '/b' })?.url).toBe('/b');
  });

  it('B13 B36: so does a form that axios refuses', () => {
    const templates = new ConfigTemplates(create().defaults);
    const grown = vi.spyOn(Map.prototype, 'set');
    for (let index = 0; index < 3_000; index += 1)
      templates.create('get', {
        url: '/a',
        [`_call-${index}`]: 1,
        paramsSerializer: { encode: 'no function' },
      });
    const growth = grown.mock.calls.length;
    grown.mockRestore();
    expect(growth).toBeLessThan(2_000);
  });
});
