import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import type { ProviderEnvironment } from '../../../lib/catalogue/provider-catalogue.js';
import {
  getProviderHttpToken,
  type ProviderAuthOptions,
  ProviderAuthModule,
  type ProviderTransport,
  type TlsOptions,
} from '../../../lib/index.js';
import type { UncheckedOptions } from '../../../lib/config/process-env/read-variables.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import type { MutualTlsProvider } from '../http/mutual-tls-provider.js';
import { bootWith } from './boot.js';

/** A way to send API requests. */
export interface Way {
  readonly transport?: () => ProviderTransport;
  readonly request?: AxiosRequestConfig;
}

/** Every way to send API requests. */
export const WAYS: readonly (readonly [name: string, way: Way])[] = [
  ['axios', {}],
  ['axios with redirects', { request: { maxRedirects: 3 } }],
  ['undici', { transport: () => undiciTransport() }],
  ['undici with redirects', { transport: () => undiciTransport(), request: { maxRedirects: 3 } }],
];

/** Options of easy: each environment at a provider, with its `tls`. */
export function easyOptions(
  environments: Partial<Record<ProviderEnvironment, readonly [MutualTlsProvider, TlsOptions | undefined]>>,
  others: Partial<ProviderAuthOptions> = {},
): ProviderAuthOptions {
  const easy = Object.entries(environments).map(([environment, [provider, tls]]) => [
    environment,
    { ...provider.settings(environment as ProviderEnvironment), ...(tls && { tls }) },
  ]);
  return {
    environment: 'sandbox',
    interfaces: { easy: Object.fromEntries(easy) as NonNullable<ProviderAuthOptions['interfaces']['easy']> },
    token: { maxAttempts: 1 },
    ...others,
  };
}

export interface TlsApp extends Awaited<ReturnType<typeof bootWith>> {
  readonly client: (environment?: ProviderEnvironment) => AxiosInstance;
}

/** A running application with these options. */
export async function startTlsApp(
  options: UncheckedOptions | ProviderAuthOptions,
  { transport }: Way = {},
): Promise<TlsApp> {
  const http = Object.assign({}, 'http' in options && options.http, transport && { transport: transport() });
  const all = { ...options, http } as ProviderAuthOptions;
  const { app, logs } = await bootWith([ProviderAuthModule.forRoot(all)]);
  return {
    app,
    logs,
    client: (environment = 'sandbox') =>
      app.get<{ axiosRef: AxiosInstance }>(getProviderHttpToken('easy', environment)).axiosRef,
  };
}
