import type { AxiosError, AxiosInstance, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { AxiosHeaders } from 'axios';
import type { ProviderTransport } from '../../../lib/config/options/provider-transport.js';
import { ProviderHttpService } from '../../../lib/http/provider-http.service.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { type CreateClient, createClient } from './clients.js';

/** A client on the direct path that differs in one point. Both paths of a run then differ in this point. */
interface Plant {
  /** The subject under which the comparison must report the difference. */
  readonly subject: string;
  readonly createClient: CreateClient;
}

/** Changes what a caller gets. */
function plantedResult(
  subject: string,
  change: {
    response?: (response: AxiosResponse, axios: AxiosInstance) => unknown;
    error?: (error: AxiosError) => unknown;
  },
): Plant {
  const { response, error } = change;
  return {
    subject,
    createClient: (settings) => {
      const client = createClient(settings);
      if (settings.side.name === 'general') return client;
      const planted = async (call: Promise<AxiosResponse>): Promise<AxiosResponse> => {
        try {
          const result = await call;
          // The response interceptor of a plan may return anything.
          if (result?.config !== undefined) response?.(result, client.axios);
          return result;
        } catch (thrown) {
          if ((thrown as AxiosError | undefined)?.config !== undefined) error?.(thrown as AxiosError);
          throw thrown;
        }
      };
      const axios = new Proxy(client.axios, {
        apply: (target, _, given: [never]) => planted(target(...given)),
        get(target, name): unknown {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...given: unknown[]) =>
            planted(Reflect.apply(member, target, given) as Promise<AxiosResponse>);
        },
      });
      return { ...client, axios, service: new ProviderHttpService(axios) };
    },
  };
}

/** Changes what the server receives. */
function plantedRequest(change: (config: InternalAxiosRequestConfig) => void): Plant {
  const transport: ProviderTransport = {
    open(profile) {
      const connection = undiciTransport().open(profile);
      // A transport with an adapter only: every request goes through the adapter.
      return {
        actsAsHttp: true,
        close: () => connection.close(),
        adapter: (config) => {
          change(config);
          return connection.adapter(config);
        },
      };
    },
  };
  return {
    subject: 'server received',
    createClient: (settings) =>
      createClient(
        settings.side.name === 'general' ? settings : { ...settings, http: { ...settings.http, transport } },
      ),
  };
}

const inHexadecimal = (text: unknown): string => Buffer.from(String(text)).toString('hex');

export const PLANTS: Readonly<Record<string, Plant>> = {
  'a header is lost': plantedRequest(({ headers }) => headers.delete('Accept')),
  'headers are in another order': plantedRequest((config) => {
    config.headers = new AxiosHeaders(Object.fromEntries(Object.entries(config.headers).toReversed()));
  }),
  'the name of a header is written in another case': plantedRequest(({ headers }) => {
    const { Accept } = headers;
    if (delete headers['Accept']) headers['ACCEPT'] = Accept as string;
  }),
  'a byte of the body is changed': plantedRequest((config) => {
    if (typeof config.data === 'string') config.data = `${config.data.slice(0, -1)}!`;
  }),
  // The result shows the address too.
  'params are encoded differently': {
    ...plantedRequest((config) => {
      if (config.params !== undefined) config.paramsSerializer = { encode: inHexadecimal };
    }),
    subject: 'result',
  },
  'a 401 is not sent again': {
    subject: 'server received',
    createClient: (settings) =>
      createClient(
        settings.side.name === 'general'
          ? settings
          : { ...settings, http: { ...settings.http, retryUnauthorized: false } },
      ),
  },
  'statusText is wrong': plantedResult('result', { response: (response) => (response.statusText += ' ') }),
  'a member of the response is missing': plantedResult('result', {
    response: (response) => Reflect.deleteProperty(response, 'duration'),
  }),
  'an error has no code': plantedResult('result', { error: (error) => delete error.code }),
  'an error has another class': plantedResult('result', {
    error: (error) => Object.setPrototypeOf(error, Error.prototype) as unknown,
  }),
  'the message of an error is another': plantedResult('result', { error: (error) => (error.message += '.') }),
  'the cause of an error is visible': plantedResult('result', {
    error: (error) => Object.defineProperty(error, 'cause', { enumerable: true, value: error.cause }),
  }),
  'a member of the config is missing': plantedResult('result', {
    response: ({ config }) => delete config.timeout,
  }),
  'the config has its members in another order': plantedResult('result', {
    response: ({ config }) => {
      const { maxBodyLength } = config;
      if (delete config.maxBodyLength) Object.assign(config, { maxBodyLength });
    },
  }),
  'the config shows the token': plantedResult('result', {
    response: ({ config }) => config.headers.set('Authorization', 'Bearer canary-token-1'),
  }),
  'the config is a getter': plantedResult('result', {
    response: (response) => {
      const { config } = response;
      Object.defineProperty(response, 'config', { get: () => config, enumerable: true, configurable: true });
    },
  }),
  'the config shares an object with the defaults': plantedResult('result', {
    response: ({ config }, { defaults }) => (config.transitional = defaults.transitional as never),
  }),
  'headers have another prototype': plantedResult('result', {
    response: (response) => (response.headers = Object.assign({}, response.headers)),
  }),
  'the request of a result can be changed': plantedResult('result', {
    response: (response) => (response.request = { ...(response.request as object) }),
  }),
  'a type is lost in the data': plantedResult('result', {
    response: (response) => {
      if (typeof response.data === 'number') response.data = String(response.data);
    },
  }),
};
