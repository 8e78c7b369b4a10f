import type { Agent } from 'node:https';
import {
  type AxiosAdapter,
  AxiosError,
  AxiosHeaders,
  type AxiosResponse,
  getAdapter,
  isAxiosError,
} from 'axios';
import type { AnyPair } from '../../catalogue/catalogue.js';
import type { HttpSettings } from '../../config/options/profile.js';
import { refuseUnsafeAgent, unsafeConnection } from '../../errors/refused-options.js';
import { REFUSALS, RequestRefusedError } from '../../errors/request-refused.error.js';
import type { ConnectionChoice } from '../../net/agents.js';
import type { BaseAddress } from '../../net/base-address.js';
import {
  hasCertificate,
  insistsOnCertificates,
  leavesCertificatesUnchecked,
} from '../../net/certificate-checks.js';
import type { ClientTls } from '../../net/client-tls.js';
import { isObject } from '../../values/objects.js';
import { safely } from '../../values/safely.js';
import { isAuthorization } from '../../wire/axios-headers.js';
import type { Cancellation } from '../../wire/call-budget.js';
import { type Config, type Outcome, type Outgoing, snapshotOf } from '../../wire/outgoing.js';
import type { Call } from '../call.js';

/** What an adapter that the caller has chosen gets from the pair. */
export interface AdapterSettings {
  readonly base: BaseAddress;
  readonly agent: () => Agent;
  readonly http: Pick<HttpSettings, 'proxy' | 'httpsAgent'>;
  readonly tls?: ClientTls | undefined;
}

/** Throws if the connection of such an adapter would be less safe than ours (S9), or would lack the certificates of the pair. */
export function checkAdapter(
  adapter: AxiosAdapter,
  config: Config,
  pair: AnyPair,
  settings: AdapterSettings,
): void {
  const { tls, http } = settings;
  const { httpsAgent } = config as ConnectionChoice;
  const isFetch = isFetchOfAxios(adapter, config);
  // The variable may be set after the boot. The agent of the pair checks certificates anyway.
  const isUnchecked =
    leavesCertificatesUnchecked(process.env) &&
    (isFetch || (httpsAgent && !insistsOnCertificates(httpsAgent)));
  if (isUnchecked) throw unsafeConnection(pair, isFetch ? "adapter: 'fetch'" : 'its agent', 'any-server');
  refuseUnsafeAgent(config, pair, settings);
  if (isFetch && (tls || hasCertificate(http.httpsAgent)))
    throw new RequestRefusedError('OPTION_NOT_SUPPORTED', pair, REFUSALS.fetchWithoutTls);
}

/** axios makes another function for the `env` of a config than for none. */
export function isFetchOfAxios(adapter: AxiosAdapter | undefined, config: Config): boolean {
  return adapter === getAdapter('fetch', config) || adapter === getAdapter('fetch');
}

/** The headers of the config, with the token. An adapter adds its own. */
export function headersForAdapter({ headers }: Config, authorization: string | undefined): string[] {
  const list: string[] = [];
  for (const name of Object.keys(headers))
    if (authorization === undefined || !isAuthorization(name)) list.push(name, headers[name] as string);
  if (authorization !== undefined) list.push('Authorization', authorization);
  return list;
}

/**
 * Sends one request through an adapter that the caller has chosen: of a mock library, of a cache, or one of axios. The adapter gets
 * a copy of the config with the token. `config` and `request` of its results are ours. Everything else in them is the adapter's.
 */
export async function sendByAdapter(
  adapter: AxiosAdapter,
  call: Call,
  sent: Outgoing,
  settings: AdapterSettings,
): Promise<Outcome> {
  try {
    const response = (await adapter(copyFor(call, sent, settings))) as AxiosResponse | undefined;
    if (response === undefined) throw new TypeError('The adapter of this request gave no answer.');
    return { response: withOurs(response, call.config, sent) };
  } catch (error) {
    if (!isObject(error)) return { error };
    // Mocks and wrappers may also reject with an error of another class that leads to the config.
    const { config, request, response } = error as Partial<Omit<AxiosError, 'request'>> & {
      request?: unknown;
    };
    const isOfAxios = isAxiosError(error);
    const own: Partial<AxiosError> = {
      ...(config && { config: call.config }),
      ...(Boolean(request) && { request: snapshotOf(sent, response?.status) }),
      ...(isObject(response) &&
        (isOfAxios || 'config' in response) && { response: withOurs(response, call.config, sent) }),
    };
    return {
      error: Object.keys(own).length > 0 ? errorWith(error, own) : error,
      response: isOfAxios ? own.response : undefined,
    };
  }
}

/**
 * A config for an adapter of the caller. The signal is made when the adapter reads it: most adapters are stubs that do not. A copy
 * of the config still has the cancel token.
 */
class AdapterConfig {
  declare cancelToken?: Cancellation;

  get signal(): AbortSignal | undefined {
    return this.cancelToken?.toAbortSignal();
  }

  /** Of the caller's config: the end of the call is what counts. */
  set signal(_: AbortSignal | undefined) {
    // The cancel token follows that signal.
  }
}

function copyFor(call: Call, sent: Outgoing, { agent, http }: AdapterSettings): Config {
  const { adapter, config, budget, isRedirected, changedMethod } = call;
  const headers = new AxiosHeaders();
  for (let index = 0; index < sent.headers.length; index += 2)
    headers[sent.headers[index] as string] = sent.headers[index + 1] as string;
  const copy = Object.assign(new AdapterConfig(), config) as unknown as Record<string, unknown>;
  copy['headers'] = headers;
  copy['httpsAgent'] = config.httpsAgent ?? (sent.isUnderBase ? agent() : undefined);
  if (http.proxy !== undefined) copy['proxy'] = config.proxy ?? http.proxy;
  // The engine follows redirects. A `fetch` would follow them itself.
  copy['maxRedirects'] = 0;
  if (config.fetchOptions || isFetchOfAxios(adapter, config))
    copy['fetchOptions'] = { ...config.fetchOptions, redirect: 'manual' };
  copy['cancelToken'] = budget.cancellation;
  if (!isRedirected) return copy as unknown as Config;
  const { url, path, method, isUnderBase } = sent;
  return Object.assign(copy, {
    url: url.origin + path,
    baseURL: undefined,
    params: undefined,
    method: method.toLowerCase(),
    ...(changedMethod && { data: undefined }),
    ...(!isUnderBase && { auth: undefined }),
  }) as unknown as Config;
}

function withOurs(response: AxiosResponse, config: Config, sent: Outgoing): AxiosResponse {
  const { status } = response;
  const request = response.request ? snapshotOf(sent, status) : undefined;
  // A mock may give none.
  const headers = (response.headers as Partial<AxiosResponse>['headers']) ?? {};
  const own = { config, request, headers };
  // An adapter may have frozen its answer.
  return safely(() => Object.assign(response, own), undefined) ?? { ...response, ...own };
}

function errorWith(error: Partial<AxiosError>, own: Partial<AxiosError>): object {
  const { message, code } = error;
  return (
    safely(() => Object.assign(error, own), undefined) ??
    new AxiosError(message, code, own.config, own.request as unknown, own.response)
  );
}
