import type { ApiRequestRecord } from '../../../lib/testing/index.js';
import { API_FAULTS, type ApiFault, CALL_TIMEOUT_MS } from './api-faults.js';
import type { Grace } from './grace.js';
import type { LaneLedger } from './lane-ledger.js';
import type { CallReport } from './messages.js';
import type { Issued } from './pause-judge.js';
import { BACKOFF_MS, ROUNDING_MS } from './rules.js';
import { historyOf } from './token-history.js';
import type { Failed, TokenJudge } from './token-judge.js';

/** A process that is kept waiting for so long tells nothing about the library's sense of time. */
const STARVED_MS = 1_000;

/** Why an outcome is as it must be; `undefined` where nothing allows it. */
export type Account = string | undefined;

/** Knows of each call whether its outcome is one that its own fault, or the weather over its lane, allows. */
export class CallJudge {
  readonly #faults = new Map(API_FAULTS.map((fault) => [fault.name, fault]));

  constructor(
    private readonly ledger: LaneLedger,
    private readonly tokens: TokenJudge,
    private readonly grace: Grace,
  ) {}

  /** What is wrong about the requests that the call made. */
  misconduct(call: CallReport): string | undefined {
    const sent = this.#sent(call);
    if (sent.length > 2) return `C3: sent ${sent.length} times`;
    if (sent.length === 2 && sent[0]?.status !== 401)
      return `C3: sent again after ${sent[0]?.status ?? 'no answer'}`;
    if (sent.length === 2 && call.body === 'stream') return 'B4: a body of one use was sent again';
    for (const [index, request] of sent.entries()) {
      const token = this.#carriedBy(request);
      if (token === undefined) return 'S5: carried a token that this lane was never given';
      const end = token.at + token.lifeMs;
      if (request.at.getTime() > end + this.grace.ms) return 'S11: carried a token after its life';
      // The token was chosen later than this, by whoever may be slow on the way but not in looking at the clock.
      const chosenAfter = index === 0 ? call.startedAt : sent[0]?.at.getTime();
      if (chosenAfter !== undefined && chosenAfter > end + ROUNDING_MS)
        return `S11: chose a token ${chosenAfter - end} ms after its life`;
    }
    return undefined;
  }

  /** What the first token of a call has been through, for whoever has to understand a verdict. */
  historyOf(call: CallReport): string {
    const [first] = this.#sent(call);
    const token = first && this.#carriedBy(first);
    return first && token ? historyOf(this.ledger, token, first.at.getTime()) : '';
  }

  account(call: CallReport): Account {
    const { outcome, startedAt, endedAt } = call;
    const sent = this.#sent(call);
    const fault = this.#faults.get(call.fault);
    if (fault === undefined) throw new RangeError(`There is no fault ${call.fault}.`);
    if (outcome === 'ERR_CANCELED') return call.aborts ? 'the caller gave up' : undefined;
    if (outcome === '401') return this.#refusal(call, sent);
    const limit = fault.timeoutMs ?? CALL_TIMEOUT_MS;
    if (outcome === 'ECONNABORTED' && endedAt - startedAt < limit - 1) return undefined;
    if (fault.allows.includes(outcome) && sent.length > 0) return this.#asItsFaultWants(fault, sent);
    if (outcome === 'ECONNABORTED') {
      return fault.timeoutMs === undefined ? this.#waitedForToken(call) : 'its time was short';
    }
    return sent.length === 0 ? this.#failureToldTo(call, outcome) : undefined;
  }

  /** A call that was to be refused once has been, unless the weather did it first. */
  #asItsFaultWants({ name }: ApiFault, sent: readonly ApiRequestRecord[]): Account {
    if (name === 'refused-once' && sent.length !== 2) return undefined;
    return name === 'none' ? 'nothing went wrong' : name;
  }

  #refusal(call: CallReport, sent: readonly ApiRequestRecord[]): Account {
    const [first, second] = sent;
    if (first === undefined || sent.at(-1)?.status !== 401) return undefined;
    if (second) return 'C3: refused twice';
    if (call.body === 'stream') return 'B4: a body of one use';
    const failure = this.tokens.failed.some((failed) => this.#isTold(failed, call));
    if (failure) return 'B3: no other token was to be had';
    return this.tokens.pauses.mayBeOn(first.at.getTime()) ? 'B3: renewals were in vain' : undefined;
  }

  #waitedForToken({ startedAt, endedAt }: CallReport): Account {
    const waited = this.tokens.flights.some(
      ({ at, doneAt }) => at <= endedAt && doneAt > at && doneAt + BACKOFF_MS >= startedAt,
    );
    if (waited) return 'B5: its time ended while it waited for a token';
    return this.grace.within(startedAt, endedAt) > STARVED_MS ? 'the machine was busy' : undefined;
  }

  #failureToldTo(call: CallReport, code: string): Account {
    const failed = this.tokens.failed.findLast((one) => one.code === code && this.#isTold(one, call));
    return failed && `${failed.code}: ${failed.why}`;
  }

  /** Whether this failure, or the cool-down after it, can have met the call. */
  #isTold({ at, doneAt, cooledUntil }: Failed, { startedAt, endedAt }: CallReport): boolean {
    if (at > endedAt + this.grace.ms || Math.max(cooledUntil, doneAt) + this.grace.ms < startedAt)
      return false;
    return !this.tokens.issued.some((token) => token.at > at && token.at + this.grace.ms < startedAt);
  }

  /** The token of a request; of one that was handed out again, as it was handed out last before. */
  #carriedBy(request: ApiRequestRecord): Issued | undefined {
    const arrived = request.at.getTime();
    return this.tokens.issued.findLast(
      ({ at, fingerprint }) => fingerprint === request.tokenFingerprint && at <= arrived,
    );
  }

  #sent({ path }: CallReport): readonly ApiRequestRecord[] {
    return this.ledger.calls.get(path) ?? [];
  }
}
