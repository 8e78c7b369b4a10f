import type { Socket } from 'node:net';
import { Agent } from 'node:https';
import type { Readable } from 'node:stream';
import { Axios, type AxiosResponse } from 'axios';
import { GRANT_TYPE, TOKEN_REQUEST_CONTENT_TYPE, TOKEN_REQUEST_METHOD } from '../../catalogue/wire.js';
import type { ClientTls } from '../../net/client-tls.js';
import { ownTransport, type Transport } from '../../net/own-transport.js';
import { privateAgentFor } from '../../net/private-agent.js';
import { usesTls } from '../../net/proxy-answer.js';
import { proxySettingNames, proxySettingsFor } from '../../net/proxy-host.js';
import { acceptsAnyCertificate } from '../../net/certificate-checks.js';
import { WITHOUT_PROXY_OF_NODE } from '../../net/own-agent-options.js';
import type { HttpSettings, Profile } from '../../config/options/profile.js';
import { type TokenFailure, TokenRequestError } from '../../errors/token-request.error.js';
import { AccessToken } from '../../secrets/access-token.js';
import type { Secret } from '../../secrets/secret.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';
import type { Clock, TimerKind } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import { clockAheadMs, serverTime } from '../../time/server-clock.js';
import { type ClientProof, proveClient } from './client-authentication.js';
import {
  networkFailure,
  outlivedFailure,
  proxyFailure,
  refusalFailure,
  statusFailure,
  timeoutFailure,
  TRANSIENT_4XX,
  uncheckedAgentFailure,
  unusableFailure,
} from './token-failures.js';
import type { RefusedRequest } from './refusal-remedy.js';
import {
  readErrorMember,
  readLimited,
  readRetryAfter,
  readTokenResponse,
  UnusableTokenResponse,
} from './token-response.js';

const LARGEST_BODY = 64 * 1024;

/** The options for HTTP that the token client uses. The headers of API requests do not belong into a token request (S2). */
export type TokenEndpointSettings = Pick<HttpSettings, 'httpsAgent' | 'proxy'>;

/** Sends one token request. Rejects with `TokenRequestError` only. */
export interface TokenRequests {
  request(secret: Secret, withinMs: number, manner?: TokenRequestManner): Promise<AccessToken>;
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

/**
 * Our own transport, but it always checks the certificate (S9): the process may have set NODE_TLS_REJECT_UNAUTHORIZED after
 * the boot.
 */
function transportWith(tls: ClientTls | undefined): Transport {
  // On the request and not on the agent: axios would use the settings of an agent for a proxy, too.
  const settings = { rejectUnauthorized: true, ...(tls && { secureContext: tls.secureContext() }) };
  return {
    request: (options, onResponse) => ownTransport.request({ ...options, ...settings }, onResponse),
  };
}

/** The same transport, but a connection in the background keeps no process alive (B9). */
const watched = (transport: Transport, { kind, onSent }: TokenRequestManner): Transport => ({
  request(options, onResponse) {
    const request = transport.request(options, onResponse);
    if (kind === 'background')
      request.once('socket', (socket: Partial<Pick<Socket, 'unref'>>) => {
        // The agent of an application may return any stream as a socket.
        socket.unref?.();
      });
    // Node says `finish` when it has written the form, and keeps the form until the TLS connection is open.
    return onSent ? request.once('finish', onSent) : request;
  },
});

/**
 * The provider's token endpoint: one POST (S1, S2), one answer checked (S3, B13), one deadline to its last byte.
 *
 * Every failure becomes a `TokenRequestError`. Of the request and the answer this error holds only the status and a
 * well-formed error code. The axios error, which holds the client secret, goes no further (S10).
 */
export class TokenEndpoint implements TokenRequests {
  readonly #profile: Profile;
  readonly #clock: Clock;
  readonly #settings: TokenEndpointSettings;
  readonly #client: Axios;
  readonly #transport: Transport;
  /** The fields that the provider demands in addition to those of the document. */
  readonly #terms: Readonly<Record<string, string>>;

