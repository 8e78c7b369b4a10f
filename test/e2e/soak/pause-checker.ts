import type { ApiRequestRecord } from '../../../lib/testing/index.js';
import type { Tolerance } from './tolerance.js';
import type { ClientRequestLog } from './client-request-log.js';
import { MOST_USELESS, PAUSE_MS, ROUNDING_MS } from './rules.js';

/** A token that a provider issued. */
export interface IssuedToken {
  readonly at: number;
  /** The earliest moment at which the client can have received the token. */
  readonly receivedFrom: number;
  readonly lifeMs: number;
  readonly fingerprint: string;
  /** Whether a renewal after a 401 brought the token: certainly, or possibly. */
  readonly afterRefusal: { readonly certainly: boolean; readonly possibly: boolean };
}

/** The outcomes of calls that received a complete response with a good status. */
const SUCCESSES: ReadonlySet<string> = new Set(['ok', 'not-the-echo']);
/** The outcomes of calls that gave up. Such a call may not have seen its response. */
const GAVE_UP: ReadonlySet<string> = new Set(['ERR_CANCELED', 'ECONNABORTED', 'hangs']);

/**
 * Knows when renewals of one client after a 401 may be paused, and when they must be (B3). A successful call ends a
 * pause. A response that began with a good status and then broke off is not a success.
 */
export class PauseChecker {
  constructor(
    private readonly requestLog: ClientRequestLog,
    private readonly issued: readonly IssuedToken[],
    private readonly tolerance: Tolerance,
  ) {}

  /** Whether renewals may be paused when the client receives a 401 that was sent at this time. */
  mayBeOn(time: number): boolean {
    const isPause = this.issued.some(
      (token, index) =>
        token.afterRefusal.possibly &&
        this.#mayHaveBegun(token, time) &&
        !this.#certainlyWorkedSince(index, time),
    );
    return isPause || this.#mayBeKept(time);
  }

  /** Whether the last renewals may have helped no call, so that the client keeps the token of the last one for a while. */
  #mayBeKept(time: number): boolean {
    const renewed = this.issued.filter(({ at, afterRefusal }) => afterRefusal.possibly && at <= time);
    const [first, ...others] = renewed.slice(-MOST_USELESS);
    const last = others.at(-1);
    if (renewed.length < MOST_USELESS || first === undefined || last === undefined) return false;
    if (time > last.at + PAUSE_MS + this.tolerance.ms) return false;
    const refused = new Set(this.issued.flatMap((token) => this.#pathsOf(token, (status) => status === 401)));
    // An earlier call may have been helped before the client received the first of these tokens.
    return !this.issued.slice(this.issued.indexOf(first)).some((token) =>
      this.#well(token).some((path) => {
        const call = this.requestLog.ends.get(path);
        if (call === undefined || !refused.has(path) || !SUCCESSES.has(call.outcome)) return false;
        return call.startedAt >= first.at && call.endedAt < time - ROUNDING_MS;
      }),
    );
  }

  /** Whether renewals must be paused at this time, if the API refused this token. */
  mustBeOn(token: IssuedToken, time: number): boolean {
    if (!token.afterRefusal.certainly || this.#mayHaveWorked(token, time)) return false;
    const [first] = this.#refusals(token, time);
    return first === undefined || time < first.at.getTime() + PAUSE_MS - this.tolerance.ms;
  }

  uses({ fingerprint }: IssuedToken): readonly ApiRequestRecord[] {
    return this.requestLog.uses.get(fingerprint) ?? [];
  }

  #mayHaveBegun(token: IssuedToken, time: number): boolean {
    const refusals = this.#refusals(token, time);
    const seen = refusals.find(({ path }) => this.#isSeen(path))?.at.getTime() ?? time;
    return refusals.length > 0 && time <= seen + PAUSE_MS + this.tolerance.ms;
  }

  /** Whether a call certainly succeeded with this token, or with a later one, while that was the current token. */
  #certainlyWorkedSince(index: number, time: number): boolean {
    return this.issued.slice(index).some((token, offset) => {
      const next = this.issued[index + offset + 1];
      const again = this.issued.findIndex(({ fingerprint }) => fingerprint === token.fingerprint);
      return this.#well(token).some((path) => {
        const call = this.requestLog.ends.get(path);
        if (call === undefined || !SUCCESSES.has(call.outcome)) return false;
        if (call.endedAt >= Math.min(time - ROUNDING_MS, next?.receivedFrom ?? Infinity)) return false;
        // If the provider issued the same token again, only a success after that counts.
        return again === index + offset || call.startedAt >= token.at;
      });
    });
  }

  #mayHaveWorked(token: IssuedToken, time: number): boolean {
    return this.#well(token).some((path) => {
      const call = this.requestLog.ends.get(path);
      if (call === undefined) return true;
      const { outcome, endedAt } = call;
      return SUCCESSES.has(outcome) && endedAt >= token.at - ROUNDING_MS && endedAt <= time + ROUNDING_MS;
    });
  }

  #refusals(token: IssuedToken, time: number): ApiRequestRecord[] {
    const [from, to] = [token.at - this.tolerance.ms, time + ROUNDING_MS];
    return this.uses(token).filter(
      ({ status, at }) => status === 401 && at.getTime() >= from && at.getTime() <= to,
    );
  }

  /** Paths of requests that received a good status. */
  #well(token: IssuedToken): string[] {
    return this.#pathsOf(token, (status) => status >= 200 && status < 300);
  }

  #pathsOf(token: IssuedToken, isMeant: (status: number) => boolean): string[] {
    return this.uses(token)
      .filter(({ status = 0 }) => isMeant(status))
      .map(({ path }) => path);
  }

  #isSeen(path: string): boolean {
    const call = this.requestLog.ends.get(path);
    return call !== undefined && !GAVE_UP.has(call.outcome);
  }
}
