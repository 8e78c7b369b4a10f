import { type AxiosAdapter, AxiosHeaders, getAdapter, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { CallBudget } from '../../../../lib/http/adapter/call-budget.js';
import {
  type Carrier,
  carrierOf,
  carrierOfTransport,
  chosenCarrier,
} from '../../../../lib/http/adapter/adapter-traits.js';
import { type WireConfig, wireConfig } from '../../../../lib/http/adapter/wire-config.js';
import { CallTrace } from '../../../../lib/http/redaction/call-trace.js';
import { FakeClock } from '../../../support/token/fake-clock.js';

const stub: AxiosAdapter = () => Promise.reject(new Error('not called'));
const close = (): Promise<void> => Promise.resolve();
const beforeRedirect = (): void => undefined;

function configOf(request: object = {}): InternalAxiosRequestConfig {
  return { headers: new AxiosHeaders(), maxRedirects: 3, ...request };
}

/** What a carrier makes of a config, under a budget of this timeout. */
function limited(carrier: Carrier, timeout: number): { wire: WireConfig; budget: CallBudget } {
  const config = configOf({ timeout, signal: new AbortController().signal });
  const budget = new CallBudget(new CallTrace(config), new FakeClock());
  const wire = wireConfig(config, carrier);
  carrier.limit(wire, budget);
  return { wire, budget };
}

describe('an adapter of axios', () => {
  it.each([
    ['http', true],
    ['fetch', false],
  ] as const)('B4: %s is ended by a cancel token, and needs no timer of its own', (name, isHttp) => {
    const carrier = carrierOf(getAdapter(name));
    expect(carrier.isHttp).toBe(isHttp);
    const { wire, budget } = limited(carrier, 500);
    expect(wire).toMatchObject({ timeout: 0, cancelToken: budget.cancellation });
    expect('signal' in wire).toBe(false);
    expect(limited(carrier, -1).wire.timeout).toBe(-1);
  });

  it('R11: http judges each hop', () => {
    const wire: WireConfig = configOf();
    carrierOf(getAdapter('http')).redirect(wire, beforeRedirect);
    expect(wire).toMatchObject({ beforeRedirect, maxRedirects: 3 });
    const alone: WireConfig = configOf();
    carrierOf(getAdapter('http')).redirect(alone, undefined);
    expect(alone).not.toHaveProperty('beforeRedirect');
  });

  it('R11: fetch follows no redirect, because nobody could judge a hop', () => {
    const wire: WireConfig = configOf();
    carrierOf(getAdapter('fetch')).redirect(wire, () => undefined);
    expect(wire.maxRedirects).toBe(0);
    expect(wire).not.toHaveProperty('beforeRedirect');
  });
});

describe('an adapter of somebody else', () => {
  it('B5: is ended by a cancel token or by a signal, whichever it looks at', () => {
    const carrier = carrierOf(stub);
    expect(carrier).toMatchObject({ adapter: stub, isHttp: false });
    const { wire, budget } = limited(carrier, 500);
    expect(wire).toMatchObject({ timeout: 500, cancelToken: budget.cancellation });
    expect(wire.signal).toBe(budget.signal);
    expect(Object.keys(wire)).not.toContain('signal');
  });

  it('R11: judges hops, if it makes any', () => {
    const wire: WireConfig = configOf();
    carrierOf(stub).redirect(wire, beforeRedirect);
    expect(wire).toMatchObject({ beforeRedirect, maxRedirects: 3 });
  });
});

describe('a transport', () => {
  it('B12: has connections of its own, and acts as http where it says so', () => {
    const acting = carrierOfTransport({ adapter: stub, actsAsHttp: true, close });
    expect(acting).toMatchObject({ adapter: stub, isHttp: true, managesConnections: true });
    expect(limited(acting, 500).wire.timeout).toBe(0);
    expect(Object.getPrototypeOf(acting.blank())).not.toBeNull();
    const other = carrierOfTransport({ adapter: stub, close });
    expect(other).toMatchObject({ adapter: stub, isHttp: false, managesConnections: true });
    expect(limited(other, 500).wire.timeout).toBe(500);
  });
});

describe('the adapter that a request chooses', () => {
  it('C2: is found by name, by function and in a list', () => {
    expect(chosenCarrier('http', configOf()).adapter).toBe(getAdapter('http'));
    expect(chosenCarrier(stub, configOf()).adapter).toBe(stub);
    expect(chosenCarrier([stub, 'http'], configOf()).adapter).toBe(stub);
    expect(chosenCarrier('http', configOf()).managesConnections).toBeUndefined();
  });

  it('B14: is looked at once', () => {
    expect(chosenCarrier(stub, configOf())).toBe(chosenCarrier(stub, configOf()));
  });
});

it('S6: an adapter that fetches by another fetch follows no redirect', () => {
  const another = getAdapter('fetch', { env: { fetch: globalThis.fetch, Request, Response } } as never);
  const wire = { maxRedirects: 5, fetchOptions: { cache: 'no-store' } };
  carrierOf(another).redirect(wire as never, undefined);
  expect(wire.fetchOptions).toEqual({ cache: 'no-store', redirect: 'manual' });
});
