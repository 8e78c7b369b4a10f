import { Readable } from 'node:stream';
import type { AxiosRequestConfig } from 'axios';
import createOpenapiFetch from 'openapi-fetch';
import { lastValueFrom } from 'rxjs';
import type { EasyHttpService, ProviderFetch } from '../../../lib/index.js';
import { createClient as createHeyApiAxios } from '../../../sample/06-generated-clients/src/generated/hey-api-axios/client/index.js';
import * as heyApiAxios from '../../../sample/06-generated-clients/src/generated/hey-api-axios/index.js';
import { createClient as createHeyApiFetch } from '../../../sample/06-generated-clients/src/generated/hey-api-fetch/client/index.js';
import * as heyApiFetch from '../../../sample/06-generated-clients/src/generated/hey-api-fetch/index.js';
import type { paths } from '../../../sample/06-generated-clients/src/generated/openapi-fetch/schema.js';
import { getPayments } from '../../../sample/06-generated-clients/src/generated/orval-axios/payments.js';
import * as orvalFetch from '../../../sample/06-generated-clients/src/generated/orval-fetch/payments.js';
import { Api as SwaggerAxios } from '../../../sample/06-generated-clients/src/generated/swagger-typescript-api-axios/payments.js';
import {
  Api as SwaggerFetch,
  ContentType,
} from '../../../sample/06-generated-clients/src/generated/swagger-typescript-api-fetch/payments.js';
import * as typescriptAxios from '../../../sample/06-generated-clients/src/openapi-generator/typescript-axios.js';
import * as typescriptNestjs from '../../../sample/06-generated-clients/src/openapi-generator/typescript-nestjs.js';

/** The operations of `sample/06-generated-clients/openapi.json`. Results and errors are those of the client. */
export interface GeneratedClient {
  list(state: 'open' | 'paid', limit: number): Promise<unknown>;
  get(id: string, signal?: AbortSignal): Promise<unknown>;
  create(payment: { amount: number }): Promise<unknown>;
  /** The generated types allow no stream and no form. Applications cast them. */
  upload(id: string, body: Upload): Promise<unknown>;
  /** The body as a stream, and the result of the client. */
  download(id: string): Promise<{ body: AsyncIterable<Uint8Array>; result: unknown }>;
}

export type Upload = File | FormData | Readable;

export interface Settings {
  /** An address that the client uses in place of its usual base path. `undefined` sets none. */
  readonly base?: string | undefined;
  /** A token that the application gives to the client itself. */
  readonly token?: string;
}

/** How to give our instance or our `fetch` to each client, as `docs/generated-clients.md` shows it. */
export const GENERATED_CLIENTS: Readonly<
  Record<string, (easy: EasyHttpService, settings?: Settings) => GeneratedClient>
