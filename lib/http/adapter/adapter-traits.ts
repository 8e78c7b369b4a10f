import {
  type AxiosAdapter,
  type AxiosRequestConfig,
  getAdapter,
  type InternalAxiosRequestConfig,
} from 'axios';
import type { ProviderConnection } from '../../config/options/provider-transport.js';
import type { CallBudget } from './call-budget.js';
import { empty, endedBy, swift, withSignal } from './config-prototypes.js';
import type { WireConfig } from './wire-config.js';

/** An adapter, and what the road has to know of it. */
export interface Carrier {
  readonly adapter: AxiosAdapter;
  /** Whether it is axios' http adapter, or does as it does. */
  readonly isHttp: boolean;
  /** Whether it is axios' fetch adapter: its connections are those of the whole process. */
  readonly isFetch?: boolean;
  /** Whether its connections are its own business: an agent would mean that axios should make them. */
  readonly managesConnections?: boolean;
  /** Whether it is one of axios' adapters or a transport, and no function of the application or of a mock library. */
  readonly isKnown: boolean;
  /** What the config of a request is copied onto. */
  readonly blank: () => object;
  /** Lets redirects be followed as far as they can be judged: by this hook, if any are followed. */
  readonly redirect: (wire: WireConfig, beforeRedirect: AxiosRequestConfig['beforeRedirect']) => void;
  /** Lets the budget of the call end what the adapter does. */
  readonly limit: (wire: WireConfig, budget: CallBudget) => void;
}

const httpAdapter = getAdapter('http');
const known = new WeakMap<AxiosAdapter, Carrier>();

export function carrierOf(adapter: AxiosAdapter, config?: InternalAxiosRequestConfig): Carrier {
  if (adapter === httpAdapter) return asHttp(adapter);
  if (adapter === getAdapter('fetch', config)) {
    const fetching = { isHttp: false, isFetch: true, isKnown: true };
    return { adapter, ...fetching, blank: empty, redirect: notAtAll, limit: byCancelToken };
  }
  return {
    adapter,
    isHttp: false,
    isKnown: false,
    blank: withSignal,
    redirect: asFarAsJudged,
    limit: bySignal,
  };
}

export function carrierOfTransport({ adapter, actsAsHttp }: ProviderConnection): Carrier {
  const carrier = actsAsHttp ? { ...asHttp(adapter), blank: swift } : carrierOf(adapter);
  return { ...carrier, managesConnections: true, isKnown: true };
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
  return { adapter, isHttp: true, isKnown: true, blank: empty, redirect: hopByHop, limit: byCancelToken };
}

function hopByHop(wire: WireConfig, beforeRedirect: AxiosRequestConfig['beforeRedirect']): void {
  if (beforeRedirect) wire.beforeRedirect = beforeRedirect;
}

/** Another adapter may be one of axios that fetches, by another `fetch`: it follows none, unless it asks the hook. */
function asFarAsJudged(wire: WireConfig, beforeRedirect: AxiosRequestConfig['beforeRedirect']): void {
  hopByHop(wire, beforeRedirect);
  wire.fetchOptions = { ...wire.fetchOptions, redirect: 'manual' };
}

/**
 * `fetch` follows redirects without a check of each hop: the redirect is the answer. The adapter of axios 1.18.0 to
 * 1.19.0 does not look at `maxRedirects` (test/hostile/api-redirects.spec.ts, on the lowest axios); with the peer range above these versions
 * the second line can go.
 */
function notAtAll(wire: WireConfig): void {
  wire.maxRedirects = 0;
  wire.fetchOptions = { ...wire.fetchOptions, redirect: 'manual' };
}

/** axios' own adapters take a cancel token; their timers would only repeat ours. */
function byCancelToken(wire: WireConfig, budget: CallBudget): void {
  if (budget.isTimed) wire.timeout = 0;
  wire.cancelToken = budget.cancellation;
}

/** Others get a signal as well, made when they look at it; most of them are stubs that never do. */
function bySignal(wire: WireConfig, budget: CallBudget): void {
  wire.cancelToken = budget.cancellation;
  endedBy(wire, budget);
}
