import {
  Axios,
  type AxiosAdapter,
  type AxiosInstance,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import { isObject } from '../../values/is-object.js';
import { type Dispatch, dispatched, failing, serialiseBody } from './dispatched-call.js';
import { isOrdinaryIntercepted } from './ordinary-call.js';

type Config = InternalAxiosRequestConfig;
type Handler = (value: unknown) => unknown;

/** What axios keeps for an interceptor. */
export interface RequestHandler {
  readonly fulfilled: unknown;
  readonly rejected: unknown;
  readonly synchronous: boolean;
  /** An interceptor is skipped only if this returns `false`. */
  readonly runWhen: ((config: Config) => unknown) | null;
}

/** The interceptor of the module, which runs last. */
export interface OwnHandler extends RequestHandler {
  readonly fulfilled: (config: Config) => Config;
  /** Throws the error again: axios 1.18.0 calls this function without a test whether there is one. */
  readonly rejected: (error: unknown) => never;
}

/** The interceptors of an instance, as they are at the moment. */
export interface ApplicationInterceptors {
  readonly own: OwnHandler;
  /** In the order in which the application has registered them. Undefined if `own` was removed: then nothing is sent. */
  readonly request: () => readonly RequestHandler[] | undefined;
  readonly response: () => readonly RequestHandler[] | undefined;
}

export interface InterceptedCallSettings {
  readonly instance: AxiosInstance;
  /** The default adapter of the instance. */
  readonly adapter: AxiosAdapter;
  readonly interceptors: Pick<ApplicationInterceptors, 'own'>;
  /** Sends an ordinary config in place of the adapter. */
  readonly send: (config: Config) => Promise<AxiosResponse>;
  /** The same for a config that must be checked once more. */
  readonly checkAndSend: (config: Config) => Promise<AxiosResponse>;
}

/** How far the request interceptors have run. */
interface Progress {
  /** What they have made of the config. */
  readonly config: unknown;
  /** Those that axios itself must run, in their order. */
  readonly rest: readonly RequestHandler[];
}

/**
 * Runs the interceptors of the application around an ordinary call, as axios does. Where versions of axios differ, or if the
 * interceptors have left a config that is not ordinary, axios itself does the rest.
 */
export class InterceptedCalls {
  readonly #adapter: AxiosAdapter;
  readonly #ordinary: Dispatch;
  readonly #checked: Dispatch;
  readonly #axios: RestByAxios;

  constructor({ instance, adapter, interceptors, send, checkAndSend }: InterceptedCallSettings) {
    this.#adapter = adapter;
    this.#ordinary = { send, fail: rejectedWith };
    this.#checked = { send: checkAndSend, fail: rejectedWith };
    this.#axios = new RestByAxios(interceptors.own, instance);
  }

  /** @param config what the first interceptor of the application gets. */
  send(
    config: Config,
    request: readonly RequestHandler[],
    response: readonly RequestHandler[],
  ): Promise<AxiosResponse> {
    // An interceptor may change the lists.
    const forResponse = [...response];
    let running: readonly RequestHandler[];
    try {
      running = runningHandlers(config, request);
    } catch (error) {
      return failing(error);
    }
    if (!running.every(({ synchronous }) => synchronous))
      return this.#sendLater(config, running, forResponse);
    const { config: last, rest } = runSynchronous(config, running);
    if (rest.length > 0 || !this.#isOrdinary(last)) return this.#axios.send(last, rest, forResponse);
    const dispatch = this.#dispatchOf(last);
    try {
      normaliseAndSerialise(last);
    } catch (error) {
      const thrown = throwing(error);
      const failed = { fulfilled: thrown, rejected: thrown, synchronous: true, runWhen: null };
      return this.#axios.send(last, [failed], forResponse);
    }
    return resultForCaller(dispatched(last, dispatch), forResponse);
  }

  #sendLater(
    config: Config,
    request: readonly RequestHandler[],
    response: readonly RequestHandler[],
  ): Promise<AxiosResponse> {
    const sent = afterHandlers(Promise.resolve(config), request).then((last) => {
      if (!this.#isOrdinary(last)) return this.#axios.send(last, [], []);
      const dispatch = this.#dispatchOf(last);
      normaliseAndSerialise(last);
      return dispatched(last, dispatch);
    });
    return resultForCaller(sent, response);
  }

  #isOrdinary(config: unknown): config is Config {
    try {
      return isOrdinaryIntercepted(config, this.#adapter);
    } catch {
      // axios itself reports what a getter throws.
      return false;
    }
  }

  /** Code of the application runs while an object becomes a text, and an interceptor may have kept the config. */
  #dispatchOf({ data }: Config): Dispatch {
    return isObject(data) ? this.#checked : this.#ordinary;
  }
}

/** The interceptors for responses get the error before axios adds the stack of the caller. */
async function rejectedWith(error: unknown): Promise<never> {
  throw error;
}

/** In the order in which they run. By default, axios runs the interceptor first that was registered last. */
function runningHandlers(config: Config, handlers: readonly RequestHandler[]): readonly RequestHandler[] {
  const running = handlers.filter(
    (handler) => typeof handler.runWhen !== 'function' || handler.runWhen(config) !== false,
  );
  return runsInReverse(config) ? running.toReversed() : running;
}

/** Runs synchronous interceptors, until one does something that the versions of axios treat in different ways. */
function runSynchronous(first: Config, handlers: readonly RequestHandler[]): Progress {
  let config: unknown = first;
  for (const [index, handler] of handlers.entries()) {
    const { fulfilled } = handler;
    if (typeof fulfilled !== 'function') return { config, rest: handlers.slice(index) };
    try {
      config = (fulfilled as Handler)(config);
    } catch (error) {
      return {
        config,
        rest: [{ ...handler, fulfilled: throwing(error) }, ...handlers.slice(index + 1)],
      };
    }
  }
  return { config, rest: [] };
}

function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}

