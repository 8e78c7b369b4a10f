import { AsyncLocalStorage } from 'node:async_hooks';
import type { Agent } from 'node:https';
import { type AxiosAdapter, AxiosError, type AxiosResponse } from 'axios';
import type { AnyPair } from '../catalogue/catalogue.js';
import { SCHEME } from '../catalogue/wire.js';
import type { HttpSettings } from '../config/options/profile.js';
import { readCertificatesAfter } from '../errors/changed-certificates.js';
import {
  connectedElsewhere,
  outsideBaseUrl,
  REFUSALS,
  RequestRefusedError,
} from '../errors/request-refused.error.js';
import { refuseUnsafeAgent, refuseUnsupported } from '../errors/refused-options.js';
import type { NamedPair } from '../errors/setting-names.js';
import {
  type BaseAddress,
  isSchemeless,
  isSendablePath,
  pathWithParams,
  type RequestAddress,
  shownAddress,
} from '../net/base-address.js';
import { hasCertificate } from '../net/certificate-checks.js';
import type { ClientTls } from '../net/client-tls.js';
import { OwnAgent } from '../net/own-agent.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import { assertSameAccount, type TokenIdentity } from '../token/token-identity.js';
import type { TrackedTokenProvider } from '../token/tokens.js';
import { basicCredentials, hasOwnCredentials, headerList } from '../wire/axios-headers.js';
import { bodyOf, opened } from '../wire/body.js';
import { type Config, type Outcome, type Outgoing, type Source } from '../wire/outgoing.js';
import { nextLocation, redirected } from '../wire/redirect.js';
import { tooLarge } from '../wire/upload.js';
import type { ApiReport } from './api-report.js';
import { checkAdapter, headersForAdapter, sendByAdapter } from './axios/others.js';
import { Call, type FetchedCall } from './call.js';
import { Refusals } from './refusal.js';
import { deliver, discard, settled } from './result.js';

export interface EngineSettings {
  readonly profile: AnyPair & Pick<NamedPair, 'terms'>;
  readonly base: BaseAddress;
  readonly source: Source;
  /** The agent with the certificates of the pair, for an adapter that the caller has chosen. */
  readonly agent: () => Agent;
  readonly http: Pick<HttpSettings, 'retryUnauthorized' | 'proxy' | 'httpsAgent'>;
  readonly tls?: ClientTls | undefined;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
  /** The doctor has no log and no status, so it has no report. */
  readonly api?: ApiReport | undefined;
}

/**
 * The accounts whose adapters are at work, by the key of the engine that called the adapter. One storage for the process: Node 20 makes
 * each promise slower for each storage that was ever used. It holds no engine: what an adapter leaves behind holds its context.
 */
const accountsAtWork = new AsyncLocalStorage<ReadonlyMap<symbol, TokenIdentity>>();

const WHILE_READING = ' while reading the certificates again';

interface OpenCalls {
  open: number;
  onLastEnd: (() => void) | undefined;
}

/**
 * Sends each request of a pair with its token, and answers a refusal of the token. It is the adapter of the axios instance: the
 * caller's interceptors see one request and one response, and no object of the caller ever holds the token.
 */
export class Engine {
  readonly #settings: EngineSettings;
  readonly #refusals: Refusals;
  readonly #scheme: string;
  readonly #key = Symbol('engine');
  #calls: OpenCalls = { open: 0, onLastEnd: undefined };
  #ended: Promise<void> | undefined;

  constructor(settings: EngineSettings) {
    this.#settings = settings;
    this.#scheme = settings.profile.terms?.scheme ?? SCHEME;
    this.#refusals = new Refusals(settings, (call, token) => this.#attempt(call, token));
  }

