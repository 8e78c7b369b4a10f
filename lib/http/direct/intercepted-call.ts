import type { AxiosAdapter, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { isObject } from '../../values/is-object.js';
import { safely } from '../../values/safely.js';
import { type Dispatch, dispatched, failing, serialiseBody } from './dispatched-call.js';
import { type InterceptorChain, type RequestHandler, handlerOf, runsInReverse } from './interceptor-chain.js';
import { isDirectIntercepted } from './direct-call.js';

type Config = InternalAxiosRequestConfig;
type Handler = (value: unknown) => unknown;

export interface InterceptedCallSettings {
  /** The default adapter of the instance. */
  readonly adapter: AxiosAdapter;
  readonly interceptors: InterceptorChain;
  /** Sends a direct config in place of the adapter. */
  readonly send: (config: Config) => Promise<AxiosResponse>;
  /** The same for a config that must be checked once more. */
  readonly checkAndSend: (config: Config) => Promise<AxiosResponse>;
}

interface Progress {
  readonly config: unknown;
  /** Those that axios itself must run. */
  readonly rest: readonly RequestHandler[];
}

/**
 * Runs the interceptors of the application around a direct call, as axios does. Where versions of axios differ, or if the
 * interceptors have left a config that is not direct, axios itself does the rest.
 *
 * @param config what the first interceptor of the application gets.
 */
export function interceptedCall(
  settings: InterceptedCallSettings,
  config: Config,
  request: readonly RequestHandler[],
  response: readonly RequestHandler[],
): Promise<AxiosResponse> {
  const { interceptors } = settings;
  // An interceptor may change the lists.
  const forResponse = [...response];
  let running: readonly RequestHandler[];
  try {
    running = runningHandlers(config, request);
  } catch (error) {
    return failing(error);
  }
  if (!running.every(({ synchronous }) => synchronous)) {
    const sent = afterHandlers(Promise.resolve(config), running).then((last) => {
      if (!isDirect(last, settings)) return interceptors.runByAxios(last, [], []);
      return dispatched(last, serialised(last, settings));
    });
    return resultForCaller(sent, forResponse);
  }
  const { config: last, rest } = runSynchronous(config, running);
  if (rest.length > 0 || !isDirect(last, settings)) return interceptors.runByAxios(last, rest, forResponse);
  let dispatch: Dispatch;
  try {
    dispatch = serialised(last, settings);
  } catch (error) {
    return interceptors.runByAxios(last, [handlerOf(throwing(error))], forResponse);
  }
  return resultForCaller(dispatched(last, dispatch), forResponse);
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
  return { send: mustBeChecked ? checkAndSend : send, fail: rejectedWith };
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
