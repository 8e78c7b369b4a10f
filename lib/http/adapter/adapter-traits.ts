import {
  type AxiosAdapter,
  type AxiosRequestConfig,
  getAdapter,
  type InternalAxiosRequestConfig,
} from 'axios';
import type { ProviderConnection } from '../../config/options/provider-transport.js';
import type { CallBudget } from '../../wire/call-budget.js';
import type { DirectConnection, DirectSender } from '../../wire/wire-request.js';
import type { WireConfig } from './wire-config.js';

type BeforeRedirect = AxiosRequestConfig['beforeRedirect'];

/** How an adapter ends a request when its call ends. */
type Deadline = Pick<CallBudget, 'isTimed' | 'cancellation' | 'signal'>;

/** An adapter, and what the module has to know about it. */
export interface AdapterTraits {
  readonly adapter: AxiosAdapter;
  /** Whether the adapter is axios' http adapter, or behaves in the same way. */
  readonly isHttp: boolean;
  /** Whether the adapter is axios' fetch adapter: it uses the connections of the whole process. */
  readonly isFetch?: boolean;
  /** Whether the adapter makes its own connections. Then the config gets no agent of ours: with one, axios would connect. */
  readonly managesConnections?: boolean;
  /** Whether the adapter is a transport or comes from axios. Other adapters come from the application or a mock library. */
  readonly isAxiosOrTransport: boolean;
  /** Sends direct requests in place of the adapter (B16). */
  readonly directSender?: DirectSender | undefined;
  /** An empty object for the copy of a config, without `Object.prototype` in its prototype chain. */
  readonly createConfigCopy: () => object;
  /** Allows redirects as far as the hook can check them. Without a hook no redirect is followed. */
  readonly followRedirects: (wire: WireConfig, beforeRedirect: BeforeRedirect) => void;
  /** Lets the end of the call end the request of the adapter. */
  readonly applyDeadline: (wire: WireConfig, budget: Deadline) => void;
}

const httpAdapter = getAdapter('http');
const known = new WeakMap<AxiosAdapter, AdapterTraits>();

/** The traits of the adapter that axios would choose for a name, a function or a list of both. */
export function traitsOf(
  choice: InternalAxiosRequestConfig['adapter'],
  config?: InternalAxiosRequestConfig,
): AdapterTraits {
  const adapter = getAdapter(choice, config);
  let traits = known.get(adapter);
  if (traits === undefined) known.set(adapter, (traits = traitsOfAdapter(adapter, config)));
  return traits;
}

export function traitsOfTransport({
  adapter,
  actsAsHttp,
  directSender,
}: ProviderConnection & DirectConnection): AdapterTraits {
  const traits = actsAsHttp
    ? { ...traitsOfHttp(adapter), createConfigCopy: fastCopy }
    : traitsOfAdapter(adapter);
  return { ...traits, managesConnections: true, isAxiosOrTransport: true, directSender };
}

function traitsOfAdapter(adapter: AxiosAdapter, config?: InternalAxiosRequestConfig): AdapterTraits {
  if (adapter === httpAdapter) return traitsOfHttp(adapter);
  if (adapter === getAdapter('fetch', config)) {
    return {
      adapter,
      isHttp: false,
      isFetch: true,
      isAxiosOrTransport: true,
      createConfigCopy: bareCopy,
      followRedirects: followNone,
      applyDeadline: byCancelToken,
    };
  }
  return {
    adapter,
    isHttp: false,
    isAxiosOrTransport: false,
    createConfigCopy: copyWithSignal,
    followRedirects: followIfHookRuns,
    applyDeadline: byTokenOrSignal,
  };
}

function traitsOfHttp(adapter: AxiosAdapter): AdapterTraits {
  return {
    adapter,
    isHttp: true,
    isAxiosOrTransport: true,
    createConfigCopy: bareCopy,
    followRedirects: followWithHook,
    applyDeadline: byCancelToken,
  };
}

/** axios calls the hook before each hop. */
function followWithHook(wire: WireConfig, beforeRedirect: BeforeRedirect): void {
  if (beforeRedirect) wire.beforeRedirect = beforeRedirect;
}

/** An unknown adapter may use `fetch`, which follows redirects without the hook. So `fetch` must return the redirect. */
function followIfHookRuns(wire: WireConfig, beforeRedirect: BeforeRedirect): void {
  followWithHook(wire, beforeRedirect);
  wire.fetchOptions = { ...wire.fetchOptions, redirect: 'manual' };
}

/**
 * `fetch` follows redirects without the hook. So the redirect is the response.
 *
 * Workaround: the fetch adapter ignores `maxRedirects` (observed in axios 1.18.0 to 1.19.0). `test/hostile/api-redirects.spec.ts`
 * shows this on the lowest axios. The second line can go when the peer range starts above 1.19.0.
 */
function followNone(wire: WireConfig): void {
  wire.maxRedirects = 0;
  wire.fetchOptions = { ...wire.fetchOptions, redirect: 'manual' };
}

/** The adapters of axios take a cancel token. A timer of the adapter would only repeat the timer of the call. */
function byCancelToken(wire: WireConfig, budget: Deadline): void {
  if (budget.isTimed) wire.timeout = 0;
  wire.cancelToken = budget.cancellation;
}

/** Other adapters may look at the signal instead. Most of them are stubs that look at neither. */
function byTokenOrSignal(wire: WireConfig, budget: Deadline): void {
  wire.cancelToken = budget.cancellation;
  (wire as SignalledCopy)[DEADLINE] = budget;
}

/** For axios' own adapters. They look for each missing setting in the prototype chain, and here the chain is empty. */
function bareCopy(): object {
  return Object.create(null) as object;
}

const NO_MEMBERS = Object.freeze(Object.create(null) as object);

/**
 * For a transport. V8 adds members faster to an object with a prototype, also if the prototype is empty: 0.5 µs a call on
 * Node 20.20 (`test/bench/in-process.bench.mjs`, "axiosRef, as by default").
 */
function fastCopy(): object {
  return Object.create(NO_MEMBERS) as object;
}

const DEADLINE = Symbol('nestjs-provider-auth.deadline');

interface SignalledCopy {
  [DEADLINE]?: Pick<Deadline, 'signal'>;
}

/**
 * One getter for all copies. A getter on each copy costs 0.6 µs a call on Node 20.20 (`test/bench/in-process.bench.mjs`,
 * "axiosRef, adapter replaced").
 */
const WITH_SIGNAL = Object.freeze(
  Object.create(null, {
    signal: {
      get(this: SignalledCopy): AbortSignal | undefined {
        return this[DEADLINE]?.signal;
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

/** For an unknown adapter: a `signal` that is made when the adapter reads it. */
function copyWithSignal(): object {
  return Object.create(WITH_SIGNAL) as object;
}
