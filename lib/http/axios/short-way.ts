import axios, {
  Axios,
  AxiosHeaders,
  type AxiosInstance,
  type AxiosResponse,
  CanceledError,
  isAxiosError,
  isCancel,
} from 'axios';
import { assertSameAccount, IDENTITY } from '../../token/token-identity.js';
import { isObject, isPolluted } from '../../values/objects.js';
import { safely } from '../../values/safely.js';
import type { Config } from '../../wire/outgoing.js';
import { areMethodsOfAxios, isAxiosSince, METHODS } from './compared-axios.js';
import {
  type Handler,
  hasDefaultTransform,
  isOnly,
  type Manager,
  managerOf,
  runsInReverse,
  type TokenInterceptor,
} from './interceptor.js';
import { ConfigTemplate, type Members } from './template.js';

/** The members of a call that the short way knows. A call with any other member goes through axios. */
const KNOWN = new Set(
  (
    'url method params headers data timeout timeoutErrorMessage responseType responseEncoding signal cancelToken validateStatus ' +
    'decompress maxContentLength maxBodyLength maxRedirects onUploadProgress onDownloadProgress'
  ).split(' '),
);

/** Companions of axios put their state into a config, for example axios-retry. No option of axios has a name like this. */
const STATE_NAME = /^_(?!_proto__$)|-|^metadata$/;

type Transform = (this: Config, data: unknown, headers: AxiosHeaders, status?: number) => unknown;

/**
 * axios merges the defaults into each call, and runs its chain, which takes longer than sending the request. Here an ordinary call
 * gets the same config from a template. The adapter is the same. Without this class every call works, only slower.
 */
export class ShortWay {
  /** Undefined if instrumentation has replaced the method. */
  readonly #requestOfAxios: unknown =
    areMethodsOfAxios(Axios.prototype) && Reflect.get(Axios.prototype, 'request');
  readonly #template: ConfigTemplate;

  constructor(
    private readonly general: AxiosInstance,
    private readonly interceptor: TokenInterceptor,
  ) {
    this.#template = new ConfigTemplate(general.defaults);
  }

  /**
   * Undefined for a call that axios has to make.
   *
   * @param given what the caller gave as the config. `members` is a copy with the members that its method adds.
   */
  call(members: Members, given: unknown): Promise<AxiosResponse> | undefined {
    const { interceptors } = this.general;
    if (!this.#isKnown(members, given)) return undefined;
    const request = handlersOf(managerOf(interceptors.request));
    const response = handlersOf(managerOf(interceptors.response));
    if (request === undefined || response === undefined) return undefined;
    const config = this.#template.configOf(members);
    if (config === undefined) return undefined;
    const others = request.filter(({ fulfilled }) => fulfilled !== this.interceptor.fulfilled);
    const isSynchronous = others.every(({ synchronous }) => synchronous);
    // axios has other rules for the errors of synchronous handlers.
    if (others.some(({ runWhen, rejected }) => runWhen || (isSynchronous && rejected))) return undefined;
    if (others.length + response.length === 0) return forCaller(this.#dispatch(config));
    return forCaller(this.#intercepted(config, others, response));
  }

  /** Instrumentation may replace the method through which axios sends all calls of an instance. */
  #isKnown(members: Members, given: unknown): boolean {
    if (Reflect.get(Axios.prototype, 'request') !== this.#requestOfAxios || isPolluted()) return false;
    for (const name of Object.keys(members)) {
      // For axios, `validateStatus: undefined` is a value.
      const isMissing = members[name] === undefined;
      const isKnown = isMissing ? name !== 'validateStatus' : KNOWN.has(name) || STATE_NAME.test(name);
      if (!isKnown) return false;
    }
    if (Object.getOwnPropertySymbols(members).length > 0) return false;
    const { method = 'get' } = members;
    if (typeof method !== 'string' || !(method.toLowerCase() in METHODS)) return false;
    // axios reads some members that a copy does not have.
    return !isObject(given) || Object.getOwnPropertyNames(given).length === Object.keys(given).length;
  }

  /** Runs the interceptors of the application around a call, as axios does (axios/lib/core/Axios.js). */
  async #intercepted(
    config: Config,
    request: readonly Handler[],
    response: readonly Handler[],
  ): Promise<AxiosResponse> {
    const account: unknown = Reflect.get(config, IDENTITY);
    const dispatch = (last: unknown): Promise<AxiosResponse> => {
      assertSameAccount(account, last as Config);
      return this.#dispatchIntercepted(last as Config, config);
    };
    const ordered = runsInReverse(config) ? request.toReversed() : request;
    const isSynchronous = ordered.every(({ synchronous }) => synchronous);
    const sent = isSynchronous
      ? atOnce(config, ordered, dispatch)
      : afterHandlers(Promise.resolve(config), ordered).then(dispatch);
    return (await afterHandlers(sent, response)) as AxiosResponse;
  }

  #dispatchIntercepted(last: Config, made: Config): Promise<AxiosResponse> {
    const isOurs =
      last === made &&
      Object.isExtensible(last) &&
      last.headers instanceof AxiosHeaders &&
      last.adapter === this.interceptor.adapter;
    if (isOurs) {
      last.headers.normalize(false);
      return this.#dispatch(last);
    }
    // An interceptor has made another config, or has chosen another adapter. axios sends what its last interceptor returns.
    const sending = new Axios({});
    sending.interceptors.request.use(() => this.interceptor.authorize(last), null, { synchronous: true });
    return sending.request({});
  }

  /** What axios does around an adapter (axios/lib/core/dispatchRequest.js). */
  async #dispatch(config: Config): Promise<AxiosResponse> {
    throwIfCancelled(config);
    transformRequest(config);
    const startedAt = performance.now();
    try {
      // A transform may have set another adapter.
      const response = await this.interceptor.chooseAdapter(config)(config);
      throwIfCancelled(config);
      return completed(response, config, startedAt);
    } catch (error) {
      if (!isCancel(error)) throwIfCancelled(config);
      if (isAxiosError(error) && error.response && !('duration' in error.response))
        completed(error.response, config, startedAt);
      throw error;
    }
  }
}

