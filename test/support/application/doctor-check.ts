import type { Check, Finding } from '../../../lib/cli/report.js';
import type { Output } from '../../../lib/cli/terminal.js';
import { profileOf } from '../token/token-fixtures.js';

/** Settings as validation makes them of options without `token` and `http`. Validation itself would be slow. */
export const SETTINGS: Check['settings'] = {
  token: {
    timeoutMs: 5_000,
    maxAttempts: 3,
    expiryLeewayMs: 30_000,
    renewAheadMs: 0,
    atBoot: 'no',
    maxAccounts: 1_000,
  },
  http: {
    timeoutMs: 30_000,
    retryUnauthorized: true,
    maxRedirects: 0,
    httpsAgent: undefined,
    proxy: undefined,
    headers: undefined,
    transport: undefined,
  },
};

/** The check of one pair that has no results of earlier steps. */
export function checkOf(overrides: Partial<Check> = {}): Check {
  return {
    profile: profileOf(),
    settings: SETTINGS,
    baseUrls: [],
    probe: undefined,
    ...overrides,
  };
}

/** What each step finds if nothing else is given. */
export const FINE: Finding = { status: 'ok', detail: 'fine' };

/** The variables of both environments of originations, which have one token URL. */
export const ORIGINATIONS = {
  PROVIDER_ENVIRONMENT: 'sandbox',
  PROVIDER_ORIGINATIONS_TOKEN_URL: 'https://provider.example/oauth/token',
  PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL: 'https://sandbox.provider.example/v1',
  PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_ID: 'one',
  PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_SECRET: 'canary-one',
  PROVIDER_ORIGINATIONS_PRODUCTION_BASE_URL: 'https://provider.example/v1',
  PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID: 'two',
  PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_SECRET: 'canary-two',
};

/** The text of an unsigned JWT with this payload. */
export function jwtOf(content: unknown): string {
  return `e30.${Buffer.from(JSON.stringify(content)).toString('base64url')}.c2ln`;
}

/** Keeps what is written to it, as a pipe or as a terminal. */
export class WrittenText implements Output {
  text = '';

  constructor(
    readonly isTTY?: boolean,
    readonly columns?: number,
  ) {}

  write(more: string): boolean {
    this.text += more;
    return true;
  }

  get lines(): readonly string[] {
    return this.text.split('\n');
  }
}
