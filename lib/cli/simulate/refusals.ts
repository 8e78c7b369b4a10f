import { counted } from '../number-of.js';
import type { ShownRequest } from './shown.js';

/** Calls whose token the API refused, and what the application did then, in one sentence. */
export interface Refusal {
  readonly id: number;
  readonly name: string;
  readonly at: string;
  readonly level: 'good' | 'warn' | 'bad';
  readonly text: string;
}

interface Open {
  readonly id: number;
  readonly name: string;
  readonly from: number;
  readonly reason: string;
  /** When the last call or token request of it was answered. */
  answeredAt: number;
  refused: number;
  sentAgain: number;
  failedAgain: number;
  tokenRequests: number;
  failedTokenRequests: number;
  /** The ids of the refused calls that were not sent again so far, by method and path. */
  readonly waiting: Map<string, number[]>;
}

/** A client that renews a token pauses for 2 s at most. After a longer silence, the caller of a refused call has its error. */
const LONGEST_SILENCE_MS = 3000;

const REMEMBERED = 20;

/** Finds the calls that were sent again. A client does not mark them, so method and path must be the same. */
export class Refusals {
  #all: Open[] = [];
  #id = 0;

  /** @param isRefusal whether the API refused the token. Returns the id of the refused call that this one repeats. */
  add(name: string, request: ShownRequest, isRefusal: boolean): number | undefined {
    const { kind, method, path, ok, id, reason } = request;
    const at = Date.parse(request.at);
    const answeredAt = at + request.durationMs;
    const newest = this.#all.findLast((one) => one.name === name);
    const open = newest !== undefined && !isOver(newest, at) ? newest : undefined;
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
      const refusal = open ?? this.#begin(name, at, reason);
      refusal.refused += 1;
      refusal.answeredAt = Math.max(refusal.answeredAt, answeredAt);
      const waiting = refusal.waiting.get(call) ?? [];
      refusal.waiting.set(call, waiting);
      waiting.push(id);
    }
    return repeated;
  }

  list(now = Date.now()): readonly Refusal[] {
    return this.#all.map((one) => shownRefusal(one, now));
  }

  #begin(name: string, from: number, reason: string): Open {
    const counts = { refused: 0, sentAgain: 0, failedAgain: 0, tokenRequests: 0, failedTokenRequests: 0 };
    const open = { id: (this.#id += 1), name, from, reason, answeredAt: from, ...counts, waiting: new Map() };
    this.#all = [...this.#all, open].slice(-REMEMBERED);
    return open;
  }
}

function isOver({ answeredAt }: Open, now: number): boolean {
  return now > answeredAt + LONGEST_SILENCE_MS;
}

/** `1 call refused (token revoked) → 1 token request → 1 sent again, in 4 ms. Your caller noticed nothing.` */
function shownRefusal(open: Open, now: number): Refusal {
  const { id, name, from, reason, answeredAt, refused, sentAgain, failedAgain } = open;
  const { tokenRequests, failedTokenRequests } = open;
  const trouble = failedTokenRequests === 0 ? '' : `, ${counted(failedTokenRequests, 'failure')}`;
  const lost = refused - sentAgain;
  const told = (level: Refusal['level'], end: string): Refusal => ({
    id,
    name,
    at: new Date(from).toISOString(),
    level,
    text: `${counted(refused, 'call')} refused (${reason}) → ${counted(tokenRequests, 'token request')}${trouble} → ${sentAgain} sent again${end}`,
  });
  if (lost > 0 && !isOver(open, now)) return told('warn', ' so far.');
  if (failedAgain + lost > 0) return told('bad', `. ${counted(failedAgain + lost, 'caller')} got an error.`);
  return told(
    'good',
    `, in ${answeredAt - from} ms. Your caller${refused === 1 ? '' : 's'} noticed nothing.`,
  );
}
