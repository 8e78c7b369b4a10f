import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { empty, endedBy, swift, withSignal } from '../../../../lib/http/adapter/config-prototypes.js';
import { authorize, fixedFormType, wireConfig as copyFor } from '../../../../lib/http/adapter/wire-config.js';

const marked = Symbol('of a cache');

function wireConfig(config: InternalAxiosRequestConfig, blank: object) {
  return copyFor(config, { blank: () => blank, isKnown: true });
}

function configOf(request: object = {}, headers = {}): InternalAxiosRequestConfig {
  return { url: '/x', headers: new AxiosHeaders(headers), ...request };
}

describe('the config on the wire', () => {
  it('B12: is a copy of all that the caller set, symbols included', () => {
    const config = configOf({ data: 'body', [marked]: 'mine' }, { Accept: 'text/plain' });
    const wire = wireConfig(config, empty());
    expect(Object.keys(wire)).toEqual(Object.keys(config));
    expect(Reflect.get(wire, marked)).toBe('mine');
    expect(wire.headers).not.toBe(config.headers);
    expect(wire.headers).toBeInstanceOf(AxiosHeaders);
    expect(wire.headers.get('accept')).toBe('text/plain');
  });

  it.each([
    ['empty', empty],
    ['swift', swift],
    ['with a signal', withSignal],
  ])('B12: inherits nothing that somebody put on all objects: %s', (_, blank) => {
    expect(blank()).not.toBe(blank());
    for (let chain: unknown = blank(); chain !== null; chain = Object.getPrototypeOf(chain)) {
      expect(chain).not.toBe(Object.prototype);
    }
    expect(Object.keys(blank())).toEqual([]);
  });

  it('B5: makes its signal only for who looks at it', () => {
    const blank = withSignal() as { signal?: AbortSignal };
    expect(blank.signal).toBeUndefined();
    let made = 0;
    const { signal } = new AbortController();
    const end = {
      get signal(): AbortSignal {
        made += 1;
        return signal;
      },
    };
    endedBy(blank, end);
    expect(made).toBe(0);
    expect(blank.signal).toBe(signal);
    expect(made).toBe(1);
  });

  it('B5: takes another signal from who sets one, as any config does', () => {
    const blank = withSignal() as { signal?: AbortSignal | undefined };
    const { signal } = new AbortController();
    blank.signal = signal;
    expect(Object.entries(blank)).toEqual([['signal', signal]]);
    blank.signal = undefined;
    expect(blank.signal).toBeUndefined();
    delete blank.signal;
    expect(Object.keys(blank)).toEqual([]);
    expect((withSignal() as { signal?: AbortSignal }).signal).toBeUndefined();
  });

  it.each([
    ['Authorization', {}],
    ['authorization', { authorization: false }],
    ['AUTHORIZATION', { AUTHORIZATION: '' }],
  ])('S6: has one %s header, in the case in which it was there', (name, headers) => {
    const wire = wireConfig(configOf({}, headers), empty());
    authorize(wire, 'Bearer x');
    expect(Object.entries(wire.headers)).toEqual([[name, 'Bearer x']]);
  });
});

describe('the content type of a form', () => {
  it('B4: has a boundary that stays the same for a resend, and is of this form alone', () => {
    const types = [1, 2].map(() => fixedFormType(configOf({ data: new FormData() })));
    for (const type of types)
      expect(type).toMatch(/^multipart\/form-data; boundary=provider-auth-[\da-f]{36}$/);
    expect(types[0]).not.toBe(types[1]);
  });

  it.each([
    ['no type', {}],
    ['a type without a boundary', { 'Content-Type': 'multipart/form-data' }],
  ])('B4: is ours where the caller gave %s', (_, headers) => {
    expect(fixedFormType(configOf({ data: new FormData() }, headers))).toBeDefined();
  });

  it("B4: is the caller's where it has a boundary", () => {
    const headers = { 'content-type': 'multipart/form-data; Boundary=theirs' };
    expect(fixedFormType(configOf({ data: new FormData() }, headers))).toBeUndefined();
  });

  it('B4: is none of ours for any other body', () => {
    for (const data of ['text', undefined, new URLSearchParams('a=b')])
      expect(fixedFormType(configOf({ data }))).toBeUndefined();
  });
});
