import { HttpService } from '@nestjs/axios';
import { NestFactory } from '@nestjs/core';
import axios, { create } from 'axios';
import { from, type Observable } from 'rxjs';
import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import {
  EasyHttpService,
  getTokenProviderToken,
  type ProviderAuthOptions,
  ProviderAuthModule,
  type ProviderTransport,
  type TokenProvider,
} from '../../lib/index.js';
import type { ProviderSimulator } from '../../lib/testing/index.js';
import { undiciTransport } from '../../lib/undici/index.js';
import { CapturedLogs } from '../support/secrets/captured-logs.js';
import type { Prepared } from './situations/situation.js';
import type { World } from './situations/world.js';

/** A client of the API that gets its token by itself. */
export interface Client {
  readonly service: HttpService;
  /** What else can be seen of it, beside its answers. */
  readonly visible: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** No situation is to fail for want of a token on a busy machine. */
const PATIENT_MS = 15_000;

/** How requests travel; what asks for more than a transport offers goes by axios' adapter. */
export interface Transport {
  /** Whether progress can be listened to without going another way. */
  readonly offersAll: boolean;
  readonly open?: (provider: ProviderSimulator) => ProviderTransport;
}

export const AXIOS_ADAPTER: Transport = { offersAll: true };

export const UNDICI: Transport = {
  offersAll: false,
  open: ({ ca }) => undiciTransport({ connect: { ca } }),
};

export type Road = (service: HttpService, config: AxiosRequestConfig) => Observable<AxiosResponse>;

export const byHttpService: Road = (service, config) => service.request(config);
export const byAxiosRef: Road = (service, config) => from(service.axiosRef.request(config));

export const ROADS: readonly (readonly [name: string, road: Road])[] = [
  ['HttpService', byHttpService],
  ['axiosRef', byAxiosRef],
];

/** The client of this library, in an application of its own. */
export async function ours(
  world: World,
  prepared: Prepared,
  { transport, warm = false }: { transport?: Transport; warm?: boolean } = {},
): Promise<Client> {
  const logs = new CapturedLogs();
  const options = optionsFor(world, prepared, transport);
  const app = await NestFactory.createApplicationContext(ProviderAuthModule.forRoot(options), {
    logger: logs,
    abortOnError: false,
  });
  // So that a call without much time has one to lose.
  if (warm) await app.get<TokenProvider>(getTokenProviderToken('easy')).getToken();
  return {
    service: app.get(EasyHttpService),
    visible: { logs: logs.lines },
    close: () => app.close(),
  };
}

export function optionsFor(
  { provider }: World,
  { baseUrl, tokenUrl, http, token }: Prepared,
  transport?: Transport,
): ProviderAuthOptions {
  const { easy, ...others } = provider.options().interfaces;
  const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
  const sandbox = {
    tokenUrl: tokenUrl ?? provider.tokenUrl('easy', 'sandbox'),
    baseUrl: baseUrl ?? provider.baseUrl('easy', 'sandbox'),
    clientId,
    clientSecret,
  };
  const opened = transport?.open?.(provider);
  return provider.options({
    interfaces: { ...others, easy: { ...easy, sandbox } },
    http: { ...http, ...(opened && { transport: opened }) },
    token: { maxAttempts: 1, timeoutMs: PATIENT_MS, ...token },
  });
}

/** What most applications have: an interceptor that asks for a token and sets the header. */
export async function plain(world: World, prepared: Prepared): Promise<Client> {
  const { provider } = world;
  const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
  // Of its own: what one leads to is enough to search.
  const httpsAgent = provider.agent();
  const instance = create({
    baseURL: prepared.baseUrl ?? world.baseUrl,
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
