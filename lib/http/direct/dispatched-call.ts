import axios, {
  Axios,
  AxiosHeaders,
  type AxiosResponse,
  CanceledError,
  type InternalAxiosRequestConfig,
  isAxiosError,
  isCancel,
} from 'axios';
import { isAxiosSince } from './compared-axios.js';
import { isDefaultForResponses } from './direct-call.js';

/** Since this version axios measures how long a response took. */
const measuresDuration = isAxiosSince('1.21.0');

type Config = InternalAxiosRequestConfig;
type Transform = (this: Config, data: unknown, headers: AxiosHeaders, status?: number) => unknown;

const [transformRequest] = [axios.defaults.transformRequest].flat() as Transform[];
const [transformResponse] = [axios.defaults.transformResponse].flat() as Transform[];

const FORM_TYPE = 'application/x-www-form-urlencoded';
const METHODS_WITH_TYPE = new Set(['post', 'put', 'patch']);

export interface Dispatch {
  /** Sends a config in place of the adapter. */
  readonly send: (config: Config) => Promise<AxiosResponse>;
  /** Rejects with the error of the call. */
  readonly fail: (error: unknown) => Promise<never>;
}

/** Does what axios does around an adapter, see axios/lib/core/dispatchRequest.js. The body is serialised already. */
export async function dispatched(config: Config, { send, fail }: Dispatch): Promise<AxiosResponse> {
  let startedAt = 0;
  try {
    if (measuresDuration) startedAt = performance.now();
    const response = await send(config);
    throwIfCancelled(config);
    return completed(response, config, startedAt);
  } catch (error) {
    // With `await`, the stack that axios adds goes on with the function that awaits this call.
    return await fail(errorForCaller(error, config, startedAt));
  }
}

/** What axios does with the body before the adapter gets the config. The headers are normal already. */
export function serialiseBody(config: Config): void {
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
  if (measuresDuration)
    (response as { duration?: number }).duration = Math.max(0, Math.round(performance.now() - startedAt));
  // Both transports give headers that are normal already.
  const headers = AxiosHeaders.from(response.headers as AxiosHeaders);
  response.data = isDefaultForResponses(config.transformResponse)
    ? transformResponse?.call(config, response.data, headers, response.status)
    : transformedByOthers(response, config, headers);
  response.headers = headers;
  return response;
}

/** An interceptor may keep the config, and change the transforms while the request is under way. */
function transformedByOthers(response: AxiosResponse, config: Config, headers: AxiosHeaders): unknown {
  const transforms = [config.transformResponse ?? []].flat() as Transform[];
  const shown = config as { response?: AxiosResponse };
  shown.response = response;
  try {
    let data: unknown = response.data;
    for (const transform of transforms)
      data = transform.call(config, data, headers.normalize(false), response.status);
    return data;
  } finally {
    delete shown.response;
  }
}

/** A cancellation comes before any other error. The response of an error is completed as a success is. */
function errorForCaller(error: unknown, config: Config, startedAt: number): unknown {
  if (isCancel(error)) return error;
  try {
    throwIfCancelled(config);
  } catch (cancellation) {
    return cancellation;
  }
  if (isAxiosError(error) && error.response) completed(error.response, config, startedAt);
  return error;
}

/** axios adds the stack of the caller to an error with which this method rejects. */
const request = Reflect.get(Axios.prototype, 'request') as () => Promise<never>;

/** Rejects with an error as axios does: `_request`, which does the work of axios, only throws the error here. */
export function failing(error: unknown): Promise<never> {
  const failed = Object.create(Axios.prototype, {
    _request: {
      value(): never {
        throw error;
      },
    },
  }) as Axios;
  return Reflect.apply(request, failed, []);
}
