import type { Profile, Settings, TokenSettings } from '../../../lib/config/options/profile.js';
import { TokenOptions } from '../../../lib/config/options/provider-auth-options.js';
import type { TokenStore } from '../../../lib/config/options/token-store.js';
import { readOptions } from '../../../lib/config/setting.js';
import { type TokenFailure, TokenRequestError } from '../../../lib/errors/token-request.error.js';
import type { SettingNames } from '../../../lib/errors/setting-names.js';
import { AccessToken } from '../../../lib/secrets/access-token.js';
import { Secret } from '../../../lib/secrets/secret.js';
import type { SecretSource } from '../../../lib/secrets/secret-source.js';
import type { Random } from '../../../lib/time/backoff.js';
import { type Clock, Deadline } from '../../../lib/time/clock.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import type { TokenRequests } from '../../../lib/token/endpoint/token-endpoint.js';
import type { TokenOrigins } from '../../../lib/token/token-origins.js';
import type { Tokens } from '../../../lib/token/tokens.js';
import type { TokenNeed } from '../../../lib/token/token-need.js';

export const HOUR = 60 * 60 * 1000;
export const MINUTE = 60 * 1000;
export const DAY = 24 * HOUR;

/** Values that must appear in no output. Each contains characters that need encoding. */
export const CANARY = {
  clientId: 'canary-client-4711 ü',
  secret: 'cAnArY-s3cr3t&=+% ü/"\\-0815',
  token: 'cAnArY.t0k3n-~_+/4242==',
} as const;

/** A secret source that a test steers. */
export class SteeredSecret implements SecretSource {
  /** How often it was read. */
  reads = 0;
  #answer: () => Promise<Secret>;

  constructor(value: string = CANARY.secret) {
    this.#answer = () => Promise.resolve(new Secret(value));
  }

  read(): Promise<Secret> {
    this.reads += 1;
    return this.#answer();
  }

  gives(value: string): void {
    this.#answer = () => Promise.resolve(new Secret(value));
  }

  rejects(reason: unknown): void {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    this.#answer = () => Promise.reject(reason);
  }

  throws(reason: unknown): void {
    this.#answer = () => {
      throw reason;
    };
  }

  hangs(): void {
    this.#answer = () => new Promise(() => {});
  }

  /** Does not answer until the returned function is called. */
  waits(): (value: string) => void {
    let answer: (secret: Secret) => void;
    const reading = new Promise<Secret>((resolve) => {
      answer = resolve;
    });
    this.#answer = () => reading;
    return (value) => answer(new Secret(value));
  }
}

/** The names of the settings of a profile that was configured in code. */
export const NAMES: SettingNames = {
  tokenUrl: 'interfaces.easy.sandbox.tokenUrl',
  baseUrl: 'interfaces.easy.sandbox.baseUrl',
  clientId: 'interfaces.easy.sandbox.clientId',
  clientSecret: 'interfaces.easy.sandbox.clientSecret',
  ca: 'interfaces.easy.sandbox.tls.ca',
  cert: 'interfaces.easy.sandbox.tls.cert',
  key: 'interfaces.easy.sandbox.tls.key',
};

/** A profile as validation would have made it. */
export function profileOf(overrides: Partial<Profile> = {}): Profile {
  return {
    interface: 'easy',
    environment: 'sandbox',
    active: true,
    names: NAMES,
    tokenUrl: 'https://127.0.0.1:9/auth/v0/connect/token',
    baseUrl: 'https://127.0.0.1:9/v1',
    clientId: new Secret(CANARY.clientId),
    clientSecret: new SteeredSecret(),
    ...overrides,
  };
}

/** The settings of an application that sets no option of `token`. */
export const TOKEN_SETTINGS: TokenSettings = readOptions(TokenOptions, {}, 'token');

/** A whole token provider whose token endpoint the test plays. 0.5 is no jitter. */
export function tokensOf(
  clock: Clock,
  request: TokenRequests['request'],
  {
    profile,
    token,
    random = () => 0.5,
    ...settings
  }: {
    profile?: Partial<Profile>;
    token?: Partial<TokenSettings>;
    random?: Random;
    store?: TokenStore | undefined;
    accounts?: Settings['accounts'];
    origins?: TokenOrigins;
  } = {},
): Tokens {
  const options = { ...TOKEN_SETTINGS, ...token };
  const http = { httpsAgent: undefined, proxy: undefined };
  return createTokenProvider(
    profileOf(profile),
    { token: options, http, ...settings },
    clock,
    random,
    () => ({
      request,
    }),
  );
}

/** A token whose life begins now. */
export function tokenOf(
  clock: Clock,
  value: string,
  lifetimeMs = HOUR,
  origin: 'endpoint' | 'store' = 'endpoint',
): AccessToken {
  return new AccessToken(value, { deadline: Deadline.after(clock, lifetimeMs), lifetimeMs, origin });
}

const FAILURES = {
  TOKEN_UNAVAILABLE: { transient: true, status: 503 },
  TOKEN_REJECTED: { transient: false, status: 401, oauthError: 'invalid_client' },
  TOKEN_RESPONSE_INVALID: { transient: false, status: 200 },
  ACCOUNT_UNKNOWN: { transient: false, local: true, unsent: 'secret' },
} as const;

/** An error as the token endpoint would raise it. */
export function failureOf(
  code: TokenFailure['code'] = 'TOKEN_UNAVAILABLE',
  overrides: Partial<TokenFailure> = {},
): TokenRequestError {
  return new TokenRequestError(
    { interface: 'easy', environment: 'sandbox' },
    { code, reason: 'it failed.', remedy: 'Fix it.', ...FAILURES[code], ...overrides },
  );
}

/** A request for a token. The test decides when to answer. */
export interface AskedToken {
  readonly need: TokenNeed;
  give(token: AccessToken): void;
  fail(error: unknown): void;
}

/** A source that records what it is asked for and lets the test answer. */
export class SteeredSource {
  readonly asked: AskedToken[] = [];

  obtain(need: TokenNeed): Promise<AccessToken> {
    return new Promise((give, fail) => {
      this.asked.push({ need, give, fail });
    });
  }

  get last(): AskedToken {
    const last = this.asked.at(-1);
    if (last === undefined) throw new Error('This source has not been asked for a token yet.');
    return last;
  }
}

/** Shows the state of a promise without waiting for it. */
export class Watched<Result> {
  state: 'waiting' | 'given' | 'failed' = 'waiting';
  result: Result | undefined;
  error: unknown;

  constructor(promise: Promise<Result>) {
    void this.#watch(promise);
  }

  async #watch(promise: Promise<Result>): Promise<void> {
    try {
      this.result = await promise;
      this.state = 'given';
    } catch (error) {
      this.error = error;
      this.state = 'failed';
    }
  }
}

/** The error that a promise rejects with; a promise that resolves fails the test. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  let result: unknown;
  try {
    result = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`Expected a rejection, but it resolved with ${String(result)}.`);
}
