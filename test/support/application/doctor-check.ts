import type { Check, Finding } from '../../../lib/cli/report.js';
import type { Output } from '../../../lib/cli/terminal.js';
import { HttpOptions } from '../../../lib/config/options/provider-auth-options.js';
import { readOptions } from '../../../lib/config/setting.js';
import { profileOf, TOKEN_SETTINGS } from '../token/token-fixtures.js';

/** The settings of an application that sets no option of `token` and `http`. */
export const SETTINGS: Check['settings'] = {
  token: TOKEN_SETTINGS,
  http: readOptions(HttpOptions, {}, 'http'),
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

  /** With each style in angle brackets, by its number: `<31 red>`. */
  get marked(): string {
    // oxlint-disable-next-line no-control-regex
    return this.text.replaceAll(/\u001b\[(\d+)m(.*?)\u001b\[0m/g, '<$1 $2>');
  }

  get lines(): readonly string[] {
    return this.text.split('\n');
  }
}