  /** @param adapter one that the caller has chosen. */
  async send(config: Config, adapter?: AxiosAdapter, fetched?: FetchedCall): Promise<AxiosResponse> {
    // An adapter of the caller may end here, with the agent that it got from us. Not every source takes an agent.
    if (config.httpsAgent instanceof OwnAgent) delete config.httpsAgent;
    const call = new Call(config, this.#settings, adapter, fetched);
    const calls = this.#calls;
    calls.open += 1;
    this.#settings.tls?.look();
    try {
      if (call.identity === undefined) assertSameAccount(accountsAtWork.getStore()?.get(this.#key), config);
      const outcome = await this.#attempt(call);
      const refused = this.#refusals.refusedToken(call, outcome);
      return deliver(refused ? await this.#refusals.answer(call, outcome, refused) : outcome, call);
    } catch (error) {
      this.#refusals.reportTimeout(call, error);
      throw error;
    } finally {
      call.budget.settle();
      call.releaseUpload?.();
      calls.open -= 1;
      if (calls.open === 0) calls.onLastEnd?.();
    }
  }

  /** Resolves when the calls have ended that were under way at the first question: an application may go on calling while it closes. */
  ended(): Promise<void> {
    return (this.#ended ??= this.#endOfOpenCalls());
  }

  async #endOfOpenCalls(): Promise<void> {
    const calls = this.#calls;
    this.#calls = { open: 0, onLastEnd: undefined };
    if (calls.open > 0) await new Promise<void>((resolve) => (calls.onLastEnd = resolve));
  }

  /**
   * One attempt. The request is checked as it is now, and again after each wait: the caller's code may have changed it (S6).
   * Rejects if the request must not be sent, or if the time of the call is over.
   */
  async #attempt(call: Call, renewed?: AccessToken): Promise<Outcome> {
    const { config } = call;
    call.isRedirected = false;
    let address = this.#checkedAddress(call);
    if (call.body === undefined && call.adapter === undefined) {
      const body = bodyOf(config);
      if (body instanceof Promise) {
        call.body = await call.budget.wait(() => body, '');
        address = this.#checkedAddress(call);
      } else call.body = body;
    }
    call.token = renewed;
    while (call.token === undefined && !hasCredentials(config, address)) {
      call.token = call.tokens.useIfValid();
      if (call.token !== undefined) break;
      call.token = await call.waitForToken((tokens, signal) => tokens.getToken({ signal }));
      address = this.#checkedAddress(call);
    }
    if (hasCredentials(config, address)) call.token = undefined;
    call.carriesToken = call.token !== undefined;
    if (call.token) call.sentTokens.push(call.token.reveal());
    const request = this.#requestOf(call, address);
    const version = this.#settings.tls?.version;
    const outcome = await (config.maxRedirects ? this.#follow(call, request) : this.#exchange(call, request));
    if (version !== undefined && outcome.response === undefined) await this.#look(call, outcome, version);
    return settled(outcome);
  }

  /** After a TLS failure, the next call must have new certificates, if there are some. This one is not sent again. */
  async #look({ budget }: Call, { error }: Outcome, version: symbol): Promise<void> {
    const { tls } = this.#settings;
    if (tls && error) await budget.wait(() => readCertificatesAfter(error, tls, version), WHILE_READING);
  }

  /** Throws if the request must not be sent (S6, S9). */
  #checkedAddress(call: Call): RequestAddress {
    const { config, subject } = call;
    const { base, source } = this.#settings;
    const address = base.resolve(config);
    if (call.adapter) checkAdapter(call.adapter, config, subject, this.#settings);
    else {
      refuseUnsupported(subject, config);
      source.check?.(config, subject);
      refuseUnsafeAgent(config, subject, this.#settings);
    }
    const detour = config.socketPath ? 'socketPath' : namesAnotherHost(config, base.host) && 'host';
    if (address.verdict === 'UNDER_BASE_URL' && !detour) return address;
    if (detour)
      throw new RequestRefusedError('OUTSIDE_BASE_URL', subject, connectedElsewhere(detour, base.shown));
    if (address.verdict !== 'OUTSIDE_BASE_URL')
      throw new RequestRefusedError('INSECURE_URL', subject, REFUSALS.insecureUrl);
    const why = outsideBaseUrl(shownAddress(address), base.shown, isSchemeless(address));
    throw new RequestRefusedError('OUTSIDE_BASE_URL', subject, why);
  }

  #requestOf(call: Call, address: RequestAddress): Outgoing {
    const { config, token, body, isRepeatable, budget } = call;
    const { base } = this.#settings;
    const authorization = token
      ? `${this.#scheme} ${token.reveal()}`
      : basicCredentials(config.auth ?? address.credentials);
    const path = pathOf(address, config);
    // It is code of the caller, so it may have changed the config.
    if (config.paramsSerializer) this.#checkedAddress(call);
    const content = body === undefined ? null : opened(body);
    if (Buffer.isBuffer(content) && exceeds(config, content.length)) throw tooLarge(config);
    return {
      method: (config.method ?? 'get').toUpperCase(),
      url: base.url,
      path,
      headers:
        body === undefined
          ? headersForAdapter(config, authorization)
          : headerList(config, body, authorization),
      body: content,
      isRepeatable,
      isUnderBase: true,
      config,
      cancellation: budget.cancellation,
    };
  }

  /** Redirects are followed to the answer that is the result. */
  async #follow(call: Call, first: Outgoing): Promise<Outcome> {
    const { base, tls, http } = this.#settings;
    let sent = first;
    for (let hops = 1; ; hops += 1) {
      const outcome = await this.#exchange(call, sent);
      const location = outcome.response && nextLocation(sent, outcome.response);
      if (location === undefined) return outcome;
      discard(outcome);
      try {
        const status = outcome.response?.status ?? 0;
        const showsCertificate =
          tls?.certificate() !== undefined || [http.httpsAgent, call.config.httpsAgent].some(hasCertificate);
        const next = redirected(sent, status, location, hops, { base, pair: call.subject, showsCertificate });
        call.isRedirected = true;
        call.changedMethod ||= next.method !== sent.method;
        call.carriesToken &&= next.isUnderBase;
        sent = call.body && next.body !== null ? { ...next, body: opened(call.body) } : next;
      } catch (error) {
        return { error };
      }
    }
  }

  /** What the adapter of an account's call sends through this pair must be for an account, too. */
  #sendByAdapter(adapter: AxiosAdapter, call: Call, sent: Outgoing): Promise<Outcome> {
    const send = (): Promise<Outcome> => sendByAdapter(adapter, call, sent, this.#settings);
    if (call.identity === undefined) return send();
    return accountsAtWork.run(new Map(accountsAtWork.getStore()).set(this.#key, call.identity), send);
  }

  /** Sends one request. An answer that comes after the end of the call is dropped. */
  #exchange(call: Call, sent: Outgoing): Promise<Outcome> {
    const { source } = this.#settings;
    call.sent = sent;
    return call.budget.run((resolve) => {
      const end = (outcome: Outcome): void => {
        if (call.budget.ended) this.#refusals.dropped(call, outcome);
        resolve(outcome);
      };
      try {
        if (call.adapter) void this.#sendByAdapter(call.adapter, call, sent).catch(failed).then(end);
        else source.send(sent, end);
      } catch (error) {
        end({ error });
      }
    });
  }
}

const failed = (error: unknown): Outcome => ({ error });

/** Throws an error of axios if there is no such path: a serializer of the caller may fail, or give what cannot be sent. */
function pathOf(address: RequestAddress, config: Config): string {
  let path: string;
  try {
    path = pathWithParams(address, config);
  } catch (error) {
    const { url } = config;
    throw AxiosError.from(error, AxiosError.ERR_BAD_REQUEST, config, null, undefined, { url, exists: true });
  }
  if (isSendablePath(path)) return path;
  throw new AxiosError('The path has characters that cannot be sent.', AxiosError.ERR_INVALID_URL, config);
}

function hasCredentials(config: Config, address: RequestAddress): boolean {
  return address.credentials !== undefined || hasOwnCredentials(config);
}

function exceeds({ maxBodyLength = -1 }: Config, length: number): boolean {
  return maxBodyLength > -1 && length > maxBodyLength;
}

/**
 * Whether a `Host` header names another host than the base URL. Node checks the certificate against that header, so another
 * site at the same address could receive the token.
 */
function namesAnotherHost({ headers }: Config, host: string): boolean {
  for (const name of Object.keys(headers)) {
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    const value: unknown = headers[name];
    if (Boolean(value) && String(value).toLowerCase() !== host) return true;
  }
  return false;
}
