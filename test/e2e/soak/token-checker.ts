import { createHash } from 'node:crypto';
import type { ApiRequestRecord } from '../../../lib/testing/index.js';
import type { Tolerance } from './tolerance.js';
import type { ClientRequestLog, TokenRequest } from './client-request-log.js';
import { type IssuedToken, PauseChecker } from './pause-checker.js';
import { LIFETIME_MS } from './provider-request-log.js';
import { historyOf } from './token-history.js';
import {
  AHEAD_MS,
  ATTEMPTS,
  JITTER,
  OUTAGE,
  REFUSAL,
  ROUNDING_MS,
  SECRET_LOOK_MS,
  TOKEN_TIMEOUT_MS,
} from './rules.js';

/** A token request that failed, and how long callers may get its error. */
export interface FailedTokenRequest {
  readonly at: number;
  readonly code: string;
  readonly why: string;
  /** The latest moment at which the client knows of the failure. */
  readonly doneAt: number;
  /** The end of the longest cool-down that the failure can start. */
  readonly cooledUntil: number;
}

interface Failure {
  readonly code: string;
  readonly why: string;
  readonly retried: boolean;
}

/** Renewals that failed one after another. */
interface Streak {
  readonly isRefused: boolean;
  /** How many renewals in a row were refused. */
  readonly consecutiveRefusals: number;
  /** How many more attempts the renewal may make. */
  readonly left: number;
  /** How long the client pauses now, before jitter. */
  readonly pauseMs: Range;
}

interface Range {
  readonly least: number;
  readonly most: number;
}

/** An outage, from the first failed attempt to the next token. */
interface Outage {
  /** When the client learned of the first failure. */
  readonly since: { readonly earliest: number; readonly latest: number };
  /** Whether a whole renewal has failed. Each further renewal is then a single attempt (B18). */
  readonly isOn: boolean;
}

/** Checks whether B1 to B8 allow each token request. */
export class TokenChecker {
  readonly issued: IssuedToken[] = [];
  readonly failed: FailedTokenRequest[] = [];
  /** When each token request arrived, and the earliest and the latest moment of its end. */
  readonly flights: { readonly at: number; readonly endsFrom: number; readonly doneAt: number }[] = [];
  readonly wrong: string[] = [];
  readonly pauses: PauseChecker;
  #streak: Streak | undefined;
  #outage: Outage | undefined;
  #checked = 0;

  constructor(
    private readonly requestLog: ClientRequestLog,
    private readonly tolerance: Tolerance,
  ) {
    this.pauses = new PauseChecker(requestLog, this.issued, tolerance);
  }

  /** Checks the token requests from before this time. All records that the check needs are complete by then. */
  checkBefore(time: number): void {
    const { tokenRequests } = this.requestLog;
    for (; this.#checked < tokenRequests.length; this.#checked += 1) {
      const request = tokenRequests[this.#checked];
      if (request === undefined || request.at > time) return;
      this.#check(request);
    }
  }

  #check(request: TokenRequest): void {
    const { at, record } = request;
    const before = this.flights.at(-1);
    const failure = this.#failureOf(request);
    const streak = this.#streak;
    const token = this.issued.at(-1);
    if (before && at < before.endsFrom - ROUNDING_MS) {
      this.#addWrong(request, 'B1', 'while another was under way');
    } else if (streak) this.#checkPauseAfterFailure(request, streak);
    else if (token && !this.#expired(token, at) && !this.#renewable(token, at)) {
      this.#addWrong(
        request,
        'S8, B2, B3',
        `although the last token was good${historyOf(this.requestLog, token, at)}`,
      );
    }
    const fault = request.fault;
    const { takesMs = 0, leastMs = takesMs } = fault?.lasts ? this.#silence() : (fault ?? {});
    const doneAt = at + takesMs;
    this.flights.push({ at, endsFrom: at + leastMs, doneAt });
    if (failure) {
      const { code, why } = failure;
      this.#streak = this.#count(failure, at + leastMs, doneAt + this.tolerance.ms);
      const pauseMs = this.#streak.pauseMs.most * (1 + JITTER);
      const coolsMs = Math.max(pauseMs, fault?.retryAfterMs ?? 0);
      this.failed.push({ at, code, why, doneAt, cooledUntil: doneAt + coolsMs });
      return;
    }
    this.#streak = undefined;
    this.#outage = undefined;
    const { token: value } = record;
    if (value === undefined) return;
    const refused = token !== undefined && this.#refusals(token, at).length > 0;
    this.issued.push({
      at,
      receivedFrom: at + leastMs,
      lifeMs: fault?.expiresInMs ?? LIFETIME_MS,
      fingerprint: createHash('sha256').update(value).digest('hex').slice(0, 16),
      afterRefusal: { certainly: refused && !this.#expired(token, at), possibly: refused },
    });
  }

