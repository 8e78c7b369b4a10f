import {
  type AxiosAdapter,
  type AxiosRequestConfig,
  getAdapter,
  type InternalAxiosRequestConfig,
} from 'axios';
import type { ProviderConnection } from '../config/provider-transport.js';
import type { CallBudget } from './call-budget.js';
import { empty, endedBy, swift, withSignal } from './wire-blanks.js';
import type { WireConfig } from './wire-config.js';

/** An adapter, and what the road has to know of it. */
export interface Carrier {
  readonly adapter: AxiosAdapter;
  /** Whether it is axios' http adapter, or does as it does. */
  readonly isHttp: boolean;
  /** Whether it is axios' fetch adapter: its connections are those of the whole process. */
  readonly isFetch?: boolean;
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
    return { adapter, isHttp: false, isFetch: true, blank: empty, redirect: notAtAll, limit: byCancelToken };
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

/** Others get a signal as well, made when they look at it; most of them are stubs that never do. */
function bySignal(wire: WireConfig, budget: CallBudget): void {
  delete wire.signal;
  wire.cancelToken = budget.cancellation;
  endedBy(wire, budget);
}
