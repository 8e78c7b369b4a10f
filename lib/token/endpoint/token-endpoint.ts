import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { Readable } from 'node:stream';
import { Axios, type AxiosInstance, type AxiosRequestConfig, type AxiosResponse } from 'axios';
import { GRANT_TYPE, TOKEN_REQUEST_CONTENT_TYPE, TOKEN_REQUEST_METHOD } from '../../catalogue/wire.js';
import type { ClientTls } from '../../net/client-tls.js';
import { ownTransport, type Transport } from '../../net/pollution.js';
import { OwnAgent, WITHOUT_PROXY_OF_NODE } from '../../net/private-agent.js';
import { usesTls, proxySettingNames, proxySettingsFor } from '../../net/proxy.js';
import { agentFlaw } from '../../net/certificate-checks.js';
import type { HttpSettings, Profile } from '../../config/options/profile.js';
import { isForOldCertificates } from '../../errors/changed-certificates.js';
import { type TokenFailure, TokenRequestError } from '../../errors/token-request.error.js';
import { AccessToken } from '../../secrets/access-token.js';
import { endOf } from '../../secrets/assertion-claims.js';
import type { Secret } from '../../secrets/secret.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';
import type { Clock, TimerKind } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import { afterOwnTime } from '../../time/within.js';
import { abortable } from '../../values/abortable.js';
import { oncePer } from '../../values/once-per.js';
import { clockAheadMs, serverTime } from '../../time/server-clock.js';
import { type ClientProof, proveClient } from './client-authentication.js';
import type { TokenConnections } from './token-connections.js';
import {
  expiredAssertionFailure,
  networkFailure,
  outlivedFailure,
  proxyFailure,
  type RefusedRequest,
  refusalFailure,
  statusFailure,
  timeoutFailure,
  TRANSIENT_4XX,
  unsafeAgentFailure,
  unusableFailure,
} from './token-failures.js';
import {
  readErrorMember,
  readLimited,
  readRetryAfter,
  readTokenResponse,
  UnusableTokenResponse,
} from './token-response.js';

const LARGEST_BODY = 64 * 1024;

