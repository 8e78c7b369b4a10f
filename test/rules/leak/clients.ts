import { HttpService } from '@nestjs/axios';
import { NestFactory } from '@nestjs/core';
import axios, { create } from 'axios';
import { from, Observable } from 'rxjs';
import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import {
  type EasyHttpService,
  type ProviderAuthOptions,
  type ProviderTransport,
  type TokenProvider,
} from '../../../lib/index.js';
import { injectionToken } from '../../../lib/module/parts.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { clientSettingsOf, fetchArguments } from '../../support/http/fetch-call.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import type { Prepared } from './scenarios/scenario.js';
import type { TestEnvironment } from './scenarios/test-environment.js';

/** A client of the API that gets its token by itself. */
export interface Client {
  readonly service: HttpService;
  /** What a caller can see of the client besides its responses. */
  readonly visible: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** The timeout of a token request. It is long, so that no scenario fails on a busy machine. */
const PATIENT_MS = 15_000;

/** Makes the transport of a client. Undefined for the default. */
export type Transport = (() => ProviderTransport) | undefined;

export const NODE_HTTPS: Transport = undefined;
export const UNDICI: Transport = () => undiciTransport();

export type CallStyle = (service: HttpService, config: AxiosRequestConfig) => Observable<AxiosResponse>;

export const byHttpService: CallStyle = (service, config) => service.request(config);
export const byAxiosRef: CallStyle = (service, config) => from(service.axiosRef.request(config));

/** By the `fetch` of the client. To unsubscribe aborts the call. */
export const byFetch: CallStyle = (service, config) =>
  new Observable((subscriber) => {
    const abort = new AbortController();
    const { fetch } = service as EasyHttpService;
    const [url, init] = fetchArguments(config);
    const signal = init.signal ?? abort.signal;
    fetch(url, { ...init, signal }).then(
      (response) => {
        subscriber.next(response as never);
        return subscriber.complete();
      },
      (error: unknown) => subscriber.error(error),
    );
    return () => abort.abort();
  });

export const CALL_STYLES: readonly (readonly [name: string, callStyle: CallStyle])[] = [
  ['HttpService', byHttpService],
  ['axiosRef', byAxiosRef],
  ['fetch', byFetch],
];

/** The same scenario for a call style. `fetch` takes some settings of a request from its client. */
export function preparedFor(callStyle: CallStyle, prepared: Prepared): Prepared {
  if (callStyle !== byFetch || prepared.request === undefined) return prepared;
  return { ...prepared, http: { ...prepared.http, ...clientSettingsOf(prepared.request) } };
}

/** The client of this library, in its own NestJS application. */
export async function createOurClient(
  testEnvironment: TestEnvironment,
  prepared: Prepared,
  { transport, warm = false }: { transport?: Transport; warm?: boolean } = {},
): Promise<Client> {
  const logs = new CapturedLogs();
  const { parts, Module } = testEnvironment.providerUnderTest;
  const { name } = parts.catalogue;
  const options = optionsFor(testEnvironment, prepared, transport);
  const app = await NestFactory.createApplicationContext(Module.forRoot(options), {
    logger: logs,
    abortOnError: false,
  });
  const { account } = testEnvironment;
  const target = account === undefined ? {} : { account };
  // A call with a short timeout then has a token that could leak.
  if (warm)
    await app
      .get<TokenProvider>(injectionToken(name, 'TOKEN_PROVIDER', 'easy'))
      .for(target)
      .getToken();
  return {
    service: app.get<EasyHttpService>(injectionToken(name, 'HTTP', 'easy')).for(target),
    visible: { logs: logs.lines },
    close: () => app.close(),
  };
}

export function optionsFor(
  { provider }: TestEnvironment,
  { baseUrl, tokenUrl, http: prepared, token }: Prepared,
  transport?: Transport,
): ProviderAuthOptions {
  const opened = transport?.();
  const http = { ...prepared, ...(opened && { transport: opened }) };
  const { easy, ...others } = provider.options({ http }).interfaces;
  if (easy?.sandbox === undefined) throw new TypeError('The simulator has no settings of easy.');
  const sandbox = { ...easy.sandbox, ...(tokenUrl && { tokenUrl }), ...(baseUrl && { baseUrl }) };
  return provider.options({
    interfaces: { ...others, easy: { ...easy, sandbox, production: undefined } },
    http,
    token: { maxAttempts: 1, timeoutMs: PATIENT_MS, ...token },
  });
}

/** A client as most applications write it: an interceptor that requests a token and sets the header. */
export async function createPlainClient(
  testEnvironment: TestEnvironment,
  prepared: Prepared,
): Promise<Client> {
  const { provider } = testEnvironment;
  const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
  // Each client has its own agent, because the search follows everything that the agent refers to.
  const httpsAgent = provider.agent();
  const instance = create({
    baseURL: prepared.baseUrl ?? testEnvironment.baseUrl,
    httpsAgent,
    ...(prepared.http?.proxy && { proxy: prepared.http.proxy }),
  });
  instance.interceptors.request.use(async (config) => {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const url = prepared.tokenUrl ?? provider.tokenUrl('easy', 'sandbox');
    const timeout = prepared.token?.timeoutMs ?? PATIENT_MS;
    const { data } = await axios.post<{ access_token: string }>(url, new URLSearchParams(form), {
      httpsAgent,
      timeout,
    });
    config.headers.set('Authorization', `Bearer ${data.access_token}`);
    return config;
  });
  return {
    service: new HttpService(instance),
    visible: {},
    close: () => Promise.resolve(httpsAgent.destroy()),
  };
}
