import {
  type AxiosAdapter,
  type AxiosRequestConfig,
  getAdapter,
  type InternalAxiosRequestConfig,
} from 'axios';
import type { ProviderConnection } from '../../config/options/provider-transport.js';
import type { CallBudget, Cancellation } from '../../wire/call-budget.js';
import type { DirectSender } from '../../wire/wire-request.js';

type Config = InternalAxiosRequestConfig;

/** An adapter, and what the module has to know about it. */
export interface AdapterTraits {
  readonly adapter: AxiosAdapter;
  /**
   * - `http`: axios' http adapter, or a transport that behaves in the same way;
   * - `fetch`: axios' fetch adapter, which uses the connections of the whole process;
   * - `other`: any other adapter, of the application, a mock library or a transport.
   */
  readonly kind: 'http' | 'fetch' | 'other';
  /** Whether the adapter is a transport. Its config gets no agent of ours: with one, axios would connect. */
  readonly managesConnections: boolean;
  /** Sends direct requests in place of the adapter (B16). */
  readonly directSender?: DirectSender | undefined;
}

type KindOfAdapter = Pick<AdapterTraits, 'kind' | 'managesConnections'>;

const httpAdapter = getAdapter('http');
const known = new WeakMap<AxiosAdapter, AdapterTraits>();

/** The traits of the adapter that axios would choose for a name, a function or a list of both. */
export function traitsOf(choice: Config['adapter'], config?: Config): AdapterTraits {
  const adapter = getAdapter(choice, config);
  let traits = known.get(adapter);
  if (traits === undefined) {
    const kind = adapter === getAdapter('fetch', config) ? 'fetch' : 'other';
    traits = { adapter, kind: adapter === httpAdapter ? 'http' : kind, managesConnections: false };
    known.set(adapter, traits);
  }
  return traits;
}

export function traitsOfTransport({ adapter, actsAsHttp }: ProviderConnection): AdapterTraits {
  return { adapter, kind: actsAsHttp ? 'http' : traitsOf(adapter).kind, managesConnections: true };
}

/**
 * Allows redirects as far as the hook can check them. axios' http adapter calls the hook before each hop. Any `fetch` follows
 * redirects without the hook, so it must return the redirect: also an unknown adapter may use `fetch`.
 */
export function followRedirects(
  wire: Config,
  { kind }: KindOfAdapter,
  beforeRedirect: AxiosRequestConfig['beforeRedirect'],
): void {
  if (kind === 'fetch') wire.maxRedirects = 0;
  else if (beforeRedirect) wire.beforeRedirect = beforeRedirect;
  if (kind === 'other') wire.fetchOptions = { ...wire.fetchOptions, redirect: 'manual' };
}

/**
 * Lets the end of the call end the request. The adapters of axios take a cancel token, and need no timer beside that of the
 * call. Other adapters may look at the signal, but most of them are stubs that look at neither.
 */
export function applyDeadline(
  wire: Config,
  { kind }: KindOfAdapter,
  { cancellation, isTimed }: Pick<CallBudget, 'isTimed' | 'cancellation'>,
): void {
  wire.cancelToken = cancellation;
  if (kind !== 'other' && isTimed) wire.timeout = 0;
}

/**
 * For an unknown adapter: a `signal` that is made of the cancel token when the adapter reads it. One getter for all copies: a
 * getter on each copy costs 0.6 µs a call on Node 20.20, and 16 µs if the adapter copies its config. V8 adds members to what a
 * constructor makes faster than to an object of `Object.create`, 1.3 µs a call (`test/nightly/bench/in-process.bench.mjs`, "axiosRef,
 * adapter replaced").
 */
class CopyWithSignal {
  declare cancelToken?: Cancellation;

  get signal(): AbortSignal | undefined {
    return this.cancelToken?.toAbortSignal();
  }

  set signal(value: AbortSignal | undefined) {
    Object.defineProperty(this, 'signal', { value, writable: true, enumerable: true, configurable: true });
  }
}
Reflect.deleteProperty(CopyWithSignal.prototype, 'constructor');
Object.setPrototypeOf(CopyWithSignal.prototype, null);
Object.freeze(CopyWithSignal.prototype);

const NO_MEMBERS = Object.freeze(Object.create(null) as object);

/** An empty object for the copy of a config, without `Object.prototype` in its prototype chain. */
export function createConfigCopy({ kind, managesConnections }: KindOfAdapter): object {
  if (kind === 'other') return new CopyWithSignal();
  // axios' own adapters look for each missing setting in the prototype chain. For a transport, an empty prototype is quicker: V8
  // adds members faster, 0.5 µs a call on Node 20.20 (`test/nightly/bench/in-process.bench.mjs`, "axiosRef, as by default").
  return Object.create(managesConnections && kind === 'http' ? NO_MEMBERS : null) as object;
}
