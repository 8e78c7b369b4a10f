import type { ApiRequestRecord } from '../../../lib/testing/index.js';
import type { Grace } from './grace.js';
import type { LaneLedger } from './lane-ledger.js';
import { PAUSE_MS, ROUNDING_MS } from './rules.js';

/** A token that a client could use. */
export interface Issued {
  readonly at: number;
  /** The earliest moment at which the client can have had it. */
  readonly landsFrom: number;
  readonly lifeMs: number;
  readonly fingerprint: string;
  /** Whether a renewal after a 401 brought it: by all means, or just possibly. */
  readonly afterRefusal: { readonly surely: boolean; readonly maybe: boolean };
}

/** What callers see of an answer that came whole and well, whatever is in it. */
const SUCCESSES: ReadonlySet<string> = new Set(['ok', 'not-the-echo']);
/** Who gave up may never have seen the answer. */
const GAVE_UP: ReadonlySet<string> = new Set(['ERR_CANCELED', 'ECONNABORTED', 'hangs']);

/**
 * Knows of one lane when renewals because of a 401 can have paused, and when they must have (B3). A pause is ended by a
 * call that went well for its caller: an answer that began well on the wire and then broke off ends none.
 */
export class PauseJudge {
  constructor(
    private readonly ledger: LaneLedger,
    private readonly issued: readonly Issued[],
    private readonly grace: Grace,
  ) {}

  /** Whether a client may have paused when it learned of a 401 that was given at this time. */
  mayBeOn(time: number): boolean {
    return this.issued.some(
      (token, index) =>
        token.afterRefusal.maybe && this.#mayHaveBegun(token, time) && !this.#surelyProvenSince(index, time),
    );
  }

  /** Whether a client that was refused this token must have paused at this time. */
  mustBeOn(token: Issued, time: number): boolean {
    if (!token.afterRefusal.surely || this.#maybeProven(token, time)) return false;
    const [first] = this.#refusals(token, time);
    return first === undefined || time < first.at.getTime() + PAUSE_MS - this.grace.ms;
  }

  uses({ fingerprint }: Issued): readonly ApiRequestRecord[] {
    return this.ledger.uses.get(fingerprint) ?? [];
  }

  #mayHaveBegun(token: Issued, time: number): boolean {
    const refusals = this.#refusals(token, time);
    const seen = refusals.find(({ path }) => this.#isSeen(path))?.at.getTime() ?? time;
    return refusals.length > 0 && time <= seen + PAUSE_MS + this.grace.ms;
  }

  /** Whether a call has certainly gone well with this token, or a later one, while that was the current token. */
  #surelyProvenSince(index: number, time: number): boolean {
    return this.issued.slice(index).some((token, offset) => {
      const next = this.issued[index + offset + 1];
      const again = this.issued.findIndex(({ fingerprint }) => fingerprint === token.fingerprint);
      return this.#well(token).some((path) => {
        const call = this.ledger.ends.get(path);
        if (call === undefined || !SUCCESSES.has(call.outcome)) return false;
        if (call.endedAt >= Math.min(time - ROUNDING_MS, next?.landsFrom ?? Infinity)) return false;
        // A token that was handed out once more has to prove itself once more.
        return again === index + offset || call.startedAt >= token.at;
      });
    });
  }

  #maybeProven(token: Issued, time: number): boolean {
    return this.#well(token).some((path) => {
      const call = this.ledger.ends.get(path);
      if (call === undefined) return true;
      const { outcome, endedAt } = call;
      return SUCCESSES.has(outcome) && endedAt >= token.at - ROUNDING_MS && endedAt <= time + ROUNDING_MS;
    });
  }

  #refusals(token: Issued, time: number): ApiRequestRecord[] {
    const [from, to] = [token.at - this.grace.ms, time + ROUNDING_MS];
    return this.uses(token).filter(
      ({ status, at }) => status === 401 && at.getTime() >= from && at.getTime() <= to,
    );
  }

  /** Paths of calls whose answer began well. */
  #well(token: Issued): string[] {
    return this.uses(token)
      .filter(({ status = 0 }) => status >= 200 && status < 300)
      .map(({ path }) => path);
  }

  #isSeen(path: string): boolean {
    const call = this.ledger.ends.get(path);
    return call !== undefined && !GAVE_UP.has(call.outcome);
  }
}