  constructor(profile: Profile, settings: TokenEndpointSettings, clock: Clock) {
    this.#profile = profile;
    this.#clock = clock;
    this.#settings = settings;
    this.#transport = transportWith(profile.tls);
    const { scope, audience, resource } = profile.tokenRequest ?? {};
    this.#terms = {
      ...(scope !== undefined && { scope }),
      ...(audience !== undefined && { audience }),
      ...(resource !== undefined && { resource }),
    };
    // `new Axios`, not `axios.create`: settings of an application on the global axios must not reach this client.
    this.#client = new Axios({
      adapter: 'http',
      // A redirect would send the form with the client secret to another address.
      maxRedirects: 0,
      // This agent keeps no connection open: until the next token request the server would close it anyway.
      httpsAgent: new Agent(WITHOUT_PROXY_OF_NODE),
      ...(settings.proxy !== undefined && { proxy: settings.proxy }),
      responseType: 'stream',
      validateStatus: () => true,
      headers: { Accept: 'application/json', 'Content-Type': TOKEN_REQUEST_CONTENT_TYPE },
    });
  }

  async request(
    secret: Secret,
    withinMs: number,
    { kind = 'awaited', signal, onSent, timeoutMs = withinMs }: TokenRequestManner = {},
  ): Promise<AccessToken> {
    const deadline = new AbortController();
    const disarm = this.#clock.after(withinMs, () => deadline.abort(), kind);
    const ended = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal;
    // The life of the token counts from this moment. So the token ends a little too early and never too late (S11).
    const issuedFrom = Deadline.after(this.#clock, 0);
    try {
      const proof = this.#prove(secret);
      const response = await this.#post(proof, ended, { kind, onSent });
      const { assertion } = proof;
      const sent = { clientId: this.#profile.clientId, clientSecret: secret, assertion };
      return await this.#read(response, sent, issuedFrom, ended);
    } catch (error) {
      if (error instanceof TokenRequestError) throw error;
      const proxy = proxySettingsFor(this.#profile.tokenUrl, this.#settings);
      throw this.#failed(
        deadline.signal.aborted
          ? timeoutFailure(timeoutMs, this.#profile, proxy)
          : networkFailure(error, this.#profile, proxy),
      );
    } finally {
      disarm();
    }
  }

  #prove(secret: Secret): ClientProof {
    const { clientId, tokenUrl, tokenRequest } = this.#profile;
    const { clientAuth = 'post', keyId } = tokenRequest ?? {};
    return proveClient(clientAuth, { clientId, secret, tokenUrl, keyId, now: this.#clock.wall() });
  }

  async #post(
    { fields, headers }: ClientProof,
    signal: AbortSignal,
    manner: TokenRequestManner,
  ): Promise<AxiosResponse<Readable>> {
    // The boot checked the agent, but the application may have changed it since.
    if (acceptsAnyCertificate(this.#settings.httpsAgent))
      throw this.#failed(uncheckedAgentFailure(this.#profile));
    const form = new URLSearchParams({ grant_type: GRANT_TYPE, ...fields, ...this.#terms });
    const { httpsAgent } = this.#settings;
    return this.#client.request<Readable>({
      method: TOKEN_REQUEST_METHOD,
      url: this.#profile.tokenUrl,
      headers,
      // The application can reach its own agent, and from there the request with the client secret (B12).
      ...(httpsAgent && { httpsAgent: privateAgentFor(httpsAgent) }),
      data: unpooledText(form.toString()),
      signal,
      transport: watched(this.#transport, manner),
    });
  }

  async #read(
    response: AxiosResponse<Readable>,
    sent: RefusedRequest,
    issuedFrom: Deadline,
    signal: AbortSignal,
  ): Promise<AccessToken> {
    const { status, data: stream } = response;
    // An error of a stream that is no longer read must not end the process.
    stream.on('error', () => {});
    if (!usesTls((response.request as { socket?: unknown } | null)?.socket)) {
      stream.destroy();
      throw this.#failed(
        proxyFailure(status, this.#profile, proxySettingNames(this.#profile.tokenUrl, this.#settings)),
      );
    }
    if (status === 200) {
      const body = await readLimited(stream, LARGEST_BODY, signal);
      return this.#accept(body && readTokenResponse(body), issuedFrom);
    }
    if (status >= 400 && status < 500 && !TRANSIENT_4XX.has(status)) {
      const aheadMs = clockAheadMs(response.headers['date'], issuedFrom.wall, this.#clock.wall());
      // The status is enough: a refusal stays a refusal if its body breaks off or never ends (B7).
      const body = await readLimited(stream, LARGEST_BODY, signal).catch(() => undefined);
      throw this.#failed(
        refusalFailure(
          status,
          body && readErrorMember(body),
          { ...sent, clockAheadMs: aheadMs },
          this.#profile,
        ),
      );
    }
    stream.destroy();
    const now = serverTime(response.headers['date'], this.#clock.wall());
    const retryAfterMs = readRetryAfter(response.headers['retry-after'], now);
    throw this.#failed(statusFailure(status, retryAfterMs, this.#profile));
  }

  #accept(answer: ReturnType<typeof readTokenResponse> | undefined, issuedFrom: Deadline): AccessToken {
    if (answer === undefined)
      throw this.#failed(unusableFailure('the answer is larger than 64 KiB.', this.#profile));
    if (answer instanceof UnusableTokenResponse)
      throw this.#failed(unusableFailure(answer.reason, this.#profile));
    const deadline = issuedFrom.plus(answer.lifetimeMs);
    if (deadline.hasCome(this.#clock)) throw this.#failed(outlivedFailure(this.#profile));
    return new AccessToken(answer.value, { deadline, lifetimeMs: answer.lifetimeMs });
  }

  #failed(failure: TokenFailure): TokenRequestError {
    return new TokenRequestError(this.#profile, failure);
  }
}
