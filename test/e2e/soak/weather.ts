import type { ApiScripts, Held, TokenScripts } from '../../../lib/testing/index.js';

/** A fault of the provider that stands for a while over one interface and environment. */
export interface Weather {
  readonly name: string;
  readonly weight: number;
  readonly token?: (token: TokenScripts, lane: LaneOfProvider) => void;
  readonly api?: (api: ApiScripts) => void;
  /** What happens once, when it begins. */
  readonly begin?: (lane: LaneOfProvider) => void;
  /** What calls may be told; nothing where tokens are still to be had. */
  readonly code?: 'TOKEN_UNAVAILABLE' | 'TOKEN_REJECTED' | 'TOKEN_RESPONSE_INVALID';
  /** Whether a request that meets it ends only with its own deadline. */
  readonly lasts?: boolean;
  /** What the provider asks for besides the cool-down (B6). */
  readonly retryAfterMs?: number;
  /** How long the answer is on its way at most, and at least if that is less. */
  readonly takesMs?: number;
  readonly leastMs?: number;
  /** How long tokens are said to live, where that is not as usual. */
  readonly toldMs?: number;
}

/** What weather may ask of the lane that it stands over. */
export interface LaneOfProvider {
  /** Whether its last token will be accepted for some time yet. */
  lastTokenLives(): boolean;
  /** Lets go of it when the weather is over. */
  holds(held: Held): void;
  revokeLast(): void;
  revokeAll(): void;
  rotateSecret(): void;
}

/** The longest that weather stands: shorter than a token request may take, so that a held one is let go in time. */
export const LONGEST_WEATHER_MS = 1_300;

const UNAVAILABLE = { code: 'TOKEN_UNAVAILABLE' } as const;
const SILENT = { ...UNAVAILABLE, lasts: true } as const;
const INVALID = { code: 'TOKEN_RESPONSE_INVALID' } as const;
const REJECTED = { code: 'TOKEN_REJECTED' } as const;

export const WEATHERS: readonly Weather[] = [
  { name: 'status-500', weight: 2, ...UNAVAILABLE, token: (token) => token.status(500) },
  { name: 'status-503', weight: 3, ...UNAVAILABLE, token: (token) => token.status(503) },
  { name: 'status-408', weight: 1, ...UNAVAILABLE, token: (token) => token.status(408) },
  {
    name: 'retry-after-seconds',
    weight: 2,
    ...UNAVAILABLE,
    retryAfterMs: 3_000,
    token: (token) => token.retryAfter(3),
  },
  {
    name: 'retry-after-date',
    weight: 1,
    ...UNAVAILABLE,
    retryAfterMs: 4_000,
    token: (token) =>
      token.handler((_request, _response, exchange) => {
        const date = new Date(Date.now() + 4_000).toUTCString();
        exchange.send({ status: 429, headers: { 'retry-after': date }, body: '' });
      }),
  },
  {
    name: 'retry-after-nonsense',
    weight: 1,
    ...UNAVAILABLE,
    token: (token) => token.retryAfter('soon', 429),
  },
  { name: 'reset', weight: 2, ...UNAVAILABLE, token: (token) => token.reset() },
  { name: 'reset-mid-body', weight: 1, ...UNAVAILABLE, token: (token) => token.reset('mid-body') },
  { name: 'hang-up', weight: 2, ...UNAVAILABLE, token: (token) => token.hangUp() },
  { name: 'hang-up-mid-body', weight: 1, ...UNAVAILABLE, token: (token) => token.hangUp('mid-body') },
  { name: 'garbage', weight: 1, ...UNAVAILABLE, token: (token) => token.garbage() },
  { name: 'hang', weight: 2, ...SILENT, token: (token) => token.hang() },
  { name: 'drip-body', weight: 1, ...SILENT, token: (token) => token.drip('body') },
  { name: 'drip-headers', weight: 1, ...SILENT, token: (token) => token.drip('headers') },
  { name: 'drip-interim', weight: 1, ...SILENT, token: (token) => token.drip('interim') },
  { name: 'switch-protocols', weight: 1, ...SILENT, token: (token) => token.switchProtocols() },
  { name: 'flood', weight: 1, ...INVALID, token: (token) => token.flood() },
  { name: 'redirect', weight: 1, ...INVALID, token: (token) => token.redirect('https://127.0.0.1:1/', 307) },
  { name: 'no-content', weight: 1, ...INVALID, token: (token) => token.status(204) },
  {
    name: 'html',
    weight: 1,
    ...INVALID,
    token: (token) => token.body('<!doctype html><title>Sign in</title>'),
  },
  { name: 'members-life', weight: 1, ...INVALID, token: (token) => token.members({ expires_in: 'soon' }) },
  { name: 'members-type', weight: 1, ...INVALID, token: (token) => token.members({ token_type: 'mac' }) },
  {
    name: 'members-token',
    weight: 1,
    ...INVALID,
    token: (token) => token.members({ access_token: undefined }),
  },
  {
    name: 'members-error',
    weight: 1,
    ...INVALID,
    token: (token) => token.members({ error: 'invalid_client' }),
  },
  { name: 'invalid-client', weight: 2, ...REJECTED, token: (token) => token.refuse() },
  {
    name: 'unauthorized-client',
    weight: 1,
    ...REJECTED,
    token: (token) => token.refuse('unauthorized_client'),
  },
  {
    name: 'teapot',
    weight: 1,
    ...REJECTED,
    token: (token) => token.answer({ status: 418, reason: 'Teapot' }),
  },
  // From here on tokens are to be had, and no call may fail.
  { name: 'late', weight: 3, takesMs: 250, token: (token) => token.delay(250) },
  {
    name: 'held',
    weight: 2,
    takesMs: LONGEST_WEATHER_MS,
    leastMs: 0,
    token: (token, lane) => lane.holds(token.hold()),
  },
  { name: 'brief', weight: 3, toldMs: 400, token: (token) => token.lifetime(0.4) },
  {
    name: 'briefer-than-told',
    weight: 3,
    toldMs: 60_000,
    token: (token) => token.lifetime(1.5, { expiresIn: 60 }),
  },
  {
    name: 'same-token',
    weight: 2,
    // Only one that lives: a provider that hands out dead tokens is refused in vain, and waited for (B3).
    token: (token, lane) =>
      token.handler(async (_request, _response, exchange) =>
        exchange.send(await exchange.regular({ again: lane.lastTokenLives() })),
      ),
  },
  { name: 'revoke-all', weight: 4, begin: (lane) => lane.revokeAll() },
  { name: 'revoke-last', weight: 4, begin: (lane) => lane.revokeLast() },
  { name: 'rotate-secret', weight: 4, begin: (lane) => lane.rotateSecret() },
  // Tokens are good, and refused all the same: renewals are in vain and pause (B3).
  { name: 'api-refuses', weight: 3, api: (api) => api.unauthorized() },
];
