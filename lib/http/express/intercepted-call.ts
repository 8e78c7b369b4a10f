import { Axios, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';

type Config = InternalAxiosRequestConfig;

/** What axios keeps for an interceptor. */
export interface RequestHandler {
  readonly fulfilled: unknown;
  readonly rejected: unknown;
  readonly synchronous: boolean;
  readonly runWhen: ((config: Config) => boolean) | null;
}

/** The interceptors of an instance, as they are at the moment. */
export interface ApplicationInterceptors {
  /** The interceptor of the module, which runs last. */
  readonly own: RequestHandler;
  /** In the order in which the application has registered them. Undefined if `own` was removed: then nothing is sent. */
  readonly request: () => readonly RequestHandler[] | undefined;
  readonly response: () => readonly RequestHandler[] | undefined;
}

interface Visited {
  forEach: (visit: (handler: RequestHandler) => void) => void;
}

/**
 * Runs the interceptors of the application around an ordinary call. axios itself runs them, and then the transforms and the
 * adapter: on an instance without defaults, which has nothing to merge. The first interceptor replaces the config of that
 * instance by the prepared config.
 */
export class InterceptedCalls {
  readonly #relay = new Axios({});
  readonly #own: RequestHandler;
  #request: readonly RequestHandler[] = [];
  #response: readonly RequestHandler[] = [];

  constructor(own: RequestHandler) {
    this.#own = own;
    const { request, response } = this.#relay.interceptors as unknown as Record<string, Visited>;
    if (request) request.forEach = (visit) => this.#request.forEach(visit);
    if (response) response.forEach = (visit) => this.#response.forEach(visit);
  }

  /** @param config what the first interceptor of the application gets. */
  send(
    config: Config,
    request: readonly RequestHandler[],
    response: readonly RequestHandler[],
  ): Promise<AxiosResponse> {
    const running = request
      .filter(({ runWhen }) => typeof runWhen !== 'function' || runWhen(config))
      .map((handler) => ({ ...handler, runWhen: null }));
    // By default, axios runs the interceptor first that was registered last.
    const prepared: RequestHandler = { ...this.#own, fulfilled: () => config };
    const reversed = runsInReverse(config) ? running : running.toReversed();
    this.#request = [this.#own, ...reversed, prepared];
    this.#response = response;
    // axios reads both lists before it runs the first interceptor.
    return this.#relay.request({});
  }
}

/** As axios decides: its default only counts if there is no `transitional`. */
export function runsInReverse({ transitional }: Config): boolean {
  return transitional ? Boolean(transitional.legacyInterceptorReqResOrdering) : true;
}
