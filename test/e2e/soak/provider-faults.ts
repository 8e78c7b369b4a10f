import type { ApiScripts, Held, TokenScripts } from '../../../lib/testing/index.js';

/** A fault of the provider. It is active for a while and affects one client under test. */
export interface ProviderFault {
  readonly name: string;
  readonly weight: number;
  readonly token?: (token: TokenScripts, client: FaultTarget) => void;
  readonly api?: (api: ApiScripts) => void;
  /** What happens once, when the fault begins. */
  readonly begin?: (client: FaultTarget) => void;
  /** The error code that calls may get. Absent if tokens are still available. */
  readonly code?: 'TOKEN_UNAVAILABLE' | 'TOKEN_REJECTED' | 'TOKEN_RESPONSE_INVALID';
  /** Whether a token request that meets this fault ends only by its own timeout. */
  readonly lasts?: boolean;
  /** The pause that the provider asks for with `Retry-After` (B6). */
  readonly retryAfterMs?: number;
  /** The longest time until the response arrives. `leastMs` is the shortest, if that is less. */
  readonly takesMs?: number;
  readonly leastMs?: number;
  /** The `expires_in` of tokens, if it differs from the usual one. */
  readonly expiresInMs?: number;
}

/** What a fault can do to the client that it affects. */
export interface FaultTarget {
  /** Whether the last token will be accepted for some more time. */
  lastTokenLives(): boolean;
  /** Releases the held response when the fault ends. */
  addHeld(held: Held): void;
  revokeLast(): void;
  revokeAll(): void;
  rotateSecret(): void;
}

/** The longest duration of a fault. It is shorter than the timeout of a token request, so a held response arrives in time. */
export const LONGEST_FAULT_MS = 1_300;

const UNAVAILABLE = { code: 'TOKEN_UNAVAILABLE' } as const;
const SILENT = { ...UNAVAILABLE, lasts: true } as const;
const INVALID = { code: 'TOKEN_RESPONSE_INVALID' } as const;
const REJECTED = { code: 'TOKEN_REJECTED' } as const;

export const PROVIDER_FAULTS: readonly ProviderFault[] = [
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
  // With all faults below, tokens are available, and no call may fail.
  { name: 'late', weight: 3, takesMs: 250, token: (token) => token.delay(250) },
  {
    name: 'held',
    weight: 2,
    takesMs: LONGEST_FAULT_MS,
    leastMs: 0,
    token: (token, client) => client.addHeld(token.hold()),
  },
  { name: 'brief', weight: 3, expiresInMs: 400, token: (token) => token.lifetime(0.4) },
  {
    name: 'shorter-than-expires-in',
    weight: 3,
    expiresInMs: 60_000,
    token: (token) => token.lifetime(1.5, { expiresIn: 60 }),
  },
  {
    name: 'same-token',
    weight: 2,
    // Only if the last token is still valid. With a revoked token, renewals would be paused (B3).
    token: (token, client) =>
      token.handler(async (_request, _response, exchange) =>
        exchange.send(await exchange.regular({ again: client.lastTokenLives() })),
      ),
  },
  { name: 'revoke-all', weight: 4, begin: (client) => client.revokeAll() },
  { name: 'revoke-last', weight: 4, begin: (client) => client.revokeLast() },
  { name: 'rotate-secret', weight: 4, begin: (client) => client.rotateSecret() },
  // The API refuses good tokens. A renewal does not help, so renewals are paused (B3).
  { name: 'api-refuses', weight: 3, api: (api) => api.unauthorized() },
];