> = {
  'hey-api, client-axios'(easy, { base, token } = {}) {
    const client = createHeyApiAxios({
      axios: easy.axiosRef,
      ...(base !== undefined && { baseURL: base }),
      ...(token !== undefined && { auth: token }),
    });
    const settings = { client, throwOnError: true } as const;
    return {
      list: (state, limit) => heyApiAxios.listPayments({ ...settings, query: { state, limit } }),
      get: (id, signal) => heyApiAxios.getPayment({ ...settings, path: { id }, ...(signal && { signal }) }),
      create: (body) => heyApiAxios.createPayment({ ...settings, body }),
      upload: (id, body) => heyApiAxios.uploadInvoice({ ...settings, path: { id }, body: body as File }),
      async download(id) {
        const result = await heyApiAxios.downloadInvoice({
          ...settings,
          path: { id },
          responseType: 'stream',
        });
        return { body: result.data as never, result };
      },
    };
  },

  'hey-api, client-fetch'(easy, { token, ...settings } = {}) {
    const baseUrl = 'base' in settings ? settings.base : easy.baseUrl;
    const client = createHeyApiFetch({
      fetch: easy.fetch,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(token !== undefined && { auth: token }),
    });
    const call = { client, throwOnError: true } as const;
    return {
      list: (state, limit) => heyApiFetch.listPayments({ ...call, query: { state, limit } }),
      get: (id, signal) => heyApiFetch.getPayment({ ...call, path: { id }, ...(signal && { signal }) }),
      create: (body) => heyApiFetch.createPayment({ ...call, body }),
      upload: (id, body) =>
        heyApiFetch.uploadInvoice({
          ...call,
          path: { id },
          body: forFetch(body) as File,
          ...(body instanceof Readable && { duplex: 'half' }),
        }),
      async download(id) {
        const result = await heyApiFetch.downloadInvoice({ ...call, path: { id }, parseAs: 'stream' });
        return { body: result.data as never, result };
      },
    };
  },

  'openapi-fetch'(easy, { token, ...settings } = {}) {
    const baseUrl = 'base' in settings ? settings.base : easy.baseUrl;
    const client = createOpenapiFetch<paths>({
      fetch: easy.fetch,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
    });
    return {
      list: (state, limit) => client.GET('/payments', { params: { query: { state, limit } } }),
      get: (id, signal) => client.GET('/payments/{id}', { params: withId(id), ...(signal && { signal }) }),
      create: (body) => client.POST('/payments', { body }),
      upload: (id, body) =>
        client.PUT('/payments/{id}/invoice', {
          params: withId(id),
          body: forFetch(body) as never,
          bodySerializer: (bytes: unknown) => bytes,
          headers: { 'Content-Type': 'application/octet-stream' },
          ...(body instanceof Readable && { duplex: 'half' as const }),
        }),
      async download(id) {
        const result = await client.GET('/payments/{id}/invoice', { params: withId(id), parseAs: 'stream' });
        return { body: result.data as never, result };
      },
    };
  },

  'orval, axios'(easy, { base, token } = {}) {
    const client = getPayments(easy.axiosRef);
    const config: AxiosRequestConfig = {
      ...(base !== undefined && { baseURL: base }),
      ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
    };
    return {
      list: (state, limit) => client.listPayments({ state, limit }, config),
      get: (id, signal) => client.getPayment(id, { ...config, ...(signal && { signal }) }),
      create: (payment) => client.createPayment(payment, config),
      upload: (id, body) => client.uploadInvoice(id, body as File, config),
      async download(id) {
        const result = await client.downloadInvoice(id, { ...config, responseType: 'stream' });
        return { body: result.data as never, result };
      },
    };
  },

  'orval, fetch'(easy, { base = '', token } = {}) {
    const options = {
      fetch: base === '' ? easy.fetch : withServer(easy.fetch, base),
      ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
    };
    return {
      list: (state, limit) => orvalFetch.listPayments({ state, limit }, options),
      get: (id, signal) => orvalFetch.getPayment(id, { ...options, ...(signal && { signal }) }),
      create: (payment) => orvalFetch.createPayment(payment, options),
      upload: (id, body) => orvalFetch.uploadInvoice(id, forFetch(body) as File, options),
      async download(id) {
        const result = await orvalFetch.downloadInvoice(id, { ...options, stream: true });
        return { body: result.data as never, result };
      },
    };
  },

  'swagger-typescript-api, axios'(easy, { base, token } = {}) {
    const api = new SwaggerAxios({
      ...(token !== undefined && {
        securityWorker: () => ({ headers: { Authorization: `Bearer ${token}` } }),
      }),
    });
    api.instance = easy.axiosRef;
    const params = { ...(base !== undefined && { baseURL: base }) };
    const octets = { 'Content-Type': 'application/octet-stream' };
    return {
      list: (state, limit) => api.payments.listPayments({ state, limit }, params),
      get: (id, signal) => api.payments.getPayment(id, { ...params, ...(signal && { signal }) }),
      create: (payment) => api.payments.createPayment(payment, params),
      upload: (id, body) => api.payments.uploadInvoice(id, body as File, { ...params, headers: octets }),
      async download(id) {
        const result = await api.payments.downloadInvoice(id, { ...params, format: 'stream' });
        return { body: result.data as never, result };
      },
    };
  },

  'swagger-typescript-api, fetch'(easy, { token, ...settings } = {}) {
    const baseUrl = 'base' in settings ? settings.base : easy.baseUrl;
    const api = new SwaggerFetch({
      customFetch: easy.fetch,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(token !== undefined && {
        securityWorker: () => ({ headers: { Authorization: `Bearer ${token}` } }),
      }),
    });
    return {
      list: (state, limit) => api.payments.listPayments({ state, limit }, { format: 'json' }),
      get: (id, signal) => api.payments.getPayment(id, { format: 'json', ...(signal && { signal }) }),
      create: (payment) => api.payments.createPayment(payment, { format: 'json' }),
      upload: (id, body) =>
        api.payments.uploadInvoice(id, forFetch(body) as File, {
          ...(body instanceof FormData && { type: ContentType.FormData }),
        }),
      async download(id) {
        const result = await api.payments.downloadInvoice(id);
        return { body: result.body as never, result };
      },
    };
  },

  'openapi-generator, typescript-axios'(easy, { base, token } = {}) {
    const configuration = new typescriptAxios.Configuration({
      ...(token !== undefined && { accessToken: token }),
      ...(base !== undefined && { baseOptions: { baseURL: base } }),
    });
    const api = new typescriptAxios.PaymentsApi(configuration, undefined, easy.axiosRef);
    return {
      list: (state, limit) => api.listPayments(state, limit),
      get: (id, signal) => api.getPayment(id, signal && { signal }),
      create: (payment) => api.createPayment(payment),
      upload: (id, body) => api.uploadInvoice(id, body as File),
      async download(id) {
        const result = await api.downloadInvoice(id, { responseType: 'stream' });
        return { body: result.data as never, result };
      },
    };
  },

  'openapi-generator, typescript-nestjs'(easy, { token, ...settings } = {}) {
    const basePath = 'base' in settings ? settings.base : easy.baseUrl;
    const configuration = new typescriptNestjs.Configuration({
      ...(basePath !== undefined && { basePath }),
      ...(token !== undefined && { accessToken: token }),
    });
    const service = new typescriptNestjs.PaymentsService(easy, configuration);
    return {
      list: (state, limit) => lastValueFrom(service.listPayments(state, limit)),
      get: (id, signal) => lastValueFrom(service.getPayment(id, signal && { config: { signal } })),
      create: (payment) => lastValueFrom(service.createPayment(payment)),
      upload: (id, body) => lastValueFrom(service.uploadInvoice(id, body as File)),
      async download(id) {
        const config = { responseType: 'stream' } as const;
        const result = await lastValueFrom(service.downloadInvoice(id, { config }));
        return { body: result.data as never, result };
      },
    };
  },
};

/** `fetch` takes streams of the web, axios takes streams of Node. */
function forFetch(body: Upload): unknown {
  return body instanceof Readable ? Readable.toWeb(body) : body;
}

function withId(id: string): { path: { id: string } } {
  return { path: { id } };
}

/** The paths of orval are relative, unless its settings say that they begin with the server of the document. */
function withServer(fetch: ProviderFetch, server: string): ProviderFetch {
  const call = (path: Parameters<ProviderFetch>[0], init?: RequestInit): Promise<Response> =>
    fetch(server + (path as string), init);
  return Object.assign(call, { baseUrl: server });
}
