import { isAxiosError } from 'axios';
import { type AnyPair, pairName, refusalsOf, subjectOf } from '../catalogue/catalogue.js';
import type { HttpSettings } from '../config/options/profile.js';
import type { NamedPair } from '../errors/setting-names.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import { type HttpUnauthorizedEvent, httpUnauthorizedChannel } from '../events/provider-auth-events.js';
import { LogThrottle } from '../logging/log-throttle.js';
import { SafeLogger } from '../logging/safe-logger.js';
import type { BaseAddress } from '../net/base-address.js';
import { proxySettingsFor } from '../net/proxy.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import type { TrackedTokenProvider } from '../token/tokens.js';
import type { Outcome } from '../wire/outgoing.js';
import { type ApiReport, explain } from './api-report.js';
import type { Call } from './call.js';
import { discard } from './result.js';

export interface RefusalSettings {
  readonly profile: AnyPair & Pick<NamedPair, 'terms'>;
  readonly base: BaseAddress;
  readonly http: Pick<HttpSettings, 'retryUnauthorized' | 'proxy'>;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
  readonly api?: ApiReport | undefined;
}

/** Sends the request of a call once more, with another token. */
type Resend = (call: Call, token: AccessToken) => Promise<Outcome>;

const HOUR_MS = 3_600_000;

/** Ends the message of a 401 that the caller gets without a second attempt. With `retryUnauthorized: false`, callers expect that. */
const NOT_SENT_AGAIN = {
  body: 'It was not sent again, because its body can be read only once. The token is renewed for the next call.',
  redirect:
    'It was not sent again, because the API had already answered it with a redirect. The token is renewed for the next call.',
  renewal: 'It was not sent again, because the token could not be renewed.',
  pause:
    'It was not sent again, because the API refused renewed tokens too, and renewals after a refusal are paused.',
} as const;

/** A gateway may answer with these before any check of the token. */
const SAYS_NOTHING_OF_TOKEN = new Set([408, 425, 429, 502, 503, 504]);

/** Answers a 401, or another status with which the API refuses a token: one renewal, one resend. */
export class Refusals {
  readonly #settings: RefusalSettings;
  readonly #resend: Resend;
  readonly #refusedWith: readonly number[];
  readonly #bodyWarnings: LogThrottle;
  readonly #logger = new SafeLogger();

  constructor(settings: RefusalSettings, resend: Resend) {
    this.#settings = settings;
    this.#resend = resend;
    this.#refusedWith = refusalsOf(settings.profile.terms);
    this.#bodyWarnings = new LogThrottle(settings.clock, HOUR_MS);
  }

