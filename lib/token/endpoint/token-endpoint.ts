import type { ClientRequest } from 'node:http';
import type { Agent } from 'node:https';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { AxiosResponse } from 'axios';
import { GRANT_TYPE, TOKEN_REQUEST_CONTENT_TYPE, TOKEN_REQUEST_METHOD } from '../../catalogue/wire.js';
import type { HttpSettings, Profile } from '../../config/options/profile.js';
import { readCertificatesAfter } from '../../errors/changed-certificates.js';
import { type TokenFailure, TokenRequestError } from '../../errors/token-request.error.js';
import { type AgentSettings, UnsafeAgentError } from '../../net/agents.js';
import { proxyErrorIn, proxySettingNames, proxySettingsFor } from '../../net/proxy.js';
import { AccessToken } from '../../secrets/access-token.js';
import { endOf } from '../../secrets/assertion-claims.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import type { Secret } from '../../secrets/secret.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';
import { type Clock, Deadline } from '../../time/clock.js';
import { clockAheadMs, serverTime } from '../../time/server-clock.js';
import { afterOwnTime } from '../../time/within.js';
import { abortable } from '../../values/abortable.js';
import type { Cancellation } from '../../wire/call-budget.js';
import type { Outcome } from '../../wire/outgoing.js';
import { cancellationBy, readLimited, sendOwnRequest } from '../../wire/own-request.js';
import type { ReceivedBody } from '../../wire/received-body.js';
import { type ClientProof, proveClient } from './client-authentication.js';
import {
  expiredAssertionFailure,
  networkFailure,
  outlivedFailure,
  proxyFailure,
  statusFailure,
  timeoutFailure,
  TRANSIENT_4XX,
  unsafeAgentFailure,
  unusableFailure,
} from './token-failures.js';
import { refusalFailure, type SentCredentials } from './refusal.js';
import { readRetryAfter, readTokenResponse } from './token-response.js';

const LARGEST_BODY = 64 * 1024;

/** The options for HTTP that the token client uses. A token request has none of the headers of API requests (S2). */
export type TokenEndpointSettings = Pick<HttpSettings, 'httpsAgent' | 'proxy'> & {
  readonly ownHeaders?: Readonly<Record<string, string>>;
};

interface SentRequest extends SentCredentials {
  readonly issuedFrom: Deadline;
  readonly tlsVersion: symbol | undefined;
}

/** The connections to the origin of a token endpoint. */
interface Connections {
  agentFor(url: URL, settings: AgentSettings): Agent;
  endIdle(): void;
}

/** Sends one token request. Rejects with `TokenRequestError` only. */
export interface TokenRequests {
  request(secret: ClientCredential, withinMs: number, manner?: TokenRequestManner): Promise<AccessToken>;
}

export interface TokenRequestManner {
  readonly signal?: AbortSignal | undefined;
  /** The time limit that the error names. `withinMs` is what is left of it. @default `withinMs` */
  readonly timeoutMs?: number;
}

interface WatchedManner {
  readonly cancellation: Cancellation;
  tlsVersion?: symbol | undefined;
  /** Of the server, before it is checked. */
  certificate?: PeerCertificate | undefined;
  /** Whether the request used a connection again, on which nothing has come since. */
  isSilentReuse?: () => boolean;
}

const HEADERS = ['Accept', 'application/json', 'Content-Type', TOKEN_REQUEST_CONTENT_TYPE];

function watch(request: ClientRequest, manner: WatchedManner): void {
  // The agent of an application may return any stream as a socket.
  request.once('socket', (socket: Partial<TLSSocket>) => {
    const { bytesRead } = socket;
    if (request.reusedSocket) manner.isSilentReuse = () => socket.bytesRead === bytesRead;
    // A socket that was used before is past its handshake. The listener of Node, which checks the certificate, may close the
    // connection. After `getPeerX509Certificate`, Node 20 takes the name in the certificate for a wrong one.
    if (Reflect.get(socket, 'secureConnecting') === true)
      socket.prependOnceListener?.('secure', () => (manner.certificate = socket.getPeerCertificate?.()));
  });
}

/**
 * The provider's token endpoint: one POST (S1, S2), one answer checked (S3), one deadline to its last byte. Every failure
 * becomes a `TokenRequestError`. The error of the request itself goes no further (S10).
 */
export class TokenEndpoint implements TokenRequests {
  readonly #grantType: string;
  /** The fields that the provider demands in addition to those of the document. */
  readonly #terms: readonly (readonly [field: string, value: string])[];

