import { counted } from '../number-of.js';
import type { ShownRequest } from './shown.js';

/** A client that renews a token pauses for 2 s at most. After a longer silence, the caller of a refused call has its error. */
const LONGEST_SILENCE_MS = 3000;

const REMEMBERED = 20;

/** Finds the calls that were sent again. A client does not mark them, so method and path must be the same. */
export class Refusals {
  #all: Refusal[] = [];
  #id = 0;

  /** @param isRefusal whether the API refused the token. Returns the id of the refused call that this one repeats. */
  add(name: string, request: ShownRequest, isRefusal: boolean): number | undefined {
    const { kind, method, path, ok, id, reason } = request;
    const at = Date.parse(request.at);
    const answeredAt = at + request.durationMs;
    const newest = this.#all.findLast((one) => one.name === name);
    const open = newest?.isOver(at) ? undefined : newest;
    if (kind === 'token') {
      if (open === undefined || open.sentAgain === open.refused) return undefined;
      open.tokenRequests += 1;
      if (!ok) open.failedTokenRequests += 1;
      open.answeredAt = answeredAt;
      return undefined;
    }
    const call = `${method} ${path}`;
    // Only after a token was issued: before, the same call is another caller's.
    const hasNewToken = open !== undefined && open.tokenRequests > open.failedTokenRequests;
    const repeated = hasNewToken ? open.waiting.get(call)?.shift() : undefined;
    if (open !== undefined && repeated !== undefined) {
      open.sentAgain += 1;
      if (!ok) open.failedAgain += 1;
      open.answeredAt = answeredAt;
    } else if (isRefusal) {
      // Calls that were under way with the same token are refused a little later.
      const refusal = open ?? new Refusal((this.#id += 1), name, at, reason);
      if (open === undefined) this.#all = [...this.#all, refusal].slice(-REMEMBERED);
      refusal.refused += 1;
      refusal.answeredAt = Math.max(refusal.answeredAt, answeredAt);
      const waiting = refusal.waiting.get(call) ?? [];
      refusal.waiting.set(call, waiting);
      waiting.push(id);
    }
    return repeated;
  }

  list(now = Date.now()) {
    return this.#all.map((one) => one.shown(now));
  }
}

/** Calls whose token the API refused, and what the application did then, in one sentence. */
class Refusal {
  /** When the last call or token request of it was answered. */
  answeredAt: number;
  refused = 0;
  sentAgain = 0;
  failedAgain = 0;
  tokenRequests = 0;
  failedTokenRequests = 0;
  /** The ids of the refused calls that were not sent again so far, by method and path. */
  readonly waiting = new Map<string, number[]>();

  constructor(
    readonly id: number,
    readonly name: string,
    readonly from: number,
    readonly reason: string,
  ) {
    this.answeredAt = from;
  }

  isOver(now: number): boolean {
    return now > this.answeredAt + LONGEST_SILENCE_MS;
  }

  /** `1 call refused (token revoked) → 1 token request → 1 sent again, in 4 ms. Your caller noticed nothing.` */
  shown(now: number) {
    const { id, name, from, reason, refused, sentAgain, tokenRequests, failedTokenRequests } = this;
    const trouble = failedTokenRequests === 0 ? '' : `, ${counted(failedTokenRequests, 'failure')}`;
    const [level, end] = this.#end(now);
    const text = `${counted(refused, 'call')} refused (${reason}) → ${counted(tokenRequests, 'token request')}${trouble} → ${sentAgain} sent again${end}`;
    return { id, name, at: new Date(from).toISOString(), level, text };
  }

  #end(now: number): readonly [level: 'good' | 'warn' | 'bad', text: string] {
    const lost = this.refused - this.sentAgain;
    if (lost > 0 && !this.isOver(now)) return ['warn', ' so far.'];
    const failed = this.failedAgain + lost;
    if (failed > 0) return ['bad', `. ${counted(failed, 'caller')} got an error.`];
    const callers = this.refused === 1 ? 'caller' : 'callers';
    return ['good', `, in ${this.answeredAt - this.from} ms. Your ${callers} noticed nothing.`];
  }
}
