import { type AxiosAdapter, AxiosHeaders, getAdapter, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import {
  type AdapterTraits,
  applyDeadline,
  createConfigCopy,
  followRedirects,
  traitsOf,
  traitsOfTransport,
} from '../../../../lib/http/adapter/adapter-traits.js';
import { type WireConfig, wireConfig } from '../../../../lib/http/adapter/wire-config.js';
import { CallBudget } from '../../../../lib/wire/call-budget.js';
import { FakeClock } from '../../../support/token/fake-clock.js';

const stub: AxiosAdapter = () => Promise.reject(new Error('not called'));
const close = (): Promise<void> => Promise.resolve();
const beforeRedirect = (): void => undefined;

function configOf(request: object = {}): InternalAxiosRequestConfig {
  return { headers: new AxiosHeaders(), maxRedirects: 3, ...request };
}

/** The copy that an adapter gets for a call with this timeout, and the budget of the call. */
function limited(traits: AdapterTraits, timeout: number): { wire: WireConfig; budget: CallBudget } {
  const config = configOf({ timeout, signal: new AbortController().signal });
  const budget = new CallBudget(config, new FakeClock());
  const wire = wireConfig(config, traits);
  applyDeadline(wire, traits, budget);
  return { wire, budget };
}

describe('an adapter of axios', () => {
  it.each([['http'], ['fetch']] as const)('B4: %s is ended by a cancel token, and needs no timer', (name) => {
    const traits = traitsOf(name);
    expect(traits).toMatchObject({ kind: name, managesConnections: false });
    const { wire, budget } = limited(traits, 500);
    expect(wire).toMatchObject({ timeout: 0, cancelToken: budget.cancellation });
    expect('signal' in wire).toBe(false);
    expect(limited(traits, -1).wire.timeout).toBe(-1);
  });

  it('R11: http calls the hook for each hop', () => {
    const wire: WireConfig = configOf();
    followRedirects(wire, traitsOf('http'), beforeRedirect);
    expect(wire).toMatchObject({ beforeRedirect, maxRedirects: 3 });
    const alone: WireConfig = configOf();
    followRedirects(alone, traitsOf('http'), undefined);
    expect(alone).not.toHaveProperty('beforeRedirect');
  });

  it('R11: fetch follows no redirect, because no hook could check a hop', () => {
    const wire: WireConfig = configOf();
    wire.fetchOptions = { cache: 'no-store' };
    followRedirects(wire, traitsOf('fetch'), () => undefined);
    expect(wire.maxRedirects).toBe(0);
    expect(wire.fetchOptions).toEqual({ cache: 'no-store' });
    expect(wire).not.toHaveProperty('beforeRedirect');
  });
});

describe('an adapter of the application', () => {
  it('B5: is ended by a cancel token or by a signal, whichever it reads', () => {
    const traits = traitsOf(stub);
    expect(traits).toMatchObject({ adapter: stub, kind: 'other', managesConnections: false });
    const { wire, budget } = limited(traits, 500);
    expect(wire).toMatchObject({ timeout: 500, cancelToken: budget.cancellation });
    expect(wire.signal).toBe(budget.cancellation.toAbortSignal());
    expect(Object.keys(wire)).not.toContain('signal');
  });

  it('R11: gets the hook, in case it follows redirects', () => {
    const wire: WireConfig = configOf();
    followRedirects(wire, traitsOf(stub), beforeRedirect);
    expect(wire).toMatchObject({ beforeRedirect, maxRedirects: 3 });
  });

  it('S6: follows no redirect if it uses another fetch', () => {
    const another = getAdapter('fetch', { env: { fetch: globalThis.fetch, Request, Response } } as never);
    const wire = { maxRedirects: 5, fetchOptions: { cache: 'no-store' } };
    followRedirects(wire as never, traitsOf(another), undefined);
    expect(wire.fetchOptions).toEqual({ cache: 'no-store', redirect: 'manual' });
  });
});

describe('a transport', () => {
  it('B12: makes its own connections, and acts as http if its connection says so', () => {
    const acting = traitsOfTransport({ adapter: stub, actsAsHttp: true, close });
    expect(acting).toMatchObject({ adapter: stub, kind: 'http', managesConnections: true });
    expect(limited(acting, 500).wire.timeout).toBe(0);
    const other = traitsOfTransport({ adapter: stub, close });
    expect(other).toMatchObject({ adapter: stub, kind: 'other', managesConnections: true });
    expect(limited(other, 500).wire.timeout).toBe(500);
  });
});

describe('the adapter that a request chooses', () => {
  it('C2: is found by name, by function and in a list', () => {
    expect(traitsOf('http', configOf()).adapter).toBe(getAdapter('http'));
    expect(traitsOf(stub, configOf()).adapter).toBe(stub);
    expect(traitsOf([stub, 'http'], configOf()).adapter).toBe(stub);
    expect(traitsOf('http', configOf()).managesConnections).toBe(false);
  });

  it('B14: is examined once', () => {
    expect(traitsOf(stub, configOf())).toBe(traitsOf(stub, configOf()));
  });
});

describe('the empty copy of a config', () => {
  it.each([
    ['http', traitsOf('http')],
    ['fetch', traitsOf('fetch')],
    ['a transport', traitsOfTransport({ adapter: stub, actsAsHttp: true, close })],
    ['an adapter of the application', traitsOf(stub)],
  ])('B12: inherits nothing from Object.prototype: for %s', (_, traits) => {
    const copy = (): object => createConfigCopy(traits);
    expect(copy()).not.toBe(copy());
    for (let chain: unknown = copy(); chain !== null; chain = Object.getPrototypeOf(chain)) {
      expect(chain).not.toBe(Object.prototype);
    }
    expect(Object.keys(copy())).toEqual([]);
  });

  const traits = traitsOf(stub);

  it('B5: makes its signal at the first read', () => {
    const copy = createConfigCopy(traits) as WireConfig;
    expect(copy.signal).toBeUndefined();
    const budget = new CallBudget(configOf(), new FakeClock());
    const make = vi.spyOn(budget.cancellation, 'toAbortSignal');
    applyDeadline(copy, traits, budget);
    expect(make).not.toHaveBeenCalled();
    expect(copy.signal).toBe(budget.cancellation.toAbortSignal());
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('B5: takes another signal, as any config does', () => {
    const copy = createConfigCopy(traits) as { signal?: AbortSignal | undefined };
    const { signal } = new AbortController();
    copy.signal = signal;
    expect(Object.entries(copy)).toEqual([['signal', signal]]);
    copy.signal = undefined;
    expect(copy.signal).toBeUndefined();
    delete copy.signal;
    expect(Object.keys(copy)).toEqual([]);
    expect((createConfigCopy(traits) as { signal?: AbortSignal }).signal).toBeUndefined();
  });
});
