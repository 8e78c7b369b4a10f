import type { ApiScripts, ProviderSimulator, TokenScripts } from '../../../lib/testing/index.js';
import { drip, flood, switchProtocols } from '../../support/http/endless-answers.js';
import { seededRandom } from '../../support/token/outage-trial.js';

/** A fault of the API. The path of a request names its fault, so each request meets the fault that was drawn for it. */
export interface ApiFault {
  readonly weight: number;
  /** What the caller may see if nothing else goes wrong: a status, the code of an error, or `ok` for the right response. */
  readonly allows: readonly string[];
  readonly script?: (api: ApiScripts) => void;
  /** The timeout of the call. For responses that never end: the call must give up by itself. */
  readonly timeoutMs?: number;
}

/** No call takes longer than this. */
export const CALL_TIMEOUT_MS = 15_000;
/** The application on undici renews its tokens so long ahead. */
export const AHEAD_MS = 500;
export const TOKEN_TIMEOUT_MS = 5_000;
/** More than any regular response of the simulator, and less than a flood. */
export const LARGEST_ANSWER = 64 * 1024;

const NEVER_ENDS = { weight: 1, allows: ['ECONNABORTED'], timeoutMs: 500 } as const;
const CUT_OFF = { weight: 2, allows: ['ECONNRESET'] } as const;
const CUT_OFF_LATE = { weight: 2, allows: ['ECONNRESET', 'ERR_BAD_RESPONSE'] } as const;

export const API_FAULTS: Readonly<Record<string, ApiFault>> = {
  none: { weight: 55, allows: ['ok'] },
  late: { weight: 5, allows: ['ok'], script: (api) => api.delay(40) },
  'status-404': { weight: 1, allows: ['404'], script: (api) => api.status(404) },
  'status-500': { weight: 2, allows: ['500'], script: (api) => api.answer({ status: 500, body: {} }) },
  'retry-after': { weight: 2, allows: ['429'], script: (api) => api.retryAfter(1, 429) },
  'not-json': { weight: 1, allows: ['not-the-echo'], script: (api) => api.body('{"unfinished":') },
  redirect: { weight: 1, allows: ['302'], script: (api) => api.redirect('https://127.0.0.1:1/') },
  reset: { ...CUT_OFF, script: (api) => api.reset() },
  'reset-mid-body': { ...CUT_OFF_LATE, script: (api) => api.reset('mid-body') },
  'hang-up': { ...CUT_OFF, script: (api) => api.hangUp() },
  'hang-up-mid-body': { ...CUT_OFF_LATE, script: (api) => api.hangUp('mid-body') },
  hang: { ...NEVER_ENDS, script: (api) => api.hang() },
  'drip-body': { ...NEVER_ENDS, script: (api) => api.handler(drip('body')) },
  'drip-headers': { ...NEVER_ENDS, script: (api) => api.handler(drip('headers')) },
  'drip-interim': { ...NEVER_ENDS, script: (api) => api.handler(drip('interim')) },
  'switch-protocols': { ...CUT_OFF, script: (api) => api.handler(switchProtocols) },
  flood: { weight: 1, allows: ['ERR_BAD_RESPONSE'], script: (api) => api.handler(flood()) },
  garbage: { weight: 1, allows: ['HPE_INVALID_CONSTANT'], script: (api) => api.garbage() },
  reflects: { weight: 2, allows: ['500'], script: reflect },
  refused: { weight: 1, allows: [], script: (api) => api.unauthorized() },
  'refused-early': { weight: 1, allows: [], script: (api) => api.early().unauthorized() },
  // The call gets another token and is sent once more.
  'refused-once': { weight: 6, allows: ['ok'], script: refuseOnce },
};

/** A server that repeats the token in the reason, in a header and in the body. */
function reflect(api: ApiScripts): void {
  api.handler(({ headers: { authorization = '' } }, response) => {
    response
      .writeHead(500, authorization.slice(0, 1_000), {
        'content-type': 'application/json',
        'x-reflected': authorization,
      })
      .end(JSON.stringify({ authorization }));
  });
}

const refused = new Set<string>();

function refuseOnce(api: ApiScripts): void {
  api.handler(async (_request, response, exchange) => {
    if (refused.delete(exchange.path)) return exchange.sendRegular();
    refused.add(exchange.path);
    response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
  });
}

