import {
  Axios,
  type AxiosInstance,
  type AxiosInterceptorManager,
  type AxiosInterceptorOptions,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';

type Config = InternalAxiosRequestConfig;
type Interceptor = (config: Config) => Config;

export interface RequestHandler {
  readonly fulfilled: unknown;
  readonly rejected: unknown;
  readonly synchronous: boolean;
  /** An interceptor is skipped only if this returns `false`. */
  readonly runWhen: ((config: Config) => unknown) | null;
}

interface Manager {
  handlers?: unknown;
  forEach(visit: (handler: RequestHandler) => void): void;
}

const NONE: readonly RequestHandler[] = [];

/**
 * The interceptors of an instance: those of the application, and our own request interceptor. Ours must run once, after all others,
 * in any case (S7). axios has no option for that:
 *
 * - By default, the interceptor runs last that was registered first. If `transitional.legacyInterceptorReqResOrdering` is off, or is
 *   missing in a `transitional`, it is the one that was registered last. So axios gets ours at both ends, once for each order, and
 *   `runWhen` leaves one of them out.
 * - New interceptors must not come behind it. So ours is registered once, as any other, and a function of this class takes the place
 *   of `forEach`, the method with which axios visits the list. If other code removes the interceptor, it is removed from both ends.
 * - If a synchronous interceptor throws and handles its error itself, axios leaves out all later interceptors and sends the config as
 *   it was before. Ours then runs after that handler: `runEvenIfHandled`.
 *
 * A direct call is not visited by axios: it runs the lists of `request` and `response` itself, and then our interceptor has
 * nothing to do. What a direct call leaves to axios, `runByAxios` runs with the same chain.
 */
export class InterceptorChain {
  readonly #instance: AxiosInstance;
  readonly #own: Interceptor;
  readonly #visit: Manager['forEach'];

  constructor(instance: AxiosInstance, own: Interceptor) {
    this.#instance = instance;
    this.#own = own;
    const manager = managerOf(instance.interceptors.request);
    instance.interceptors.request.use(own);
    const visitAll = manager.forEach.bind(manager);
    this.#visit = (visit) => {
      const handlers: RequestHandler[] = [];
      visitAll((handler) => void handlers.push(handler));
      const others = handlers.filter(({ fulfilled }) => fulfilled !== own);
      const isRegistered = others.length < handlers.length;
      for (const handler of isRegistered ? this.#withOwn(others) : others) visit(handler);
    };
    manager.forEach = this.#visit;
  }

  /** Of the application, in the order of their registration. Undefined if ours was removed: then nothing is sent. */
  request(): readonly RequestHandler[] | undefined {
    const manager = managerOf(this.#instance.interceptors.request);
    const handlers = manager.forEach === this.#visit ? handlersOf(manager) : undefined;
    if (handlers?.length === 1 && handlers[0]?.fulfilled === this.#own) return NONE;
    const others = handlers?.filter(({ fulfilled }) => fulfilled !== this.#own);
    return others?.length === handlers?.length ? undefined : others;
  }

  /** Undefined if other code has replaced the list. */
  response(): readonly RequestHandler[] | undefined {
    return handlersOf(managerOf(this.#instance.interceptors.response));
  }

  /**
   * Lets axios do what is left of a call: on an instance without defaults, which has nothing to merge. The first interceptor
   * brings the config of the call. If all interceptors are synchronous, no other code can change it before the adapter gets
   * it.
   *
   * @param request in the order in which they run.
   */
  runByAxios(
    config: unknown,
    request: readonly RequestHandler[],
    response: readonly RequestHandler[],
  ): Promise<AxiosResponse> {
    // The defaults of axios may change at any time, and with them the order of the interceptors.
    const relay = new Axios({ transitional: { legacyInterceptorReqResOrdering: true } });
    const first = handlerOf(() => config);
    const others = request.map((handler) => this.#onInstance(handler));
    // axios runs the interceptor first that was registered last.
    const running = this.#withOwn([...others.toReversed(), first]);
    register(relay.interceptors.request, running);
    register(relay.interceptors.response, response);
    return relay.request<never, AxiosResponse>({});
  }

  /** axios calls a function for errors as a method of its instance. */
  #onInstance(handler: RequestHandler): RequestHandler {
    const { rejected } = handler;
    const isFunction = typeof rejected === 'function';
    return { ...handler, runWhen: null, rejected: isFunction ? rejected.bind(this.#instance) : rejected };
  }

  #withOwn(others: readonly RequestHandler[]): RequestHandler[] {
    const own = this.#own;
    const last = others.map((handler) => runEvenIfHandled(handler, own));
    return [handlerOf(own, runsInReverse), ...last, handlerOf(own, (config) => !runsInReverse(config))];
  }
}

function managerOf<Given>(manager: AxiosInterceptorManager<Given>): Manager {
  return manager as unknown as Manager;
}

function register<Given>(manager: AxiosInterceptorManager<Given>, handlers: readonly RequestHandler[]): void {
  for (const { fulfilled, rejected, ...options } of handlers)
    manager.use(
      fulfilled as Handler<Given>,
      rejected as Handler<unknown>,
      options as AxiosInterceptorOptions,
    );
}

type Handler<Given> = ((value: Given) => Given) | null;

/** Undefined if other code has replaced the list. axios keeps null in the place of an interceptor that was removed. */
function handlersOf({ handlers }: Manager): readonly RequestHandler[] | undefined {
  if (!Array.isArray(handlers)) return undefined;
  const kept = handlers as (RequestHandler | null)[];
  return kept.includes(null) ? kept.filter((handler) => handler !== null) : (kept as RequestHandler[]);
}

/** A synchronous handler. axios 1.18.0 calls its function for errors without a test whether there is one. */
export function handlerOf(fulfilled: unknown, runWhen: RequestHandler['runWhen'] = null): RequestHandler {
  return { fulfilled, rejected: thrownAgain, synchronous: true, runWhen };
}

function thrownAgain(error: unknown): never {
  throw error;
}

/** The same handler. If it throws and handles its error itself, the last interceptor gets the config as it was before. */
function runEvenIfHandled(handler: RequestHandler, last: Interceptor): RequestHandler {
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
