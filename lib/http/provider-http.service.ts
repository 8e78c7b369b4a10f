import { HttpService } from '@nestjs/axios';
import {
  type AxiosInstance,
  type AxiosPromise,
  type AxiosRequestConfig,
  type AxiosResponse,
  CanceledError,
} from 'axios';
import { Observable } from 'rxjs';
import { Cancellation } from '../wire/call-budget.js';
import { createRefusingFetch, identifiedFetch, type ProviderFetch } from './fetch/provider-fetch.js';
import { TokenIdentity, type TokenTarget, withIdentity } from '../token/token-identity.js';
import { oncePer } from '../values/once-per.js';
import { METHODS } from './axios/compared-axios.js';

const OF_ACCOUNT = Symbol('of an account');

/** A client for an account or another target. */
interface Identified {
  [OF_ACCOUNT]: {
    readonly identity: TokenIdentity;
    instance: AxiosInstance | undefined;
    fetch: ProviderFetch | undefined;
  };
}

/**
 * Nest's `HttpService` for one interface and environment. Its requests carry the token, and it adds `fetch`, `for` and `baseUrl`.
 *
 * @example
 * constructor(private readonly easy: EasyHttpService) {}
 */
export class ProviderHttpService extends HttpService {
  // It knows nothing about tokens: the axios instance from `createProviderHttpClient` does.

  /** A `fetch` for the same interface and environment, for clients and SDKs that take one. */
  readonly fetch: ProviderFetch;

  constructor(instance?: AxiosInstance, fetch: ProviderFetch = createRefusingFetch(createdWithoutFetch)) {
    super(instance);
    this.fetch = fetch;
  }

  /**
   * Returns this client for an account, or for another scope, audience or resource. It shares interceptors, defaults and
   * connections, but no tokens. An empty target returns the client itself.
   *
   * @throws TypeError if a member is empty, unknown, undefined or null.
   *
   * @example
   * this.easy.for({ account: 'merchant-42' }).get('/payments/1')
   */
  for(target: TokenTarget): this {
    const identity = TokenIdentity.of(target);
    return identity === undefined ? this : ProviderHttpService.#identified(this, identity);
  }

  static #identified<Service extends ProviderHttpService>(pair: Service, identity: TokenIdentity): Service {
    const client = Object.create(ProviderHttpService.#prototypeFor(pair)) as Service & Identified;
    client[OF_ACCOUNT] = { identity, instance: undefined, fetch: undefined };
    return client;
  }

  /** Shared by all such clients of a pair. An application may make a client for each call, so the rest of it must cost little. */
  static readonly #prototypeFor = oncePer(
    (pair: ProviderHttpService): object =>
      Object.create(pair, {
        axiosRef: {
          get(this: Identified) {
            const own = this[OF_ACCOUNT];
            return (own.instance ??= identifiedInstance(pair.axiosRef, own.identity));
          },
        },
        fetch: {
          get(this: Identified) {
            const own = this[OF_ACCOUNT];
            return (own.fetch ??= identifiedFetch(pair.fetch, own.identity));
          },
        },
        for: {
          value(this: Identified, target: TokenTarget) {
            const { identity } = this[OF_ACCOUNT];
            return ProviderHttpService.#identified(pair, TokenIdentity.of(target, identity) ?? identity);
          },
        },
        makeObservable: {
          value(this: Identified, send: never, ...given: unknown[]): unknown {
            const config = withIdentity(given.at(-1), this[OF_ACCOUNT].identity);
            return pair.makeObservable(send, ...given.slice(0, -1), config);
          },
        },
      }) as object,
  );

  /** The base URL of the interface and environment, or an empty string if they aren't configured. */
  get baseUrl(): string {
    return this.fetch.baseUrl;
  }

  /**
   * Nest's own method also cancels each request that has completed, which is half of its cost (the row "HttpService" of
   * `test/nightly/bench/in-process.bench.mjs`). Here, only to unsubscribe before the response cancels the request.
   */
  protected override makeObservable<T>(
    send: (...args: unknown[]) => AxiosPromise<T>,
    ...args: unknown[]
  ): Observable<AxiosResponse<T>> {
    return new Observable((subscriber) => {
      // The member is there before, because V8 needs microseconds to add one to a spread object.
      const config: AxiosRequestConfig = { cancelToken: undefined, ...(args.at(-1) as object | undefined) };
      // The config of a failed call, sent again, still has the one of that call, which may not have ended for its subscriber.
      const before = config.cancelToken instanceof Cancellation ? config.cancelToken : undefined;
      const cancellation = config.cancelToken && !before ? undefined : new Cancellation();
      if (cancellation) config.cancelToken = cancellation;
      const follow = (): void => cancellation?.cancel(new CanceledError());
      before?.subscribe(follow);
      let hasEnded = false;
      send(...args.slice(0, -1), config).then(
        (response) => {
          hasEnded = true;
          subscriber.next(response);
          return subscriber.complete();
        },
        (error: unknown) => {
          hasEnded = true;
          subscriber.error(error);
        },
      );
      return () => {
        before?.unsubscribe(follow);
        if (!hasEnded) follow();
      };
    });
  }
}

/** A client whose axios instance is made when it is first used. An application may have hundreds of pairs. */
export function createLazyService(
  Service: typeof ProviderHttpService,
  instance: () => AxiosInstance,
  fetch: ProviderFetch,
): ProviderHttpService {
  const service = new Service(undefined, fetch);
  // The member is there before, and stays enumerable.
  return Object.defineProperty(service, 'instance', {
    configurable: true,
    get() {
      const value = instance();
      Object.defineProperty(service, 'instance', { value, writable: true });
      return value;
    },
  });
}

/** All methods that send, by the place of their config. */
const SENDING: Readonly<Record<string, number>> = {
  request: 0,
  ...METHODS,
  postForm: 2,
  putForm: 2,
  patchForm: 2,
  query: 2,
};

type Method = (...given: unknown[]) => unknown;

function identifiedInstance(pair: AxiosInstance, identity: TokenIdentity): AxiosInstance {
  const calling =
    (method: Method, place: number): Method =>
    (...given) => {
      // `instance('/path', config)`, and `instance(config)`.
      const at = place === 0 && typeof given[0] === 'string' ? 1 : place;
      given[at] = withIdentity(given[at], identity);
      return method(...given);
    };
  const face = calling(pair as Method, 0);
  Object.setPrototypeOf(face, pair);
  for (const [name, place] of Object.entries(SENDING)) {
    const method: unknown = Reflect.get(pair, name);
    if (typeof method === 'function')
      Object.defineProperty(face, name, { value: calling(method as Method, place) });
  }
  const create = (defaults?: object): AxiosInstance => identifiedInstance(pair.create(defaults), identity);
  Object.defineProperty(face, 'create', { value: create });
  return face as unknown as AxiosInstance;
}

function createdWithoutFetch(): Error {
  return new TypeError('This client was created without the module, so it has no fetch.');
}
