import type { ApiRequestRecord } from '../../../lib/testing/index.js';
import { API_FAULTS, type ApiFault, CALL_TIMEOUT_MS } from './api-faults.js';
import type { Tolerance } from './tolerance.js';
import type { ClientRequestLog } from './client-request-log.js';
import type { CallReport } from './messages.js';
import type { IssuedToken } from './pause-checker.js';
import { BACKOFF_MS, ROUNDING_MS } from './rules.js';
import { historyOf } from './token-history.js';
import type { FailedTokenRequest, TokenChecker } from './token-checker.js';

/** If the machine delays a process for so long, a late timeout is not a defect of the library. */
const STARVED_MS = 1_000;

/** The reason that allows an outcome. `undefined` if nothing allows it. */
export type Explanation = string | undefined;

/** Checks whether the fault of a call, or a fault of the provider, allows the outcome of the call. */
export class CallChecker {
  readonly #faults = new Map(API_FAULTS.map((fault) => [fault.name, fault]));

  constructor(
    private readonly requestLog: ClientRequestLog,
    private readonly tokens: TokenChecker,
    private readonly tolerance: Tolerance,
  ) {}

  /** The rule that the requests of a call break, if any. */
  violationOf(call: CallReport): string | undefined {
    const sent = this.#sent(call);
    if (sent.length > 2) return `C3: sent ${sent.length} times`;
    if (sent.length === 2 && sent[0]?.status !== 401)
      return `C3: sent again after ${sent[0]?.status ?? 'no answer'}`;
    if (sent.length === 2 && call.body === 'stream')
      return 'B4: a body that can be read only once was sent again';
    for (const [index, request] of sent.entries()) {
      const token = this.#tokenOf(request);
      if (token === undefined) return 'S5: carried a token that this client never received';
      const end = token.at + token.lifeMs;
      if (request.at.getTime() > end + this.tolerance.ms) return 'S11: carried a token after its life';
      // The client chose the token later than this. Sending may be slow, but the client must read the clock when it chooses.
      const chosenAfter = index === 0 ? call.startedAt : sent[0]?.at.getTime();
      if (chosenAfter !== undefined && chosenAfter > end + ROUNDING_MS)
        return `S11: chose a token ${chosenAfter - end} ms after its life`;
    }
    return undefined;
  }

  /** The uses of the first token of a call as a text, so that a reader can understand the finding. */
  historyOf(call: CallReport): string {
    const [first] = this.#sent(call);
    const token = first && this.#tokenOf(first);
    return first && token ? historyOf(this.requestLog, token, first.at.getTime()) : '';
  }

  explanationOf(call: CallReport): Explanation {
    const { outcome, startedAt, endedAt } = call;
    const sent = this.#sent(call);
    const fault = this.#faults.get(call.fault);
    if (fault === undefined) throw new RangeError(`There is no fault ${call.fault}.`);
    if (outcome === 'ERR_CANCELED') return call.aborts ? 'the caller aborted the call' : undefined;
    if (outcome === '401') return this.#refusal(call, sent);
    const limit = fault.timeoutMs ?? CALL_TIMEOUT_MS;
    if (outcome === 'ECONNABORTED' && endedAt - startedAt < limit - 1) return undefined;
    if (fault.allows.includes(outcome) && sent.length > 0) return this.#explainedByItsFault(fault, sent);
    if (outcome === 'ECONNABORTED') {
      return fault.timeoutMs === undefined ? this.#waitedForToken(call) : 'its timeout was short';
    }
    return sent.length === 0 ? this.#failureThatReached(call, outcome) : undefined;
  }

  /** A call whose fault refuses one request must send two, unless a fault of the provider refused the first one. */
  #explainedByItsFault({ name }: ApiFault, sent: readonly ApiRequestRecord[]): Explanation {
    if (name === 'refused-once' && sent.length !== 2) return undefined;
    return name === 'none' ? 'nothing went wrong' : name;
  }

  #refusal(call: CallReport, sent: readonly ApiRequestRecord[]): Explanation {
    const [first, second] = sent;
    if (first === undefined || sent.at(-1)?.status !== 401) return undefined;
    if (second) return 'C3: refused twice';
    if (call.body === 'stream') return 'B4: a body that can be read only once';
    const failure = this.tokens.failed.some((failed) => this.#canReach(failed, call));
    if (failure) return 'B3: no other token was available';
    return this.tokens.pauses.mayBeOn(first.at.getTime()) ? 'B3: renewals were paused' : undefined;
  }

  #waitedForToken({ startedAt, endedAt }: CallReport): Explanation {
    const waited = this.tokens.flights.some(
      ({ at, doneAt }) => at <= endedAt && doneAt > at && doneAt + BACKOFF_MS >= startedAt,
    );
    if (waited) return 'B5: it timed out while it waited for a token';
    return this.tolerance.within(startedAt, endedAt) > STARVED_MS ? 'the machine was busy' : undefined;
  }

  #failureThatReached(call: CallReport, code: string): Explanation {
    const failed = this.tokens.failed.findLast((one) => one.code === code && this.#canReach(one, call));
    return failed && `${failed.code}: ${failed.why}`;
  }

  /** Whether this failure, or the cool-down after it, can be the reason of the call's outcome. */
  #canReach({ at, doneAt, cooledUntil }: FailedTokenRequest, { startedAt, endedAt }: CallReport): boolean {
    if (at > endedAt + this.tolerance.ms || Math.max(cooledUntil, doneAt) + this.tolerance.ms < startedAt)
      return false;
    return !this.tokens.issued.some((token) => token.at > at && token.at + this.tolerance.ms < startedAt);
  }

  /** The token of a request. If the provider issued the same token several times, this is the last issue before the request. */
  #tokenOf(request: ApiRequestRecord): IssuedToken | undefined {
    const arrived = request.at.getTime();
    return this.tokens.issued.findLast(
      ({ at, fingerprint }) => fingerprint === request.tokenFingerprint && at <= arrived,
    );
  }

  #sent({ path }: CallReport): readonly ApiRequestRecord[] {
    return this.requestLog.calls.get(path) ?? [];
  }
}
