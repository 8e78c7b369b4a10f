// Written by hand, because openapi-generator needs Java. It stands for the client that openapi-generator 7 makes with
// `generate -g typescript-nestjs -i openapi.json`: the same constructors, arguments, addresses, headers and bodies, as the
// templates of that generator give them, without their comments and without options that this document does not use.
import { HttpService } from '@nestjs/axios';
import { Injectable, Optional } from '@nestjs/common';
import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import type { Observable } from 'rxjs';

export interface NewPayment {
  amount: number;
  reference?: string;
}

export interface Receipt {
  interface: string;
  environment: string;
  method: string;
  path: string;
  bodyLength: number;
  bodySha256: string;
}

export interface ConfigurationParameters {
  accessToken?: string;
  basePath?: string;
  httpClient?: HttpService;
}

export class Configuration {
  readonly accessToken: string | undefined;
  readonly basePath: string | undefined;
  readonly httpClient: HttpService | undefined;

  constructor({ accessToken, basePath, httpClient }: ConfigurationParameters = {}) {
    this.accessToken = accessToken;
    this.basePath = basePath;
    this.httpClient = httpClient;
  }
}

export interface CallOptions {
  config?: AxiosRequestConfig;
}

@Injectable()
export class PaymentsService {
  protected readonly basePath: string;
  protected readonly httpClient: HttpService;

  constructor(
    httpClient: HttpService,
    @Optional() protected readonly configuration: Configuration = new Configuration(),
  ) {
    // An empty base path counts as none.
    this.basePath = configuration.basePath || 'https://provider.example/v1';
    this.httpClient = configuration.httpClient ?? httpClient;
  }

  listPayments(
    state?: 'open' | 'paid',
    limit?: number,
    options?: CallOptions,
  ): Observable<AxiosResponse<Receipt>> {
    const params = new URLSearchParams();
    if (state !== undefined) params.append('state', state);
    if (limit !== undefined) params.append('limit', String(limit));
    const config = this.#config({ Accept: 'application/json' }, { params }, options);
    return this.httpClient.get<Receipt>(`${this.basePath}/payments`, config);
  }

  createPayment(body: NewPayment, options?: CallOptions): Observable<AxiosResponse<Receipt>> {
    const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
    return this.httpClient.post<Receipt>(
      `${this.basePath}/payments`,
      body,
      this.#config(headers, {}, options),
    );
  }

  getPayment(id: string, options?: CallOptions): Observable<AxiosResponse<Receipt>> {
    const url = `${this.basePath}/payments/${encodeURIComponent(id)}`;
    return this.httpClient.get<Receipt>(url, this.#config({ Accept: 'application/json' }, {}, options));
  }

  uploadInvoice(id: string, body: Blob, options?: CallOptions): Observable<AxiosResponse<Receipt>> {
    const url = `${this.basePath}/payments/${encodeURIComponent(id)}/invoice`;
    const headers = { Accept: 'application/json', 'Content-Type': 'application/octet-stream' };
    return this.httpClient.put<Receipt>(url, body, this.#config(headers, {}, options));
  }

  downloadInvoice(id: string, options?: CallOptions): Observable<AxiosResponse<Blob>> {
    const url = `${this.basePath}/payments/${encodeURIComponent(id)}/invoice`;
    const headers = { Accept: 'application/octet-stream' };
    return this.httpClient.get<Blob>(url, this.#config(headers, { responseType: 'blob' }, options));
  }

  #config(
    headers: Record<string, string>,
    own: AxiosRequestConfig,
    { config }: CallOptions = {},
  ): AxiosRequestConfig {
    const { accessToken } = this.configuration;
    const authorization = accessToken && { Authorization: `Bearer ${accessToken}` };
    return { ...own, ...config, headers: Object.assign({ ...headers, ...authorization }, config?.headers) };
  }
}
