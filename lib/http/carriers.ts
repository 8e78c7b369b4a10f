import {
  type AxiosAdapter,
  type AxiosRequestConfig,
  getAdapter,
  type InternalAxiosRequestConfig,
} from 'axios';
import type { ProviderConnection } from '../config/provider-transport.js';
import type { CallBudget } from './call-budget.js';
import type { WireConfig } from './wire-config.js';

/** An adapter, and what the road has to know of it. */
export interface Carrier {
  readonly adapter: AxiosAdapter;
  /** Whether it is axios' http adapter, or does as it does. */
  readonly isHttp: boolean;
  /** Whether its connections are its own business: an agent would mean that axios should make them. */
  readonly hasConnections?: boolean;
  /** What the config of a request is copied onto. */
  readonly blank: () => object;
  /** Lets redirects be followed as far as they can be judged. */
  readonly redirect: (wire: WireConfig, beforeRedirect: AxiosRequestConfig['beforeRedirect']) => void;
  /** Lets the budget of the call end what the adapter does. */
  readonly limit: (wire: WireConfig, budget: CallBudget) => void;
}

const httpAdapter = getAdapter('http');
const known = new WeakMap<AxiosAdapter, Carrier>();

export function carrierOf(adapter: AxiosAdapter, config?: InternalAxiosRequestConfig): Carrier {
  if (adapter === httpAdapter) return asHttp(adapter);
  if (adapter === getAdapter('fetch', config)) {
    return { adapter, isHttp: false, blank: empty, redirect: notAtAll, limit: byCancelToken };
  }
  return { adapter, isHttp: false, blank: withSignal, redirect: hopByHop, limit: bySignal };
}

export function carrierOfTransport({ adapter, actsAsHttp }: ProviderConnection): Carrier {
  const carrier = actsAsHttp ? { ...asHttp(adapter), blank: swift } : carrierOf(adapter);
  return { ...carrier, hasConnections: true };
}

/** The adapter that axios would have chosen from a name, a function or a list of both. */
export function chosenCarrier(
  choice: InternalAxiosRequestConfig['adapter'],
  config: InternalAxiosRequestConfig,
): Carrier {
  const adapter = getAdapter(choice, config);
  let carrier = known.get(adapter);
  if (carrier === undefined) known.set(adapter, (carrier = carrierOf(adapter, config)));
  return carrier;
}

function asHttp(adapter: AxiosAdapter): Carrier {
  return { adapter, isHttp: true, blank: empty, redirect: hopByHop, limit: byCancelToken };
}

function hopByHop(wire: WireConfig, beforeRedirect: AxiosRequestConfig['beforeRedirect']): void {
  if (beforeRedirect) wire.beforeRedirect = beforeRedirect;
}

/** `fetch` follows redirects where nobody can judge a hop: the redirect is the answer. */
function notAtAll(wire: WireConfig): void {
  wire.maxRedirects = 0;
}

/** axios' own adapters take a cancel token; their timers would only repeat ours. */
function byCancelToken(wire: WireConfig, budget: CallBudget): void {
  if (budget.isTimed) wire.timeout = 0;
  wire.cancelToken = budget.cancellation;
  delete wire.signal;
}

/** Others get a signal, made when they look at it; most of them are stubs that never do. */
function bySignal(wire: WireConfig & Ended, budget: CallBudget): void {
  delete wire.signal;
  wire.cancelToken = budget.cancellation;
  wire[ENDED_BY] = budget;
}

const ENDED_BY = Symbol('ended by');

interface Ended {
  [ENDED_BY]?: CallBudget;
}

/** A getter of each config's own would cost as much as everything else that is put into it. */
const SIGNAL = Object.freeze(
  Object.create(null, {
    signal: {
      get(this: Ended): AbortSignal | undefined {
        return this[ENDED_BY]?.signal;
      },
      set(value: unknown): void {
        Object.defineProperty(this, 'signal', {
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      },
    },
  }) as object,
);

function withSignal(): object {
  return Object.create(SIGNAL) as object;
}

const NOTHING = Object.freeze(Object.create(null) as object);

/** Node keeps what has a prototype, be it an empty one, in a form that is filled faster. */
function swift(): object {
  return Object.create(NOTHING) as object;
}

/** axios' http adapter asks prototypes for each setting that is not there: none at all is faster for it. */
function empty(): object {
  return Object.create(null) as object;
}
