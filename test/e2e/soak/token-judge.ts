import { createHash } from 'node:crypto';
import type { ApiRequestRecord } from '../../../lib/testing/index.js';
import type { Grace } from './grace.js';
import type { LaneLedger, TokenRequest } from './lane-ledger.js';
import { type Issued, PauseJudge } from './pause-judge.js';
import { LIFETIME_MS } from './provider-ledger.js';
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

/** A token request that brought no token, and for how long callers may be told so. */
export interface Failed {
  readonly at: number;
  readonly code: string;
  readonly why: string;
  /** When the client may have learned of it at the latest. */
  readonly doneAt: number;
  /** The end of the longest cool-down that it can have begun. */
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
  /** When the client learned of the failure. */
  readonly since: { readonly earliest: number; readonly latest: number };
  /** A renewal has failed: further ones are a single attempt each (B18). */
  readonly isOn: boolean;
}

/** Knows of each token request whether B1 to B8 allow it. */
export class TokenJudge {
  readonly issued: Issued[] = [];
  readonly failed: Failed[] = [];
  /** Requests under way at some time: from their arrival to the earliest and the latest moment of their end. */
  readonly flights: { readonly at: number; readonly endsFrom: number; readonly doneAt: number }[] = [];
  readonly wrong: string[] = [];
  readonly pauses: PauseJudge;
  #streak: Streak | undefined;
  #outage: Outage | undefined;
  #judged = 0;

  constructor(
    private readonly ledger: LaneLedger,
    private readonly grace: Grace,
  ) {
    this.pauses = new PauseJudge(ledger, this.issued, grace);
  }

  /** Judges what is older than this: by then all that it depends on is known. */
  judgeBefore(time: number): void {
    const { tokenRequests } = this.ledger;
    for (; this.#judged < tokenRequests.length; this.#judged += 1) {
      const request = tokenRequests[this.#judged];
      if (request === undefined || request.at > time) return;
      this.#judge(request);
    }
  }

  #judge(request: TokenRequest): void {
    const { at, record } = request;
    const before = this.flights.at(-1);
    const failure = this.#failureOf(request);
    const streak = this.#streak;
    const token = this.issued.at(-1);
    if (before && at < before.endsFrom - ROUNDING_MS) {
      this.#blame(request, 'B1', 'while another was under way');
    } else if (streak) this.#judgeAfterFailure(request, streak);
    else if (token && !this.#expired(token, at) && !this.#renewable(token, at)) {
      this.#blame(
        request,
        'S8, B2, B3',
        `although the last token was good${historyOf(this.ledger, token, at)}`,
      );
    }
    const weather = request.weather;
    const { takesMs = 0, leastMs = takesMs } = weather?.lasts ? this.#silence() : (weather ?? {});
    const doneAt = at + takesMs;
    this.flights.push({ at, endsFrom: at + leastMs, doneAt });
    if (failure) {
      const { code, why } = failure;
      this.#streak = this.#count(failure, at + leastMs, doneAt + this.grace.ms);
      const pauseMs = this.#streak.pauseMs.most * (1 + JITTER);
      const coolsMs = Math.max(pauseMs, weather?.retryAfterMs ?? 0);
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
      landsFrom: at + leastMs,
      lifeMs: weather?.toldMs ?? LIFETIME_MS,
      fingerprint: createHash('sha256').update(value).digest('hex').slice(0, 16),
      afterRefusal: { surely: refused && !this.#expired(token, at), maybe: refused },
    });
  }

  /** B7, B18: attempts are counted, and after them there is a pause. */
  #judgeAfterFailure(request: TokenRequest, { isRefused, left, pauseMs }: Streak): void {
    const last = this.failed.at(-1);
    if (left > 0 || last === undefined) return;
    const cools = pauseMs.least * (1 - JITTER);
    const asked = this.ledger.tokenRequests.findLast(({ at }) => at === last.at)?.weather?.retryAfterMs ?? 0;
    // A date has no fractions of a second.
    const least = Math.max(cools, asked - 1_000);
    if (request.at - last.at >= least - ROUNDING_MS) return;
    if (isRefused && this.#rotatedSince(last.at - SECRET_LOOK_MS - this.grace.ms, request.at)) return;
    this.#blame(
      request,
      isRefused ? 'B7' : 'B18',
      `${request.at - last.at} ms after a failure, in its cool-down`,
    );
  }

  /** What the client knows after a failure that it learned of between these moments. */
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

  #failureOf({ at, weather, record }: TokenRequest): Failure | undefined {
    if (weather?.code !== undefined) {
      const retried = weather.code === 'TOKEN_UNAVAILABLE' && (weather.retryAfterMs ?? 0) <= 2_000;
      return { code: weather.code, why: weather.name, retried };
    }
    if (record.token !== undefined || record.status === undefined) return undefined;
    if (!this.#rotatedSince(at - this.grace.ms, at)) {
      this.wrong.push(`S2: a token request was refused with ${record.status} though nothing was wrong`);
    }
    return { code: 'TOKEN_REJECTED', why: 'rotate-secret', retried: false };
  }

  #silence(): { takesMs: number; leastMs: number } {
    // The client counts from the moment before its request left, which was before it arrived.
    return { takesMs: TOKEN_TIMEOUT_MS, leastMs: Math.max(0, TOKEN_TIMEOUT_MS - this.grace.ms) };
  }

  #expired({ at, lifeMs }: Issued, time: number): boolean {
    const ahead = this.ledger.lane.transport === 'undici' ? Math.min(AHEAD_MS, lifeMs / 2) : 0;
    return time >= at + lifeMs - ahead - this.grace.ms;
  }

  /** B2: it was refused. B3: unless it was itself the fruit of a refusal, and has never worked. */
  #renewable(token: Issued, time: number): boolean {
    return this.#refusals(token, time).length > 0 && !this.pauses.mustBeOn(token, time);
  }

  #refusals(token: Issued, time: number): ApiRequestRecord[] {
    return this.pauses
      .uses(token)
      .filter(({ status, at }) => status === 401 && at.getTime() <= time + ROUNDING_MS);
  }

  #rotatedSince(from: number, to: number): boolean {
    return this.ledger.rotations.some(({ at, knownAt = Infinity }) => at <= to && knownAt >= from);
  }

  #blame({ at }: TokenRequest, rule: string, how: string): void {
    this.wrong.push(`${rule}: a token request at ${new Date(at).toISOString()} ${how}`);
  }
}

function pauseAfter(outageMs: number): number {
  return Math.min(Math.max(outageMs * OUTAGE.part, OUTAGE.shortestMs), OUTAGE.longestMs);
}
