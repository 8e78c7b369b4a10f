import axios, {
  Axios,
  type AxiosAdapter,
  AxiosHeaders,
  type AxiosInstance,
  type AxiosResponse,
  CanceledError,
  type InternalAxiosRequestConfig,
  isAxiosError,
  isCancel,
} from 'axios';
import { isObject } from '../../values/is-object.js';
import { ConfigTemplates, KnownDefaults, type Members } from './config-templates.js';
import { type ApplicationInterceptors, InterceptedCalls } from './intercepted-call.js';
import { areOrdinaryDefaults, areOrdinaryMembers, hasHiddenMembers } from './ordinary-call.js';
import type { PathCounts } from './path-counts.js';

type Config = InternalAxiosRequestConfig;
type Transform = (this: Config, data: unknown, headers: AxiosHeaders, status?: number) => unknown;

const [transformRequest] = [axios.defaults.transformRequest].flat() as Transform[];
const [transformResponse] = [axios.defaults.transformResponse].flat() as Transform[];

const FORM_TYPE = 'application/x-www-form-urlencoded';
const METHODS_WITH_TYPE = new Set(['post', 'put', 'patch']);

export interface ExpressPathSettings {
  readonly instance: AxiosInstance;
  readonly baseURL: string;
  /** The default adapter of the instance. */
  readonly adapter: AxiosAdapter;
  readonly interceptors: ApplicationInterceptors;
  /** Sends a config in place of the adapter. */
  readonly send: (config: Config) => Promise<AxiosResponse>;
  readonly paths: PathCounts;
  /** Whether calls may take the express path at all. */
  readonly isOffered: boolean;
}

/**
 * Sends ordinary calls without axios' general machinery (B16). The result is what axios would give (B17): the config is made as
 * axios makes it, and the default transforms are functions of axios.
 */
export class ExpressPath {
  readonly #settings: ExpressPathSettings;
  readonly #intercepted: InterceptedCalls;
  #known: KnownDefaults | undefined;
  /** Undefined while the defaults are not ordinary. */
  #templates: ConfigTemplates | undefined;

  constructor(settings: ExpressPathSettings) {
    this.#settings = settings;
    this.#intercepted = new InterceptedCalls(settings.interceptors.own);
  }

  /**
   * The response of an ordinary call. Undefined for any other call, of which nothing has been sent then.
   *
   * @param members the config of the call. A member that axios takes for missing may be undefined.
   * @param given what the caller gave as the config. `members` is a copy of its enumerable members.
   */
  call(members: Members, given: unknown): Promise<AxiosResponse> | undefined {
    const isOffered = this.#settings.isOffered && !(isObject(given) && hasHiddenMembers(given));
    const sent = isOffered ? this.#tryCall(members) : undefined;
    this.#settings.paths[sent ? 'express' : 'general'] += 1;
    return sent;
  }

  #tryCall(members: Members): Promise<AxiosResponse> | undefined {
    const { interceptors } = this.#settings;
    const request = interceptors.request();
    const response = interceptors.response();
    if (request === undefined || response === undefined || !areOrdinaryMembers(members)) return undefined;
    const config = this.#configOf(members);
    if (config === undefined) return undefined;
    const isIntercepted = request.length > 0 || response.length > 0;
    return isIntercepted ? this.#intercepted.send(config, request, response) : this.#send(config);
  }

  #configOf(members: Members): Config | undefined {
    const { method = 'get' } = members;
    try {
      const name = (method as string).toLowerCase();
      if (this.#known?.areCurrent(name) !== true) this.#learnDefaults();
      return this.#templates?.create(name, members);
    } catch {
      // axios itself reports what is wrong.
      return undefined;
    }
  }

  #learnDefaults(): void {
    const { instance, baseURL, adapter } = this.#settings;
    const { defaults } = instance;
    this.#known = new KnownDefaults(defaults);
    const areOrdinary = areOrdinaryDefaults(defaults, { baseURL, adapter });
    this.#templates = areOrdinary ? new ConfigTemplates(defaults) : undefined;
  }

  /** Does what axios does around an adapter, see axios/lib/core/dispatchRequest.js. */
  async #send(config: Config): Promise<AxiosResponse> {
    let startedAt = 0;
    try {
      serialiseBody(config);
      if (measuresDuration) startedAt = performance.now();
      const response = await this.#settings.send(config);
      throwIfCancelled(config);
      return completed(response, config, startedAt);
    } catch (error) {
      // With `await`, the stack that axios adds goes on with the function that awaits this call.
      return await failing(withResponse(error, config, startedAt));
    }
  }
}

