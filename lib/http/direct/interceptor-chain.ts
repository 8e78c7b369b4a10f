import {
  Axios,
  type AxiosAdapter,
  type AxiosInstance,
  type AxiosInterceptorManager,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import { isObject } from '../../values/is-object.js';
import { safely } from '../../values/safely.js';
import { isDirectIntercepted } from './direct-call.js';
import { type Dispatch, dispatched, failing, serialiseBody } from './dispatched-call.js';

type Config = InternalAxiosRequestConfig;
type Interceptor = (config: Config) => Config;
type Handler = ((value: unknown) => unknown) | null;

export interface RequestHandler {
  readonly fulfilled: unknown;
  readonly rejected: unknown;
  readonly synchronous: boolean;
  /** An interceptor is skipped only if this returns `false`. */
  readonly runWhen: ((config: Config) => unknown) | null;
}

type Handlers = readonly RequestHandler[];

interface Manager {
  handlers?: unknown;
  forEach(visit: (handler: RequestHandler) => void): void;
}

/**
 * The interceptors of an instance: those of the application, and our own request interceptor. Ours must run once, after all others,
 * in any case (S7). axios has no option for that:
 *
 * - By default, the interceptor runs last that was registered first. If `transitional.legacyInterceptorReqResOrdering` is off, or is
 *   missing in a `transitional`, it is the one that was registered last. So axios gets ours at both ends, once for each order, and
 *   `runWhen` leaves one of them out.
 * - New interceptors must not come behind it. So ours is registered once, as any other, and a function of this class takes the place
 *   of `forEach`, the method with which axios visits the list. If other code removes the interceptor, one that refuses every request
 *   takes its place at both ends, because a request may have its own adapter.
 * - If a synchronous interceptor throws and handles its error itself, axios leaves out all later interceptors and sends the config as
 *   it was before. Ours then runs after that handler: `runEvenIfHandled`.
 *
 * A direct call is not visited by axios: `interceptedCall` runs the lists of `request` and `response`, and then our interceptor has
 * nothing to do. What a direct call leaves to axios, `runByAxios` runs with the same chain.
 */
export class InterceptorChain {
  readonly #instance: AxiosInstance;
  readonly #own: Interceptor;
  readonly #visit: Manager['forEach'];

  /** @param refuse throws. */
  constructor(instance: AxiosInstance, own: Interceptor, refuse: () => never) {
    this.#instance = instance;
    this.#own = own;
    const manager = managerOf(instance.interceptors.request);
    instance.interceptors.request.use(own);
    const visitAll = manager.forEach.bind(manager);
    const refusal = handlerOf(refuse);
    this.#visit = (visit) => {
      const handlers: RequestHandler[] = [];
      visitAll((handler) => void handlers.push(handler));
      const others = handlers.filter(({ fulfilled }) => fulfilled !== own);
      const isRegistered = others.length < handlers.length;
      for (const handler of isRegistered ? this.#withOwn(others) : [refusal, ...others, refusal])
        visit(handler);
    };
    manager.forEach = this.#visit;
  }

  /** Of the application, in the order of their registration. Undefined if ours was removed: then nothing is sent. */
  request(): Handlers | undefined {
    const manager = managerOf(this.#instance.interceptors.request);
    const handlers = manager.forEach === this.#visit ? handlersOf(manager) : undefined;
    const others = handlers?.filter(({ fulfilled }) => fulfilled !== this.#own);
    return others?.length === handlers?.length ? undefined : others;
  }

  /** Undefined if other code has replaced the list. */
  response(): Handlers | undefined {
    return handlersOf(managerOf(this.#instance.interceptors.response));
  }

  /**
   * Lets axios do what is left of a call: on an instance without defaults, which has nothing to merge. The first interceptor
   * brings the config of the call. If all interceptors are synchronous, no other code can change it before the adapter gets
   * it.
   *
   * @param request in the order in which they run.
   */
  runByAxios(config: unknown, request: Handlers, response: Handlers): Promise<AxiosResponse> {
    // The defaults of axios may change at any time, and with them the order of the interceptors.
    const relay = new Axios({ transitional: { legacyInterceptorReqResOrdering: false } });
    const others = request.map(({ fulfilled, rejected, synchronous }) => {
      // axios calls a function for errors as a method of its instance.
      const onInstance: unknown = typeof rejected === 'function' ? rejected.bind(this.#instance) : rejected;
      return { fulfilled, rejected: onInstance, synchronous, runWhen: null };
    });
    // axios only visits the lists of its interceptors.
    Object.assign(relay.interceptors, {
      request: this.#withOwn([handlerOf(() => config), ...others]),
      response,
    });
    return relay.request<never, AxiosResponse>({});
  }

  #withOwn(others: Handlers): RequestHandler[] {
    const own = this.#own;
    const last = others.map((handler) => runEvenIfHandled(handler, own));
    return [handlerOf(own, runsInReverse), ...last, handlerOf(own, (config) => !runsInReverse(config))];
  }
}

function managerOf<Given>(manager: AxiosInterceptorManager<Given>): Manager {
  return manager as unknown as Manager;
}

/**
 * A copy, because an interceptor may change the list. Undefined if other code has replaced the list. axios keeps null in the place
 * of an interceptor that was removed.
 */
function handlersOf({ handlers }: Manager): Handlers | undefined {
  if (!Array.isArray(handlers)) return undefined;
  return (handlers as (RequestHandler | null)[]).filter((handler) => handler !== null);
}

function handlerOf(fulfilled: unknown, runWhen: RequestHandler['runWhen'] = null): RequestHandler {
  return { fulfilled, rejected: null, synchronous: true, runWhen };
}

function throwAgain(error: unknown): never {
  throw error;
}

/** The same handler. If it throws and handles its error itself, the last interceptor gets the config as it was before. */
function runEvenIfHandled(handler: RequestHandler, last: Interceptor): RequestHandler {
  const { fulfilled, rejected, synchronous } = handler;
  if (!synchronous || !fulfilled || typeof rejected !== 'function') return handler;
  let config: Config | undefined;
  return {
    ...handler,
    fulfilled(before: Config): unknown {
      config = before;
      return Reflect.apply(fulfilled as Interceptor, undefined, [before]);
    },
    rejected(this: unknown, error: unknown): unknown {
      const result: unknown = Reflect.apply(rejected, this, [error]);
      if (config !== undefined) last(config);
      return result;
    },
  };
}

/** As axios decides: its default only counts if there is no `transitional`. */
function runsInReverse({ transitional }: Config): boolean {
  return transitional ? Boolean(transitional.legacyInterceptorReqResOrdering) : true;
}

export interface InterceptedCallSettings {
  /** The default adapter of the instance. */
  readonly adapter: AxiosAdapter;
  readonly interceptors: InterceptorChain;
  /** Sends a direct config in place of the adapter. */
  readonly send: (config: Config) => Promise<AxiosResponse>;
  /** The same for a config that must be checked once more. */
  readonly checkAndSend: (config: Config) => Promise<AxiosResponse>;
}

/**
 * Runs the interceptors of the application around a direct call, as axios does. If an interceptor throws, or the interceptors
 * have left a config that is not direct, axios itself does the rest.
 *
 * @param config what the first interceptor of the application gets.
 */
export function interceptedCall(
  settings: InterceptedCallSettings,
  config: Config,
  request: Handlers,
  response: Handlers,
): Promise<AxiosResponse> {
  const { interceptors } = settings;
  let running: Handlers;
  try {
    running = runningHandlers(config, request);
  } catch (error) {
    return failing(error);
  }
  if (!running.every(({ synchronous }) => synchronous)) {
    const sent = afterHandlers(Promise.resolve(config), running).then((last) =>
      isDirect(last, settings)
        ? dispatched(last, serialised(last, settings))
        : interceptors.runByAxios(last, [], []),
    );
    return resultForCaller(sent, response);
  }
  let last: unknown = config;
  const leave = (rest: Handlers): Promise<AxiosResponse> => interceptors.runByAxios(last, rest, response);
  for (const handler of running) {
    const { fulfilled } = handler;
    try {
      if (fulfilled) last = Reflect.apply(fulfilled as Interceptor, undefined, [last]);
    } catch (error) {
      return leave([{ ...handler, fulfilled: () => throwAgain(error) }]);
    }
  }
  if (!isDirect(last, settings)) return leave([]);
  let dispatch: Dispatch;
  try {
    dispatch = serialised(last, settings);
  } catch (error) {
    return leave([handlerOf(() => throwAgain(error))]);
  }
  return resultForCaller(dispatched(last, dispatch), response);
}

function isDirect(config: unknown, { adapter }: InterceptedCallSettings): config is Config {
  // axios itself reports what a getter throws.
  return safely(() => isDirectIntercepted(config, adapter), false);
}

/** Code of the application runs while an object becomes a text, and an interceptor may have kept the config. */
function serialised(config: Config, { send, checkAndSend }: InterceptedCallSettings): Dispatch {
  const mustBeChecked = isObject(config.data);
  config.headers.normalize(false);
  serialiseBody(config);
  // The interceptors for responses get the error before axios adds the stack of the caller.
  return { send: mustBeChecked ? checkAndSend : send, fail: async (error) => throwAgain(error) };
}

/** In the order in which they run. By default, axios runs the interceptor first that was registered last. */
function runningHandlers(config: Config, handlers: Handlers): Handlers {
  const running = handlers.filter(
    (handler) => typeof handler.runWhen !== 'function' || handler.runWhen(config) !== false,
  );
  return runsInReverse(config) ? running.toReversed() : running;
}

function afterHandlers(first: Promise<unknown>, handlers: Handlers): Promise<unknown> {
  return handlers.reduce(
    (last, { fulfilled, rejected }) => last.then(fulfilled as Handler, rejected as Handler),
    first,
  );
}

/** The result for the caller. In the end, axios adds the stack of the caller to an error. */
async function resultForCaller(response: Promise<unknown>, handlers: Handlers): Promise<AxiosResponse> {
  try {
    return (await afterHandlers(response, handlers)) as AxiosResponse;
  } catch (error) {
    return await failing(error);
  }
}