/** A fault of the provider. It is active for a while and affects one client. */
export interface ProviderFault {
  readonly weight: number;
  readonly token?: (token: TokenScripts) => void;
  readonly api?: (api: ApiScripts) => void;
  /** What happens once, when the fault begins. */
  readonly begin?: (provider: ProviderSimulator, token: TokenScripts) => void;
  /** The error code that calls may get. Absent if tokens are still available. */
  readonly code?: string;
  /** Whether a token request that meets this fault ends only by its own timeout. */
  readonly lasts?: true;
  /** The `expires_in` of tokens, if it differs from the usual one. */
  readonly expiresInMs?: number;
  /** Whether the secret changes. The application learns the new one at once. */
  readonly rotates?: true;
}

const UNAVAILABLE = { code: 'TOKEN_UNAVAILABLE' } as const;
const SILENT = { ...UNAVAILABLE, lasts: true } as const;
const INVALID = { code: 'TOKEN_RESPONSE_INVALID' } as const;
const REJECTED = { code: 'TOKEN_REJECTED' } as const;

export const PROVIDER_FAULTS: Readonly<Record<string, ProviderFault>> = {
  'status-500': { weight: 2, ...UNAVAILABLE, token: (token) => token.status(500) },
  'status-503': { weight: 3, ...UNAVAILABLE, token: (token) => token.status(503) },
  'retry-after': { weight: 2, ...UNAVAILABLE, token: (token) => token.retryAfter(3) },
  'retry-after-nonsense': { weight: 1, ...UNAVAILABLE, token: (token) => token.retryAfter('soon', 429) },
  reset: { weight: 2, ...UNAVAILABLE, token: (token) => token.reset() },
  'reset-mid-body': { weight: 1, ...UNAVAILABLE, token: (token) => token.reset('mid-body') },
  'hang-up': { weight: 2, ...UNAVAILABLE, token: (token) => token.hangUp() },
  'hang-up-mid-body': { weight: 1, ...UNAVAILABLE, token: (token) => token.hangUp('mid-body') },
  garbage: { weight: 1, ...UNAVAILABLE, token: (token) => token.garbage() },
  hang: { weight: 2, ...SILENT, token: (token) => token.hang() },
  'drip-body': { weight: 1, ...SILENT, token: (token) => token.handler(drip('body')) },
  'drip-headers': { weight: 1, ...SILENT, token: (token) => token.handler(drip('headers')) },
  'drip-interim': { weight: 1, ...SILENT, token: (token) => token.handler(drip('interim')) },
  'switch-protocols': { weight: 1, ...UNAVAILABLE, token: (token) => token.handler(switchProtocols) },
  flood: { weight: 1, ...INVALID, token: (token) => token.handler(flood()) },
  redirect: { weight: 1, ...INVALID, token: (token) => token.redirect('https://127.0.0.1:1/', 307) },
  html: { weight: 1, ...INVALID, token: (token) => token.body('<!doctype html><title>Sign in</title>') },
  'no-token': { weight: 1, ...INVALID, token: (token) => token.members({ access_token: undefined }) },
  'invalid-client': { weight: 2, ...REJECTED, token: (token) => token.refuse() },
  // With all faults below, tokens are available, and no call may fail.
  late: { weight: 3, token: (token) => token.delay(250) },
  brief: { weight: 3, expiresInMs: 400, token: (token) => token.lifetime(0.4) },
  'shorter-than-expires-in': {
    weight: 3,
    expiresInMs: 60_000,
    token: (token) => token.lifetime(1.5, { expiresIn: 60 }),
  },
  'revoke-all': { weight: 4, begin: (_, token) => token.revokeAll() },
  'rotate-secret': { weight: 4, rotates: true },
  // The API refuses good tokens. A renewal does not help, so renewals are paused.
  'api-refuses': { weight: 3, api: (api) => api.unauthorized() },
};

/** Random numbers from a seed. The same seed gives the same numbers on each machine. */
export class SeededRandom {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seededRandom(seed);
  }

  between(least: number, most: number): number {
    return least + (most - least) * this.next();
  }

  one<T>(values: readonly T[]): T {
    return values[Math.floor(this.next() * values.length)]!;
  }

  /** The name of one of these, drawn by weight. */
  weighted(values: Readonly<Record<string, { readonly weight: number }>>): string {
    const all = Object.entries(values);
    let left = this.next() * all.reduce((sum, [, { weight }]) => sum + weight, 0);
    return all.find(([, { weight }]) => (left -= weight) < 0)![0];
  }
}