  constructor(
    private readonly profile: Profile,
    private readonly settings: TokenEndpointSettings,
    private readonly clock: Clock,
    private readonly origin: Connections,
  ) {
    const { grantType = GRANT_TYPE, scope, audience, resource, params } = profile.terms ?? {};
    this.#grantType = grantType;
    this.#terms = Object.entries({ scope, audience, resource, ...params }).flatMap(([field, values = []]) =>
      // RFC 8707 section 2: one field for each resource.
      [values].flat().map((value) => [field, value] as const),
    );
  }

  async request(
    secret: ClientCredential,
    withinMs: number,
    { signal, timeoutMs = withinMs }: TokenRequestManner = {},
  ): Promise<AccessToken> {
    const deadline = new AbortController();
    const disarm = afterOwnTime(this.clock, withinMs, () => deadline.abort());
    const ended = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal;
    // The life of the token counts from this moment. So the token ends a little too early and never too late (S11).
    const issuedFrom = Deadline.after(this.clock, 0);
    const { cancellation, release } = cancellationBy(ended);
    const manner: WatchedManner = { cancellation };
    try {
      // An account has its own client id, which may change with its secret.
      const { clientId = this.profile.clientId } = secret;
      const proof = this.#prove(clientId, secret);
      const response = await this.#answerTo(proof, ended, manner);
      const { tlsVersion } = manner;
      const sent = { clientId, clientSecret: secret, assertion: proof.assertion, issuedFrom, tlsVersion };
      return await this.#read(response, sent);
    } catch (error) {
      if (error instanceof TokenRequestError) throw error;
      throw this.#failed(
        deadline.signal.aborted
          ? timeoutFailure(timeoutMs, this.profile, proxySettingsFor(this.profile.tokenUrl, this.settings))
          : this.#failureOf(error, manner),
      );
    } finally {
      disarm();
      release();
    }
  }

  #failureOf(error: unknown, { certificate }: WatchedManner): TokenFailure {
    const { profile, settings } = this;
    // The boot checked the agent, but the application may have changed it since.
    if (error instanceof UnsafeAgentError) return unsafeAgentFailure(error.flaw, profile);
    const { proxyStatus } = proxyErrorIn(error) ?? {};
    if (proxyStatus !== undefined) return proxyFailure(proxyStatus, profile, proxySettingNames(settings));
    return networkFailure(error, profile, proxySettingsFor(profile.tokenUrl, settings), certificate);
  }

  #prove(clientId: Secret | undefined, secret: ClientCredential): ClientProof {
    const { tokenUrl, issuer: audience = tokenUrl, terms = {} } = this.profile;
    const { clientAuth = 'post', assertion } = terms;
    const now = this.clock.wall();
    const end = clientAuth === 'client_assertion' ? endOf(secret) : undefined;
    if (end !== undefined && end <= now) throw this.#failed(expiredAssertionFailure(now - end, this.profile));
    return proveClient(clientAuth, { clientId, secret, audience, assertion, now });
  }

  async #answerTo(proof: ClientProof, ended: AbortSignal, manner: WatchedManner): Promise<AxiosResponse> {
    this.profile.tls?.look();
    const first = await this.#post(proof, manner);
    const isSentAgain = !first.response && !ended.aborted && (await this.#mayRepeat(first, ended, manner));
    const { response, error } = isSentAgain ? await this.#post(proof, manner) : first;
    if (response === undefined) throw error;
    return response;
  }

  /** Whether the server has not received the request, and may receive it now. */
  async #mayRepeat({ error }: Outcome, ended: AbortSignal, manner: WatchedManner): Promise<boolean> {
    const { tls } = this.profile;
    const { tlsVersion, isSilentReuse } = manner;
    // The server may close a connection just when it is used again.
    if (isSilentReuse?.()) {
      this.origin.endIdle();
      return true;
    }
    const isOld = tls && tlsVersion && readCertificatesAfter(error, tls, tlsVersion);
    return isOld ? abortable(isOld, ended).catch(() => false) : false;
  }

  /** `servername` names the API. It also holds for a token endpoint on the same server. */
  #agentFor(url: URL): Agent {
    const { tls, baseUrl } = this.profile;
    const servername = url.host === new URL(baseUrl).host ? tls?.servername : undefined;
    // The settings are getters, which a spread would lose.
    const { httpsAgent, proxy } = this.settings;
    return this.origin.agentFor(url, { tls, servername, httpsAgent, proxy });
  }

  #post({ fields, headers }: ClientProof, manner: WatchedManner): Promise<Outcome> {
    const form = new URLSearchParams({ grant_type: this.#grantType, ...fields });
    for (const [field, value] of this.#terms) form.append(field, value);
    const { tls, tokenUrl: url } = this.profile;
    // The agent, the certificates and their version belong together.
    manner.tlsVersion = tls?.version;
    return sendOwnRequest({
      method: TOKEN_REQUEST_METHOD,
      url,
      headers: [...HEADERS, ...Object.entries({ ...this.settings.ownHeaders, ...headers }).flat()],
      body: unpooledText(form.toString()),
      agent: this.#agentFor(new URL(url)),
      cancellation: manner.cancellation,
      watch: (made) => watch(made, manner),
    });
  }

  async #read(response: AxiosResponse, sent: SentRequest): Promise<AccessToken> {
    const { status, headers } = response;
    if (status === 200) return this.#accept(await readLimited(response, LARGEST_BODY), sent);
    const date: unknown = headers['date'];
    if (status >= 400 && status < 500 && !TRANSIENT_4XX.has(status)) {
      const aheadMs = clockAheadMs(date, sent.issuedFrom.wall, this.clock.wall());
      const body = await readLimited(response, LARGEST_BODY).catch(() => undefined);
      throw this.#failed(refusalFailure({ status, body, clockAheadMs: aheadMs }, sent, this.profile));
    }
    (response.data as ReceivedBody).cancel();
    const retryAfterMs = readRetryAfter(headers['retry-after'], serverTime(date, this.clock.wall()));
    throw this.#failed(statusFailure(status, retryAfterMs, this.profile));
  }

  #accept(body: Buffer | undefined, { issuedFrom, tlsVersion }: SentRequest): AccessToken {
    if (body === undefined)
      throw this.#failed(unusableFailure('the answer is larger than 64 KiB.', this.profile));
    const answer = readTokenResponse(body, this.profile);
    if ('reason' in answer) throw this.#failed(answer);
    const deadline = issuedFrom.plus(answer.lifetimeMs);
    if (deadline.hasCome(this.clock)) throw this.#failed(outlivedFailure(this.profile));
    return new AccessToken(answer.value, { deadline, lifetimeMs: answer.lifetimeMs, tlsVersion });
  }

  #failed(failure: TokenFailure): TokenRequestError {
    return new TokenRequestError(this.profile, failure);
  }
}