  /** The token that an answer refuses. Reports what the answer says about the token and about the API. */
  refusedToken(call: Call, { response, error, isOfBody }: Outcome): AccessToken | undefined {
    const { api } = this.#settings;
    const { testedToken } = call;
    if (testedToken === undefined) return undefined;
    const isWhole = error === undefined || response?.data !== undefined;
    if (response === undefined || !isWhole) {
      if (!isOfBody && !this.#isOfCaller(call)) api?.unanswered(error);
      if (response === undefined) return undefined;
    } else api?.answered(response.status, call.identity === undefined);
    const { status } = response;
    if (this.#refusedWith.includes(status)) {
      call.tokens.reportRefusal(testedToken);
      return testedToken;
    }
    if ((isWhole && status >= 200 && status < 300) || status === 304)
      call.tokens.reportSuccess(testedToken, !call.isRepeatable);
    return undefined;
  }

  /**
   * No caller receives this outcome, because the call is over. The next call must not use a refused token and wait for an endless
   * answer, too.
   */
  dropped(call: Call, outcome: Outcome): void {
    const { testedToken } = call;
    discard(outcome);
    if (testedToken === undefined || !this.#refusedWith.includes(outcome.response?.status ?? 0)) return;
    if (this.#settings.http.retryUnauthorized) call.tokens.renewForNextCall(testedToken);
    if (!call.isSentAgain) this.#publish(call, 'refused');
  }

  /** Not in a loop: the caller gets a second 401, and also the first one if a resend is impossible. */
  async answer(call: Call, refusal: Outcome, refused: AccessToken): Promise<Outcome> {
    if (!this.#settings.http.retryUnauthorized) return this.#give(call, refusal, 'refused');
    if (!call.isRepeatable || call.changedMethod) return this.#renewForNextCall(call, refusal, refused);
    const renewed = await this.#renew(call, refusal, refused);
    if (renewed === undefined) return this.#give(call, refusal, 'refused', 'renewal');
    // The same token: renewals are paused, because the API refused renewed tokens too.
    if (renewed === refused) {
      this.#explainPause(call, refusal);
      return this.#give(call, refusal, 'refused', 'pause');
    }
    discard(refusal);
    call.isSentAgain = true;
    let result: HttpUnauthorizedEvent['outcome'] = 'refused';
    try {
      const outcome = await this.#resend(call, renewed);
      const refusedAgain = this.refusedToken(call, outcome);
      if (refusedAgain !== undefined) this.#refusedNewToken(call, refusedAgain, outcome);
      else if (outcome.response !== undefined) {
        result = 'recovered';
        if (!SAYS_NOTHING_OF_TOKEN.has(outcome.response.status)) call.tokens.reportHelp();
      }
      return outcome;
    } finally {
      this.#publish(call, result);
    }
  }

  /** A call whose time is over rejects before its request ends. A caller may also be slow to give the body of its request. */
  reportTimeout(call: Call, error: unknown): void {
    const { unansweredMs } = call.budget;
    if (unansweredMs === undefined || call.testedToken === undefined) return;
    if (!this.#isOfCaller(call) && call.isRepeatable) this.#settings.api?.unanswered(error, unansweredMs);
  }

  #give(
    call: Call,
    refusal: Outcome,
    outcome: HttpUnauthorizedEvent['outcome'],
    why?: keyof typeof NOT_SENT_AGAIN,
  ): Outcome {
    if (why) explain(refusal.error, NOT_SENT_AGAIN[why]);
    this.#publish(call, outcome);
    return refusal;
  }

  /** This caller does not have to wait for the renewal. */
  #renewForNextCall(call: Call, refusal: Outcome, refused: AccessToken): Outcome {
    const { tokens } = call;
    if (tokens.pauseRenewals(refused)) {
      this.#explainPause(call, refusal);
      return this.#give(call, refusal, 'not_replayable', 'pause');
    }
    tokens.renewForNextCall(refused);
    if (call.isRepeatable) return this.#give(call, refusal, 'not_replayable', 'redirect');
    this.#warnOfBody(call, refusal.response?.status);
    return this.#give(call, refusal, 'not_replayable', 'body');
  }

  /** Undefined if there is no other token. Then the API's own 401 helps the caller more than our error. */
  async #renew(call: Call, refusal: Outcome, refused: AccessToken): Promise<AccessToken | undefined> {
    try {
      return await call.waitForToken((tokens, signal) => tokens.renew(refused, { signal }));
    } catch (error) {
      if (!call.budget.ended) {
        setCause(refusal, error);
        return undefined;
      }
      discard(refusal);
      this.#publish(call, 'refused');
      throw error;
    }
  }

  /** The caller sees a plain 401 now and then, and nothing else shows the reason. Many uploads may meet one expired token. */
  #warnOfBody(call: Call, status = 401): void {
    const { base } = this.#settings;
    if (!this.#bodyWarnings.recurs()) return;
    // Tokens of accounts and scopes are not renewed ahead.
    const remedy = call.identity
      ? 'Send'
      : 'Set token.renewAheadMs, so that no token expires during an upload, or send';
    this.#logger.warn(
      `A request to ${pairName(call.subject)} got a ${status} and was not sent again, because its body ` +
        `can be read only once. The token is renewed for the next call. ${remedy} a body that can be read again, ` +
        `such as a Buffer or a Blob. (BODY_NOT_REPLAYABLE, ${base.host})`,
    );
  }

  /**
   * The API refused also the token that a renewal has just brought. If it has never accepted a token, the settings are wrong,
   * and this is reported at once.
   */
  #refusedNewToken(call: Call, token: AccessToken, outcome: Outcome): void {
    const { api, tokens } = this.#settings;
    // What one account's token is worth says nothing about the pair.
    if (api === undefined || call.identity !== undefined) return;
    // The first call after a success may be about this one request, so its error gets no advice.
    if (tokens.hasWorked) api.refused(undefined, true);
    else if (tokens.pauseRenewals(token)) this.#explainPause(call, outcome);
  }

  #explainPause({ identity }: Call, { error }: Outcome): void {
    const { api, tokens } = this.#settings;
    if (identity === undefined) api?.refused(error, tokens.hasWorked);
  }

  /**
   * Whether the caller chose how the request is sent. Then a failure says nothing about the settings of the module or about health.
   * Without a proxy of the module or of the process, `proxy: false` is the module's own connection.
   */
  #isOfCaller({ adapter, config }: Call): boolean {
    if (adapter !== undefined || config.httpsAgent || config.proxy) return true;
    const { base, http } = this.#settings;
    return config.proxy === false && proxySettingsFor(base.origin, { proxy: http.proxy }) !== undefined;
  }

  #publish(call: Call, outcome: HttpUnauthorizedEvent['outcome']): void {
    if (!httpUnauthorizedChannel.hasSubscribers) return;
    httpUnauthorizedChannel.publish({ ...subjectOf(call.subject), outcome });
  }
}

/** Shows the caller of a 401 why the token could not be renewed. Not enumerable, as axios sets a cause. */
function setCause({ error }: Outcome, cause: unknown): void {
  if (!(cause instanceof TokenRequestError) || !isAxiosError(error) || error.cause !== undefined) return;
  Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true });
}
