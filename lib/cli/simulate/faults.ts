import { isDeepStrictEqual } from 'node:util';
import { type Chain, codeOf, type Target } from './verbs.js';

/** A fault that a person can choose with one key or one button. It is a chain of the same verbs as at the control address. */
export interface Fault {
  readonly key: string;
  /** The text of the button, and its name for assistive technology. */
  readonly label: string;
  readonly on: Target;
  readonly chain: Chain;
  /** Whether it applies to a number of requests, 1 by default. */
  readonly isCounted: boolean;
  readonly does: string;
}

const once = (key: string, label: string, on: Target, chain: Chain, does: string): Fault => {
  return { key, label, on, chain, isCounted: false, does };
};
const next = (...fault: Parameters<typeof once>): Fault => ({ ...once(...fault), isCounted: true });

export const FAULTS: readonly Fault[] = [
  once('r', 'revoke', 'token', { revokeAll: true }, 'all tokens are revoked'),
  next('5', '503', 'token', { status: 503 }, 'the token endpoint is unavailable'),
  next('9', '429', 'token', { retryAfter: [2, 429] }, 'too many token requests, Retry-After: 2'),
  next('i', 'invalid client', 'token', { refuse: 'invalid_client' }, 'the credentials are refused'),
  next('h', 'hang', 'token', { hang: true }, 'the token endpoint never answers'),
  next('x', 'reset', 'token', { reset: true }, 'the token connection is reset'),
  next('g', 'garbage', 'token', { garbage: true }, 'the token endpoint sends bytes that are not HTTP'),
  next('s', 'short life', 'token', { lifetime: 5 }, 'the token lives for 5 seconds'),
  next('u', '401', 'api', { unauthorized: true }, 'the API refuses a valid token'),
  next('0', '500', 'api', { status: 500 }, 'the API fails'),
  next('l', 'late', 'api', { after: 2000, regular: true }, 'the API answers after 2 seconds'),
  once('n', 'new session', 'simulator', { newSession: true }, 'a new session starts at 0, without faults'),
  once('c', 'clear', 'simulator', { reset: true }, 'all faults are removed'),
];

/** The chain of a key: for all pairs, and for one request. */
export function chainOf({ isCounted, chain }: Fault): Chain {
  return { ...(isCounted && { next: 1 }), ...chain };
}

/** A short name of a chain: the label of its button, or its code. Its pair and its number of requests are left out. */
export function labelOf(on: Target, { for: _pair, next: _count, ...chain }: Chain): string {
  const fault = FAULTS.find((one) => one.on === on && isDeepStrictEqual(one.chain, chain));
  return fault?.label ?? codeOf(on, chain).slice(on.length + 1);
}

/** `503` or `503:2`, as the options of the command: from the start, all requests or the next 2. */
export function chainOfStatus(text: string): Chain | undefined {
  const [, status, count] = /^([2-5]\d{2})(?::(\d{1,6}))?$/.exec(text) ?? [];
  if (status === undefined || Number(count) === 0) return undefined;
  return { ...(count !== undefined && { next: Number(count) }), status: Number(status) };
}
