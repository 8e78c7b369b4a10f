import {
  type AxiosAdapter,
  AxiosError,
  AxiosHeaders,
  type AxiosInstance,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
  isAxiosError,
} from 'axios';
import type { InterfaceTerms } from '../../../lib/catalogue/catalogue.js';
import type { HttpSettings } from '../../../lib/config/options/profile.js';
import { HttpOptions } from '../../../lib/config/options/provider-auth-options.js';
import { readOptions } from '../../../lib/config/setting.js';
import type { ApiReport } from '../../../lib/http/api-report.js';
import type { ProviderFetch } from '../../../lib/http/fetch/provider-fetch.js';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import type { ClientTls } from '../../../lib/net/client-tls.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { Outgoing, Source } from '../../../lib/wire/outgoing.js';
import { type TokenCallOptions, TokenProvider, type TokenStatus } from '../../../lib/token/token-provider.js';
import type { TrackedTokenProvider } from '../../../lib/token/tokens.js';
import type { TokenIdentity } from '../../../lib/token/token-identity.js';
import { FakeClock } from '../token/fake-clock.js';
import { tokenOf } from '../token/token-fixtures.js';
import { givenOutcomes } from './unauthorized-outcomes.js';

export const BASE_URL = 'https://api.example.com/v1';

/** A token provider under the control of a test. By default it has one token in memory, and each renewal gives another. */
export class FakeTokens extends TokenProvider<string, string> implements TrackedTokenProvider {
  readonly interface = 'easy';
  readonly environment = 'sandbox';
  readonly active = true;
  readonly accepts: AccessToken[] = [];
  readonly renewals: AccessToken[] = [];
  readonly signals: (AbortSignal | undefined)[] = [];
  /** For each success, whether its request could be sent only once. */
  readonly sentOnce: boolean[] = [];
  /** The tokens for which a pause of renewals was asked. */
  readonly pauses: AccessToken[] = [];
  mayPause = false;
  helps = 0;
  /** Whose tokens requests have asked for. */
  readonly identities: (TokenIdentity | undefined)[] = [];
  inMemory: AccessToken | undefined;
  #made = 1;

  constructor(private readonly clock: Clock) {
    super();
    this.inMemory = tokenOf(clock, 'canary-token-1');
  }

  useIfValid(): AccessToken | undefined {
    return this.inMemory;
  }

  fetch: () => Promise<AccessToken> = () => Promise.resolve(this.another());

  getToken(options?: TokenCallOptions): Promise<AccessToken> {
    this.signals.push(options?.signal);
    return this.fetch();
  }

  renew(refused: AccessToken, options?: TokenCallOptions): Promise<AccessToken> {
    this.renewals.push(refused);
    this.signals.push(options?.signal);
    return this.fetch();
  }

  renewForNextCall(refused: AccessToken): void {
    this.renewals.push(refused);
    this.fetch().catch(() => undefined);
  }

  reportSuccess(token: AccessToken, isSentOnce: boolean): void {
    this.accepts.push(token);
    this.sentOnce.push(isSentOnce);
  }

  readonly isInUse = true;

  get hasWorked(): boolean {
    return this.accepts.length > 0;
  }

  reportRefusal(): void {}

  reportHelp(): void {
    this.helps += 1;
  }

  of(identity?: TokenIdentity): this {
    this.identities.push(identity);
    return this;
  }

  for(): this {
    return this;
  }

  pauseRenewals(refused: AccessToken): boolean {
    this.pauses.push(refused);
    return this.mayPause;
  }

  status(): TokenStatus {
    return { interface: this.interface, environment: this.environment, active: true, state: 'valid' };
  }

  another(): AccessToken {
    this.#made += 1;
    return (this.inMemory = tokenOf(this.clock, `canary-token-${this.#made}`));
  }
}

/** An answer without headers. */
export function answerTo(
  config: InternalAxiosRequestConfig,
  status = 200,
  data: unknown = '',
): AxiosResponse {
  return { data, status, statusText: '', headers: {}, config };
}

