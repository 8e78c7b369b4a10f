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

/** If the API keeps refusing tokens, a new sentence begins after this time. */
const LONGEST_MS = 30_000;

/** A client that renews a token pauses for 2 s at most. After a longer silence, the caller of a refused call has its error. */
const LONGEST_SILENCE_MS = 3000;

/** Calls that were under way with the same token are refused a little later. */
const LATER_MS = 1000;

const REMEMBERED = 20;

/** Finds the calls that were sent again. A client does not mark them, so method and path must be the same. */
export class Refusals {
  #all: Open[] = [];
  #id = 0;

  /** @param isRefusal whether the API refused the token. Returns the id of the refused call that this one repeats. */
  add(name: string, request: ShownRequest, isRefusal: boolean): number | undefined {
    const at = Date.parse(request.at);
    const newest = this.#all.findLast((one) => one.name === name);
    const open = newest !== undefined && !isOver(newest, at) ? newest : undefined;
    if (request.kind === 'token') {
      if (open === undefined || !isWaiting(open)) return undefined;
      open.tokenRequests += 1;
      if (!request.ok) open.failedTokenRequests += 1;
      open.answeredAt = at + request.durationMs;
      return undefined;
    }
    const repeated = open && takeRepeated(open, request);
    if (open !== undefined && repeated !== undefined) {
      open.sentAgain += 1;
      if (!request.ok) open.failedAgain += 1;
      open.answeredAt = at + request.durationMs;
      return repeated;
    }
    if (isRefusal) {
      const refusal =
        open !== undefined && at <= open.from + LONGEST_MS ? open : this.#begin(name, at, request.reason);
      refusal.refused += 1;
      refusal.answeredAt = Math.max(refusal.answeredAt, at + request.durationMs);
      const ids = refusal.waiting.get(keyOf(request));
      if (ids === undefined) refusal.waiting.set(keyOf(request), [request.id]);
      else ids.push(request.id);
    }
    return undefined;
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

const isWaiting = ({ refused, sentAgain }: Open): boolean => sentAgain < refused;

function isOver(open: Open, now: number): boolean {
  return now > open.answeredAt + (isWaiting(open) ? LONGEST_SILENCE_MS : LATER_MS);
}

/** Only after a token was issued: before, the same call is another caller's. */
function takeRepeated({ waiting, tokenRequests, failedTokenRequests }: Open, request: ShownRequest) {
  return tokenRequests > failedTokenRequests ? waiting.get(keyOf(request))?.shift() : undefined;
}

const keyOf = ({ method, path }: ShownRequest): string => `${method} ${path}`;

/** `1 call refused (token revoked) → 1 token request → 1 sent again, in 4 ms. Your caller noticed nothing.` */
function shownRefusal(open: Open, now: number): Refusal {
  const { id, name, from, reason, answeredAt, refused, sentAgain, failedAgain } = open;
  const { tokenRequests, failedTokenRequests } = open;
  const trouble = failedTokenRequests === 0 ? '' : `, ${counted(failedTokenRequests, 'failure')}`;
  const lost = refused - sentAgain;
  const errors = failedAgain + lost;
  const [level, end] =
    lost > 0 && !isOver(open, now)
      ? (['warn', ' so far.'] as const)
      : errors > 0
        ? (['bad', `. ${counted(errors, 'caller')} got an error.`] as const)
        : ([
            'good',
            `, in ${answeredAt - from} ms. Your caller${refused === 1 ? '' : 's'} noticed nothing.`,
          ] as const);
  const text = `${counted(refused, 'call')} refused (${reason}) → ${counted(tokenRequests, 'token request')}${trouble} → ${sentAgain} sent again${end}`;
  return { id, name, at: new Date(from).toISOString(), level, text };
}