/** A copy, because an interceptor may change the list. Undefined if other code has replaced the list. */
function handlersOf({ handlers }: Manager): readonly Handler[] | undefined {
  return Array.isArray(handlers) ? handlers.filter((handler) => handler !== null) : undefined;
}

function afterHandlers(first: Promise<unknown>, handlers: readonly Handler[]): Promise<unknown> {
  return handlers.reduce((last, { fulfilled, rejected }) => last.then(fulfilled, rejected), first);
}

/** axios does not wait for handlers that are all synchronous. */
async function atOnce(
  config: Config,
  handlers: readonly Handler[],
  dispatch: (last: unknown) => Promise<AxiosResponse>,
): Promise<AxiosResponse> {
  let last: unknown = config;
  for (const { fulfilled } of handlers) if (fulfilled) last = fulfilled(last);
  return dispatch(last);
}

function transformRequest(config: Config): void {
  const { headers, method } = config;
  let data: unknown = config.data;
  // The default does nothing without a body.
  if (data !== undefined || !hasDefaultTransform(config))
    data = transformed(data, config, config.transformRequest, headers);
  config.data = data;
  if (method === 'post' || method === 'put' || method === 'patch')
    headers.setContentType('application/x-www-form-urlencoded', false);
}

function transformed(
  data: unknown,
  config: Config,
  transforms: Config['transformRequest'] | Config['transformResponse'],
  headers: AxiosHeaders,
  status?: number,
): unknown {
  let result = data;
  for (const transform of [transforms ?? []].flat() as Transform[])
    result = transform.call(config, result, headers.normalize(false), status);
  headers.normalize(false);
  return result;
}

function throwIfCancelled(config: Config): void {
  config.cancelToken?.throwIfRequested();
  if (config.signal?.aborted) throw new CanceledError(undefined, config);
}

/** Since this version axios measures how long a response took. */
const MEASURES_DURATION = isAxiosSince('1.21.0');

const [defaultResponse] = [axios.defaults.transformResponse].flat() as Transform[];

function completed(response: AxiosResponse, config: Config, startedAt: number): AxiosResponse {
  if (MEASURES_DURATION)
    (response as { duration?: number }).duration = Math.max(0, Math.round(performance.now() - startedAt));
  const headers = AxiosHeaders.from(response.headers as AxiosHeaders);
  const { transformResponse, transitional } = config;
  // The default does not throw then.
  if (isOnly(transformResponse, defaultResponse) && transitional?.silentJSONParsing)
    response.data = defaultResponse?.call(config, response.data, headers, response.status);
  else {
    // A transform that throws shows the response.
    Object.assign(config, { response });
    try {
      response.data = transformed(response.data, config, transformResponse, headers, response.status);
    } finally {
      Reflect.deleteProperty(config, 'response');
    }
  }
  response.headers = headers;
  return response;
}

/** axios adds the stack of the caller to an error with which this method rejects. */
const request = Reflect.get(Axios.prototype, 'request') as () => Promise<never>;

async function forCaller(response: Promise<AxiosResponse>): Promise<AxiosResponse> {
  try {
    return await response;
  } catch (error) {
    const failing = Object.create(Axios.prototype, {
      _request: {
        value: () => {
          throw error;
        },
      },
    }) as Axios;
    return await Reflect.apply(request, failing, []);
  }
}

type Sending = (...given: unknown[]) => Promise<AxiosResponse>;

/** Before axios 1.21.0, some methods throw at once. */
async function promised(send: () => Promise<AxiosResponse>): Promise<AxiosResponse> {
  return await send();
}

/** The same instance, with functions that try the short way first. The call of a function cannot be replaced in place. */
export function withShortWay(general: AxiosInstance, way: ShortWay): AxiosInstance {
  /** @param more the members that the method adds to the config. */
  const sending =
    (byAxios: Sending, place: (given: unknown[]) => [config: unknown, more: Members]): Sending =>
    (...given) => {
      // axios itself reports what a getter throws.
      const response = safely(() => {
        const [config, more] = place(given);
        return way.call(Object.assign({}, config, more), config);
      }, undefined);
      return response ?? promised(() => byAxios(...given));
    };
  const instance = sending(general as unknown as Sending, ([first, second]) =>
    // axios sets this member, too.
    typeof first === 'string' ? [Object.assign(second ?? {}, { url: first }), {}] : [first, {}],
  );
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(general)))
    if (!Object.hasOwn(instance, name)) Object.defineProperty(instance, name, property);
  Reflect.set(instance, 'request', instance);
  for (const [method, place] of Object.entries(METHODS)) {
    const byAxios = Reflect.get(general, method) as Sending;
    const membersOf = (given: unknown[]): [unknown, Members] =>
      place === 2
        ? [given[2], { method, url: given[0], data: given[1] }]
        : [given[1], { method, url: given[0] }];
    Reflect.set(instance, method, sending(byAxios, membersOf));
  }
  return instance as unknown as AxiosInstance;
}
