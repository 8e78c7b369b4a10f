// Written by hand, because openapi-generator needs Java. It stands for the client that openapi-generator 7 makes with
// `generate -g typescript-axios -i openapi.json`: the same constructors, arguments, addresses, headers and bodies, as the
// templates of that generator give them, without their comments and without options that this document does not use.
import globalAxios, { type AxiosInstance, type AxiosResponse, type RawAxiosRequestConfig } from 'axios';
import type { NewPayment, Receipt } from './models.js';

export const BASE_PATH = 'https://provider.example/v1';

export interface ConfigurationParameters {
  accessToken?: string;
  basePath?: string;
  baseOptions?: RawAxiosRequestConfig;
}

export class Configuration {
  readonly accessToken: string | undefined;
  readonly basePath: string | undefined;
  readonly baseOptions: RawAxiosRequestConfig | undefined;

  constructor({ accessToken, basePath, baseOptions }: ConfigurationParameters = {}) {
    this.accessToken = accessToken;
    this.basePath = basePath;
    this.baseOptions = baseOptions;
  }

  isJsonMime(mime: string): boolean {
    return /^(application\/json|[^;/ \t]+\/[^;/ \t]+\+json)[ \t]*(;.*)?$/i.test(mime);
  }
}

interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export class PaymentsApi {
  constructor(
    protected readonly configuration?: Configuration,
    protected readonly basePath: string = BASE_PATH,
    protected readonly axios: AxiosInstance = globalAxios,
  ) {}

  listPayments(
    state?: 'open' | 'paid',
    limit?: number,
    options?: RawAxiosRequestConfig,
  ): Promise<AxiosResponse<Receipt>> {
    const headers = { Accept: 'application/json' };
    return this.#send({ method: 'GET', path: '/payments', query: { state, limit }, headers }, options);
  }

  createPayment(body: NewPayment, options?: RawAxiosRequestConfig): Promise<AxiosResponse<Receipt>> {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
    return this.#send({ method: 'POST', path: '/payments', headers, body }, options);
  }

  getPayment(id: string, options?: RawAxiosRequestConfig): Promise<AxiosResponse<Receipt>> {
    const headers = { Accept: 'application/json' };
    return this.#send({ method: 'GET', path: `/payments/${encodeURIComponent(id)}`, headers }, options);
  }

  uploadInvoice(id: string, body: File, options?: RawAxiosRequestConfig): Promise<AxiosResponse<Receipt>> {
    const path = `/payments/${encodeURIComponent(id)}/invoice`;
    const headers = { 'Content-Type': 'application/octet-stream', Accept: 'application/json' };
    return this.#send({ method: 'PUT', path, headers, body }, options);
  }

  downloadInvoice(id: string, options?: RawAxiosRequestConfig): Promise<AxiosResponse<File>> {
    const path = `/payments/${encodeURIComponent(id)}/invoice`;
    return this.#send({ method: 'GET', path, headers: { Accept: 'application/octet-stream' } }, options);
  }

  #send<Data>(
    { method, path, query = {}, headers, body }: Operation,
    options: RawAxiosRequestConfig = {},
  ): Promise<AxiosResponse<Data>> {
    const { accessToken, baseOptions, basePath = this.basePath } = this.configuration ?? {};
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value));
    const config: RawAxiosRequestConfig = { method, ...baseOptions, ...options };
    const authorization = accessToken && { Authorization: `Bearer ${accessToken}` };
    const own = { ...headers, ...authorization };
    config.headers = Object.assign(own, baseOptions?.headers, options.headers);
    if (body !== undefined) config.data = this.#serialized(body, String(config.headers['Content-Type']));
    const address = search.size === 0 ? path : `${path}?${search.toString()}`;
    // The path alone, if the instance has a base URL.
    const url = (this.axios.defaults.baseURL ? '' : basePath) + address;
    return this.axios.request({ ...config, url });
  }

  /** Without a configuration, every body becomes JSON, bytes too. */
  #serialized(body: unknown, contentType: string): unknown {
    const isJson = this.configuration?.isJsonMime(contentType) ?? true;
    return typeof body !== 'string' && isJson ? JSON.stringify(body) : body;
  }
}