  /** B7, B18: after the last attempt of a renewal, the client must pause. */
  #checkPauseAfterFailure(request: TokenRequest, { isRefused, left, pauseMs }: Streak): void {
    const last = this.failed.at(-1);
    if (left > 0 || last === undefined) return;
    const cools = pauseMs.least * (1 - JITTER);
    const asked =
      this.requestLog.tokenRequests.findLast(({ at }) => at === last.at)?.fault?.retryAfterMs ?? 0;
    // A date in `Retry-After` has no fractions of a second.
    const least = Math.max(cools, asked - 1_000);
    if (request.at - last.at >= least - ROUNDING_MS) return;
    if (isRefused && this.#rotatedSince(last.at - SECRET_LOOK_MS - this.tolerance.ms, request.at)) return;
    this.#addWrong(
      request,
      isRefused ? 'B7' : 'B18',
      `${request.at - last.at} ms after a failure, in its cool-down`,
    );
  }

  /** The state of the client after a failure. The client learned of the failure between these moments. */
  #count({ code, retried }: Failure, earliest: number, latest: number): Streak {
    const isRefused = code === 'TOKEN_REJECTED';
    const streak = this.#streak;
    const goesOn = streak !== undefined && streak.left > 0;
    const attempts = this.#outage?.isOn ? 1 : goesOn ? streak.left : ATTEMPTS;
    const left = retried ? attempts - 1 : 0;
    const before = streak?.consecutiveRefusals ?? 0;
    if (isRefused) {
      const ms = Math.min(REFUSAL.firstMs * 2 ** before, REFUSAL.longestMs);
      return { isRefused, consecutiveRefusals: before + 1, left, pauseMs: { least: ms, most: ms } };
    }
    const isNew = this.#outage === undefined || (!this.#outage.isOn && !goesOn);
    const since = isNew || !this.#outage ? { earliest, latest } : this.#outage.since;
    this.#outage = { since, isOn: left === 0 };
    const pauseMs = { least: pauseAfter(earliest - since.latest), most: pauseAfter(latest - since.earliest) };
    return { isRefused, consecutiveRefusals: left > 0 ? before : 0, left, pauseMs };
  }

  #failureOf({ at, fault, record }: TokenRequest): Failure | undefined {
    if (fault?.code !== undefined) {
      const retried = fault.code === 'TOKEN_UNAVAILABLE' && (fault.retryAfterMs ?? 0) <= 2_000;
      return { code: fault.code, why: fault.name, retried };
    }
    if (record.token !== undefined || record.status === undefined) return undefined;
    if (!this.#rotatedSince(at - this.tolerance.ms, at)) {
      this.wrong.push(`S2: a token request was refused with ${record.status} though nothing was wrong`);
    }
    return { code: 'TOKEN_REJECTED', why: 'rotate-secret', retried: false };
  }

  #silence(): { takesMs: number; leastMs: number } {
    // The client starts its timeout before it sends the request, so the timeout ends before this sum.
    return { takesMs: TOKEN_TIMEOUT_MS, leastMs: Math.max(0, TOKEN_TIMEOUT_MS - this.tolerance.ms) };
  }

  #expired({ at, lifeMs }: IssuedToken, time: number): boolean {
    const ahead = this.requestLog.client.transport === 'undici' ? Math.min(AHEAD_MS, lifeMs / 2) : 0;
    return time >= at + lifeMs - ahead - this.tolerance.ms;
  }

  /** Whether the API refused the token (B2) and renewals need not be paused (B3). */
  #renewable(token: IssuedToken, time: number): boolean {
    return this.#refusals(token, time).length > 0 && !this.pauses.mustBeOn(token, time);
  }

  #refusals(token: IssuedToken, time: number): ApiRequestRecord[] {
    return this.pauses
      .uses(token)
      .filter(({ status, at }) => status === 401 && at.getTime() <= time + ROUNDING_MS);
  }

  #rotatedSince(from: number, to: number): boolean {
    return this.requestLog.rotations.some(({ at, knownAt = Infinity }) => at <= to && knownAt >= from);
  }

  #addWrong({ at }: TokenRequest, rule: string, how: string): void {
    this.wrong.push(`${rule}: a token request at ${new Date(at).toISOString()} ${how}`);
  }
}

function pauseAfter(outageMs: number): number {
  return Math.min(Math.max(outageMs * OUTAGE.part, OUTAGE.shortestMs), OUTAGE.longestMs);
}