/** The error of a 401. */
export function unauthorized(config: InternalAxiosRequestConfig): AxiosError {
  return new AxiosError('Request failed', 'ERR_BAD_REQUEST', config, {}, answerTo(config, 401));
}

/** An adapter of the caller that gives these answers in turn, and what it was called with. */
export function givenAdapter(...answers: readonly Partial<AxiosResponse>[]) {
  const seen: InternalAxiosRequestConfig[] = [];
  const adapter: AxiosAdapter = async (config) => {
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push(config);
    return { ...answerTo(config, 200, '{}'), request: { of: config }, ...answer };
  };
  return { adapter, seen, tokens: () => seen.map(({ headers }) => headers['Authorization'] as unknown) };
}

/** Answers without a network, as a source or as an adapter, and records its requests as the configs that an adapter would get. */
export class StubAdapter {
  readonly seen: InternalAxiosRequestConfig[] = [];
  /** The status of each answer in turn. The last status is repeated. */
  statuses: number[] = [200];
  readonly adapter: AxiosAdapter = async (config) => {
    this.seen.push(config);
    const status = this.statuses.length > 1 ? (this.statuses.shift() ?? 200) : (this.statuses[0] ?? 200);
    return this.respond(config, status);
  };

  readonly source: Source = {
    check: () => undefined,
    send: (outgoing, end) => {
      const wire = wireConfigOf(outgoing);
      void this.adapter(wire).then(
        (response) =>
          end({ response: response.config === wire ? { ...response, config: outgoing.config } : response }),
        (error: unknown) => end({ error, response: isAxiosError(error) ? error.response : undefined }),
      );
    },
    close: () => Promise.resolve(),
  };

  respond(config: InternalAxiosRequestConfig, status: number): AxiosResponse | Promise<AxiosResponse> {
    return { data: '{"ok":true}', status, statusText: 'as set', headers: {}, config };
  }

  get authorizations(): unknown[] {
    return this.seen.map((config) => config.headers['Authorization']);
  }
}

function wireConfigOf({ config, method, headers, body, cancellation }: Outgoing): InternalAxiosRequestConfig {
  const sent = new AxiosHeaders();
  for (let index = 0; index < headers.length; index += 2)
    sent.set(String(headers[index]), headers[index + 1]);
  return {
    ...config,
    method: method.toLowerCase(),
    headers: sent,
    data: Buffer.isBuffer(body) ? body.toString() : (body ?? undefined),
    cancelToken: cancellation,
  };
}

/** The settings of an application that sets no option of `http`. */
export const HTTP_DEFAULTS: HttpSettings = readOptions(HttpOptions, {}, 'http');

export interface SteeredClient {
  readonly axios: AxiosInstance;
  readonly fetch: ProviderFetch;
  readonly tokens: FakeTokens;
  readonly stub: StubAdapter;
  readonly clock: FakeClock;
}

/** A client without a network. The test controls its tokens, its time and its answers. */
export function steeredClient(
  http: Partial<Omit<HttpSettings, 'transport'>> = {},
  terms?: InterfaceTerms,
  { api, tls }: { api?: ApiReport; tls?: ClientTls } = {},
): SteeredClient {
  const clock = new FakeClock();
  const tokens = new FakeTokens(clock);
  const stub = new StubAdapter();
  const { axios, fetch } = createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl: BASE_URL, terms, tls },
    http: {
      ...HTTP_DEFAULTS,
      transport: { open: () => stub.source },
      ...http,
    },
    tokens,
    clock,
    api,
  });
  return { axios, fetch, tokens, stub, clock };
}

/** A steered client whose calls end with these statuses in turn, and the outcomes of its refused tokens. */
export function answeredClient(statuses: number[], ...settings: Parameters<typeof steeredClient>) {
  const client = steeredClient(...settings);
  client.stub.statuses = statuses;
  return { ...client, outcomes: givenOutcomes() };
}