/** The options for HTTP that the token client uses. The headers of API requests do not belong into a token request (S2). */
export type TokenEndpointSettings = Pick<HttpSettings, 'httpsAgent' | 'proxy'> & {
  /** Headers of the doctor. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
};

type Answer = AxiosResponse<Readable>;

interface SentRequest extends RefusedRequest {
  readonly issuedFrom: Deadline;
  readonly tlsVersion: symbol | undefined;
}

/** Sends one token request. Rejects with `TokenRequestError` only. */
export interface TokenRequests {
  request(secret: ClientCredential, withinMs: number, manner?: TokenRequestManner): Promise<AccessToken>;
}

/** How one token request is sent. */
export interface TokenRequestManner {
  /** A `background` request keeps no process alive (B9). @default 'awaited' */
  readonly kind?: TimerKind;
  readonly signal?: AbortSignal | undefined;
  /** Is called when the request has reached the token endpoint. */
  readonly onSent?: (() => void) | undefined;
  /** The time limit that the error names. `withinMs` is what is left of it. @default `withinMs` */
  readonly timeoutMs?: number;
}

interface WatchedManner extends TokenRequestManner {
  /** Is called with the version of the certificates that the request uses. */
  readonly onStart: (tlsVersion: symbol | undefined) => void;
  /** Is called with the certificate of the server before it is checked. */
  readonly onCertificate: (certificate: PeerCertificate | undefined) => void;
}

/** Our own transport, but it always checks the certificate (S9): NODE_TLS_REJECT_UNAUTHORIZED may have been set after the boot. */
export function transportWith(tls?: ClientTls): Transport {
  // On the request and not on the agent: axios would use the settings of an agent for a proxy, too.
  const settings = { rejectUnauthorized: true, ...(tls && { secureContext: tls.secureContext() }) };
  return { request: (options, onResponse) => ownTransport.request({ ...options, ...settings }, onResponse) };
}

/** The declarations of axios for CommonJS have no type `Axios`. */
type OwnClient = Pick<AxiosInstance, 'request' | 'get'>;

/** An HTTP client for requests of the module itself. It gives each answer as a stream, whatever the status. */
export function ownClient(settings: AxiosRequestConfig): OwnClient {
  // `new Axios`, not `axios.create`: settings of an application on the global axios must not reach this client.
  return new Axios({
    adapter: 'http',
    // A redirect would send the form with the client secret to another address.
    maxRedirects: 0,
    httpsAgent: new OwnAgent(WITHOUT_PROXY_OF_NODE),
    responseType: 'stream',
    validateStatus: () => true,
    ...settings,
  });
}

/** One client for all pairs and accounts with the same options. */
const clientOf = oncePer(({ proxy, ownHeaders }: TokenEndpointSettings) =>
  ownClient({
    ...(proxy !== undefined && { proxy }),
    headers: { ...ownHeaders, Accept: 'application/json', 'Content-Type': TOKEN_REQUEST_CONTENT_TYPE },
  }),
);

/** The same transport, but a connection in the background keeps no process alive (B9), and a failure knows the certificate. */
const watched = (
  transport: Transport,
  { kind, onSent, onCertificate }: WatchedManner,
  onReused: (socket: Partial<TLSSocket>) => void,
): Transport => ({
  request(options, onResponse) {
    const request = transport.request(options, onResponse);
    // The agent of an application may return any stream as a socket.
    request.once('socket', (socket: Partial<TLSSocket>) => {
      if (request.reusedSocket) onReused(socket);
      if (kind === 'background') socket.unref?.();
      // A socket that was used before is past its handshake. The listener of Node, which checks the certificate, may close the
      // connection. After `getPeerX509Certificate`, Node 20 takes the name in the certificate for a wrong one.
      if (Reflect.get(socket, 'secureConnecting') === true)
        socket.prependOnceListener?.('secure', () => onCertificate(socket.getPeerCertificate?.()));
    });
    // Node says `finish` when it has written the form, and keeps the form until the TLS connection is open.
    return onSent ? request.once('finish', onSent) : request;
  },
});

/**
 * The provider's token endpoint: one POST (S1, S2), one answer checked (S3, B13), one deadline to its last byte. Every failure
 * becomes a `TokenRequestError`. The axios error, which holds the client secret, goes no further (S10).
 */
export class TokenEndpoint implements TokenRequests {
  readonly #grantType: string;
  /** The fields that the provider demands in addition to those of the document. */
  readonly #terms: readonly (readonly [field: string, value: string])[];

  constructor(
    private readonly profile: Profile,
    private readonly settings: TokenEndpointSettings,
    private readonly clock: Clock,
    private readonly connections: TokenConnections,
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
    { kind = 'awaited', signal, onSent, timeoutMs = withinMs }: TokenRequestManner = {},
  ): Promise<AccessToken> {
    const deadline = new AbortController();
    const disarm = afterOwnTime(this.clock, withinMs, () => deadline.abort(), kind);
    const ended = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal;
    // The life of the token counts from this moment. So the token ends a little too early and never too late (S11).
    const issuedFrom = Deadline.after(this.clock, 0);
    let certificate: PeerCertificate | undefined;
    let tlsVersion: symbol | undefined;
    try {
      // An account has its own client id, which may change with its secret.
      const { clientId = this.profile.clientId } = secret;
      const proof = this.#prove(clientId, secret);
      const onCertificate = (received?: PeerCertificate): void => void (certificate = received);
      const onStart = (version?: symbol): void => void (tlsVersion = version);
      const response = await this.#postWithTls(proof, ended, { kind, onStart, onSent, onCertificate });
      const sent = { clientId, clientSecret: secret, assertion: proof.assertion, issuedFrom, tlsVersion };
      return await this.#read(response, sent, ended);
    } catch (error) {
      if (error instanceof TokenRequestError) throw error;
      const proxy = proxySettingsFor(this.profile.tokenUrl, this.settings);
      throw this.#failed(
        deadline.signal.aborted
          ? timeoutFailure(timeoutMs, this.profile, proxy)
          : networkFailure(error, this.profile, proxy, certificate),
      );
    } finally {
      disarm();
    }
  }

  #prove(clientId: Secret | undefined, secret: ClientCredential): ClientProof {
    const { tokenUrl, issuer: audience = tokenUrl, terms = {} } = this.profile;
    const { clientAuth = 'post', assertion } = terms;
    const now = this.clock.wall();
    const end = clientAuth === 'client_assertion' ? endOf(secret) : undefined;
    if (end !== undefined && end <= now) throw this.#failed(expiredAssertionFailure(now - end, this.profile));
    return proveClient(clientAuth, { clientId, secret, audience, assertion, now });
  }

  /** Once more if the certificates have changed meanwhile. */
  async #postWithTls(...request: [ClientProof, AbortSignal, WatchedManner]): Promise<Answer> {
    const { tls } = this.profile;
    if (tls === undefined) return this.#post(...request);
    tls.look();
    const { version } = tls;
    try {
      return await this.#post(...request);
    } catch (error) {
      const [, ended] = request;
      if (ended.aborted) throw error;
      const isOld = await abortable(isForOldCertificates(error, tls, version), ended).catch(() => false);
      if (!isOld) throw error;
      return await this.#post(...request);
    }
  }

  async #post({ fields, headers }: ClientProof, signal: AbortSignal, manner: WatchedManner): Promise<Answer> {
    // The boot checked the agent, but the application may have changed it since.
    const { httpsAgent } = this.settings;
    const flaw = agentFlaw(httpsAgent);
    if (flaw) throw this.#failed(unsafeAgentFailure(flaw, this.profile));
    const form = new URLSearchParams({ grant_type: this.#grantType, ...fields });
    for (const [field, value] of this.#terms) form.append(field, value);
    const { tls, tokenUrl: url } = this.profile;
    const data = unpooledText(form.toString());
    // The agent, the certificates and their version belong together.
    const agent = this.connections.agentFor(tls, httpsAgent);
    const transport = transportWith(tls);
    manner.onStart(tls?.version);
    const send = (by: Transport): Promise<Answer> =>
      clientOf(this.settings).request({
        method: TOKEN_REQUEST_METHOD,
        url,
        headers,
        httpsAgent: agent,
        data,
        signal,
        transport: by,
      });
    const reused: { hasBeenSilent?: () => boolean } = {};
    const onReused = (socket: Partial<TLSSocket>): void => {
      const { bytesRead } = socket;
      reused.hasBeenSilent = () => socket.bytesRead === bytesRead;
    };
    try {
      return await send(watched(transport, manner, onReused));
    } catch (error) {
      // The server may close a connection just when it is used again.
      if (signal.aborted || !reused.hasBeenSilent?.()) throw error;
      return send(watched(this.connections.onlyNew(transport), manner, onReused));
    }
  }

  async #read(response: Answer, sent: SentRequest, signal: AbortSignal): Promise<AccessToken> {
    const { status, data: stream } = response;
    // An error of a stream that is no longer read must not end the process.
    stream.on('error', () => {});
    if (!usesTls((response.request as { socket?: unknown } | null)?.socket)) {
      stream.destroy();
      const setting = proxySettingNames(this.profile.tokenUrl, this.settings);
      throw this.#failed(proxyFailure(status, this.profile, setting));
    }
    if (status === 200) {
      const body = await readLimited(stream, LARGEST_BODY, signal);
      return this.#accept(body, sent);
    }
    if (status >= 400 && status < 500 && !TRANSIENT_4XX.has(status)) {
      const aheadMs = clockAheadMs(response.headers['date'], sent.issuedFrom.wall, this.clock.wall());
      // The status is enough: a refusal stays a refusal if its body breaks off or never ends (B7).
      const body = await readLimited(stream, LARGEST_BODY, signal).catch(() => undefined);
      const refused = { ...sent, clockAheadMs: aheadMs };
      throw this.#failed(refusalFailure(status, body && readErrorMember(body), refused, this.profile));
    }
    stream.destroy();
    const now = serverTime(response.headers['date'], this.clock.wall());
    const retryAfterMs = readRetryAfter(response.headers['retry-after'], now);
    throw this.#failed(statusFailure(status, retryAfterMs, this.profile));
  }

  #accept(body: Buffer | undefined, { issuedFrom, tlsVersion }: SentRequest): AccessToken {
    if (body === undefined)
      throw this.#failed(unusableFailure('the answer is larger than 64 KiB.', this.profile));
    const answer = readTokenResponse(body, this.profile.terms);
    if (answer instanceof UnusableTokenResponse)
      throw this.#failed(unusableFailure(answer.reason, this.profile, answer.member, answer.trouble));
    const deadline = issuedFrom.plus(answer.lifetimeMs);
    if (deadline.hasCome(this.clock)) throw this.#failed(outlivedFailure(this.profile));
    return new AccessToken(answer.value, { deadline, lifetimeMs: answer.lifetimeMs, tlsVersion });
  }

  #failed(failure: TokenFailure): TokenRequestError {
    return new TokenRequestError(this.profile, failure);
  }
}