function normaliseAndSerialise(config: Config): void {
  config.headers.normalize(false);
  serialiseBody(config);
}

function afterHandlers(first: Promise<unknown>, handlers: readonly RequestHandler[]): Promise<unknown> {
  let last = first;
  for (const { fulfilled, rejected } of handlers)
    last = last.then(fulfilled as Handler | null, rejected as Handler | null);
  return last;
}

/** The result for the caller. In the end, axios adds the stack of the caller to an error. */
async function resultForCaller(
  response: Promise<unknown>,
  handlers: readonly RequestHandler[],
): Promise<AxiosResponse> {
  try {
    return (await afterHandlers(response, handlers)) as AxiosResponse;
  } catch (error) {
    return await failing(error);
  }
}

interface Visited {
  forEach: (visit: (handler: RequestHandler) => void) => void;
}

/**
 * Lets axios do what is left of a call: on an instance without defaults, which has nothing to merge. The first interceptor
 * replaces the config of that instance by the config of the call.
 */
class RestByAxios {
  // The defaults of axios may change at any time, and with them the order of the interceptors.
  readonly #relay = new Axios({ transitional: { legacyInterceptorReqResOrdering: true } });
  readonly #own: OwnHandler;
  readonly #instance: AxiosInstance;
  #request: readonly RequestHandler[] = [];
  #response: readonly RequestHandler[] = [];

  constructor(own: OwnHandler, instance: AxiosInstance) {
    this.#own = own;
    this.#instance = instance;
    const { request, response } = this.#relay.interceptors as unknown as Record<string, Visited>;
    if (request) request.forEach = (visit) => this.#request.forEach(visit);
    if (response) response.forEach = (visit) => this.#response.forEach(visit);
  }

  /**
   * All interceptors are synchronous: between the last one and the adapter, no other code can change the config.
   *
   * @param request in the order in which they run.
   */
  send(
    config: unknown,
    request: readonly RequestHandler[],
    response: readonly RequestHandler[],
  ): Promise<AxiosResponse> {
    const first: RequestHandler = { ...this.#own, fulfilled: () => config };
    const running = request.map((handler) => withLast(this.#onInstance(handler), this.#own.fulfilled));
    // axios runs the interceptor first that was registered last.
    this.#request = [this.#own, ...running.toReversed(), first];
    this.#response = response;
    // axios reads both lists before it runs the first interceptor.
    const sent = this.#relay.request<never, AxiosResponse>({});
    this.#request = [];
    this.#response = [];
    return sent;
  }

  /** axios calls a function for errors as a method of its instance. */
  #onInstance(handler: RequestHandler): RequestHandler {
    const { rejected } = handler;
    const isFunction = typeof rejected === 'function';
    return { ...handler, runWhen: null, rejected: isFunction ? rejected.bind(this.#instance) : rejected };
  }
}

/**
 * The same interceptor for a chain whose last interceptor must run in any case. If a synchronous interceptor throws and handles
 * its error itself, axios leaves out all later interceptors and sends the config as it was before.
 */
export function withLast(handler: RequestHandler, last: (config: Config) => Config): RequestHandler {
  const { fulfilled, rejected, synchronous } = handler;
  if (!synchronous || typeof rejected !== 'function') return handler;
  let config: Config | undefined;
  return {
    ...handler,
    fulfilled(before: Config): unknown {
      config = before;
      // axios 1.18.0 does not expect that an interceptor has only the function for errors.
      return typeof fulfilled === 'function' ? Reflect.apply(fulfilled, undefined, [before]) : before;
    },
    rejected(this: unknown, error: unknown): unknown {
      const result: unknown = Reflect.apply(rejected, this, [error]);
      if (config !== undefined) last(config);
      return result;
    },
  };
}

/** As axios decides: its default only counts if there is no `transitional`. */
export function runsInReverse({ transitional }: Config): boolean {
  return transitional ? Boolean(transitional.legacyInterceptorReqResOrdering) : true;
}