function serialiseBody(config: Config): void {
  const { headers } = config;
  let data: unknown = config.data;
  if (data !== undefined) {
    data = transformRequest?.call(config, data, headers.normalize(false));
    headers.normalize(false);
  }
  config.data = data;
  if (METHODS_WITH_TYPE.has(config.method ?? '')) headers.setContentType(FORM_TYPE, false);
}

/** As axios does, also after the response has come: the caller may cancel between the response and its delivery. */
function throwIfCancelled(config: Config): void {
  config.cancelToken?.throwIfRequested();
  if (config.signal?.aborted) throw new CanceledError(undefined, config);
}

function completed(response: AxiosResponse, config: Config, startedAt: number): AxiosResponse {
  if (measuresDuration) setDuration(response, startedAt);
  // Both transports give headers that are normal already.
  const headers = AxiosHeaders.from(response.headers as AxiosHeaders);
  response.data = transformResponse?.call(config, response.data, headers, response.status);
  response.headers = headers;
  return response;
}

function withResponse(error: unknown, config: Config, startedAt: number): unknown {
  if (isCancel(error)) return error;
  try {
    throwIfCancelled(config);
  } catch (cancellation) {
    return cancellation;
  }
  if (isAxiosError(error) && error.response) completed(error.response, config, startedAt);
  return error;
}

function setDuration(response: AxiosResponse, startedAt: number): void {
  (response as { duration?: number }).duration = Math.max(0, Math.round(performance.now() - startedAt));
}

/** Newer versions of axios measure how long a response took. This client shows whether the installed axios does. */
let measuresDuration = false;
const answer = { data: '', status: 200, statusText: '', headers: {} };
const probe = new Axios({ adapter: (config) => Promise.resolve({ ...answer, config }) });
void probe.request({ url: '/' }).then((response) => (measuresDuration = 'duration' in response));

let failure: unknown;
const failingAxios = new Axios({});
failingAxios.interceptors.request.use(
  () => {
    throw failure;
  },
  // axios 1.18.0 calls this handler without a test whether there is one.
  (error) => {
    throw error;
  },
  { synchronous: true },
);

/** Rejects with an error as axios does: axios adds the stack of the caller to the stack of the error. */
function failing(error: unknown): Promise<never> {
  failure = error;
  const rejected = failingAxios.request<never, never>({});
  failure = undefined;
  return rejected;
}

/** The methods of an instance that send, and that take a body as the second argument or not. */
const METHODS = {
  get: false,
  delete: false,
  head: false,
  options: false,
  post: true,
  put: true,
  patch: true,
};

type Sending = (...given: unknown[]) => Promise<AxiosResponse>;

/**
 * The same axios instance, with functions that try the express path first. A new function has the members of the instance,
 * because the call of a function cannot be replaced in place.
 */
export function withExpressPath(general: AxiosInstance, path: ExpressPath): AxiosInstance {
  const requestBy = general as unknown as Sending;
  const instance = function wrap(...given: unknown[]) {
    const [first, second] = given;
    if (typeof first !== 'string')
      return (isObject(first) && path.call({ ...first }, first)) || requestBy(...given);
    // axios writes the URL into the config of the caller too.
    const config = isObject(second) ? Object.assign(second, { url: first }) : { url: first };
    return path.call({ ...config }, config) ?? requestBy(config);
  };
  const members = Object.getOwnPropertyDescriptors(general) as Record<string, PropertyDescriptor>;
  for (const [name, property] of Object.entries(members))
    if (!Object.hasOwn(instance, name)) Object.defineProperty(instance, name, property);
  replace(instance, 'request', instance);
  for (const [method, hasBody] of Object.entries(METHODS)) {
    const generalMethod = Reflect.get(general, method) as Sending | undefined;
    if (generalMethod === undefined) continue;
    replace(
      instance,
      method,
      hasBody
        ? function wrap(...given: unknown[]) {
            const [url, data, config] = given;
            return path.call({ ...(config as object), method, url, data }, config) ?? generalMethod(...given);
          }
        : function wrap(...given: unknown[]) {
            const [url, config] = given;
            return path.call({ ...(config as object), method, url }, config) ?? generalMethod(...given);
          },
    );
  }
  return instance as unknown as AxiosInstance;
}

function replace(instance: object, name: string, send: Sending): void {
  const property = Object.getOwnPropertyDescriptor(instance, name);
  Object.defineProperty(instance, name, { ...property, value: send });
}
