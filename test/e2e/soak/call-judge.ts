import type { ApiRequestRecord } from '../../../lib/testing/index.js';
import { API_FAULTS, type ApiFault, CALL_TIMEOUT_MS } from './api-faults.js';
import type { Grace } from './grace.js';
import type { LaneLedger } from './lane-ledger.js';
import type { CallReport } from './messages.js';
import { BACKOFF_MS, PAUSE_MS } from './rules.js';
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
    for (const { at, tokenFingerprint } of sent) {
      const given = this.tokens.issued.filter(({ fingerprint }) => fingerprint === tokenFingerprint);
      const last = given.at(-1);
      if (last === undefined) return 'S5: carried a token that this lane was never given';
      if (at.getTime() > last.at + last.lifeMs + this.grace.ms) return 'S11: carried a token after its life';
    }
    return undefined;
  }

  /** What the first token of a call has been through, for whoever has to understand a verdict. */
  historyOf(call: CallReport): string {
    const [first] = this.#sent(call);
    const token = this.tokens.issued.findLast(({ fingerprint }) => fingerprint === first?.tokenFingerprint);
    if (first === undefined || token === undefined) return '';
    const uses = this.tokens
      .uses(token)
      .map(({ at, status, path }) => `${at.getTime() - token.at} ${path} ${status ?? '-'}`);
    const origin = token.afterRefusal.maybe ? 'after a refusal' : 'in turn';
    return `; its token came ${origin}, ${first.at.getTime() - token.at} ms before: ${uses.slice(0, 12).join(', ')}`;
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
    return this.#isPaused(first) ? 'B3: renewals were in vain' : undefined;
  }

  /** Whether renewals pause at the time of this refusal, because a renewed token was refused before it ever worked. */
  #isPaused(refusal: ApiRequestRecord): boolean {
    const at = refusal.at.getTime();
    const token = this.tokens.issued.findLast(({ fingerprint }) => fingerprint === refusal.tokenFingerprint);
    if (token === undefined || !token.afterRefusal.maybe) return false;
    // A token that was handed out once more has to prove itself once more.
    const since = this.tokens.uses(token).filter((use) => use.at.getTime() >= token.at);
    const vain = since.find(({ status }) => status === 401)?.at.getTime() ?? at;
    const proof = since.find(({ status = 0 }) => status >= 200 && status < 300)?.at.getTime() ?? at;
    return proof >= at - this.grace.ms && at <= vain + PAUSE_MS + this.grace.ms;
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

  #sent({ path }: CallReport): readonly ApiRequestRecord[] {
    return this.ledger.calls.get(path) ?? [];
  }
}
