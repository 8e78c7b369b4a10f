import { randomBytes, randomUUID } from 'node:crypto';
import type { AnyPair } from '../../catalogue/catalogue.js';
import type {
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../../catalogue/provider-catalogue.js';
import { fingerprintOf } from '../../secrets/access-token.js';
import { signingInput } from '../../secrets/signing-key.js';
import { covers } from './addresses.js';

/** The claims of a simulated access token. */
export interface SimulatorTokenClaims<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends ProviderPair<Interface, Environment> {
  /** The origin of the simulator. */
  readonly iss: string;
  /** The base URL that the token is for. */
  readonly aud: string;
  /** The client id. */
  readonly sub: string;
  /** When it was issued: seconds since 1970. */
  readonly iat: number;
  /** When it expires: seconds since 1970. */
  readonly exp: number;
  /** Different for each token. */
  readonly jti: string;
}

/** What a script can choose about a token. */
export interface IssueOptions {
  /** How many seconds the token lives. @default the simulator's `lifetimeSeconds` */
  readonly seconds?: number;
  /** The answer's `expires_in`. @default the real lifetime */
  readonly expiresIn?: number;
}

interface Issue {
  readonly claims: Pick<SimulatorTokenClaims, 'iss' | 'aud' | 'sub'>;
  readonly seconds: number;
  /** Before the signed text. */
  readonly prefix: string;
  /** Whether the pair's last token stays the last one. */
  readonly isAside: boolean;
}

/** A token, valid or not. */
export interface IssuedToken {
  readonly value: string;
  /** The pair or the account that it was issued to. */
  readonly pair: AnyPair;
  readonly claims: SimulatorTokenClaims<string, string>;
  readonly lifetimeMs: number;
  /** Milliseconds by the simulator's clock. */
  readonly expiresAt: number;
  isRevoked: boolean;
}

/** More than any test has at once. Without a limit, a command that runs for weeks would need more and more memory. */
const MOST_TOKENS = 50_000;

/** All tokens that were issued. `find` is one look-up, because load tests call it thousands of times a second. */
export class IssuedTokens {
  /** The oldest first. */
  readonly #tokens = new Map<string, IssuedToken>();
  readonly #newest = new Map<string, IssuedToken>();

  constructor(private readonly now: () => number) {}

  issue(pair: AnyPair, { claims, seconds, prefix, isAside }: Issue): string {
    const now = this.now();
    const lifetimeMs = seconds * 1000;
    const full = {
      ...claims,
      interface: pair.interface,
      environment: pair.environment,
      iat: Math.floor(now / 1000),
      exp: Math.ceil(now / 1000 + seconds),
      jti: randomUUID(),
    };
    // The form of RFC 9068. Only this simulator reads the token, so random bytes do for the signature.
    const signature = randomBytes(64).toString('base64url');
    const value = `${prefix}${signingInput({ alg: 'ES256', typ: 'at+jwt' }, full)}.${signature}`;
    const token = { value, pair, claims: full, lifetimeMs, expiresAt: now + lifetimeMs, isRevoked: false };
    this.#tokens.set(value, token);
    if (this.#tokens.size > MOST_TOKENS) this.#tokens.delete(this.#tokens.keys().next().value ?? '');
    if (!isAside) this.#newest.set(keyOf(pair), token);
    return value;
  }

  /** Undefined if the token was not issued here. */
  find(value: string): IssuedToken | undefined {
    return this.#tokens.get(value);
  }

  stateOf({ isRevoked, expiresAt }: IssuedToken): 'valid' | 'expired' | 'revoked' {
    if (isRevoked) return 'revoked';
    return expiresAt > this.now() ? 'valid' : 'expired';
  }

  /** The newest token of a pair, without the token itself. */
  newestOf(pair: AnyPair) {
    const token = this.#newest.get(keyOf(pair));
    if (token === undefined) return undefined;
    const { value, expiresAt, lifetimeMs } = token;
    return { state: this.stateOf(token), fingerprint: fingerprintOf(value), expiresAt, lifetimeMs };
  }

  /** Returns whether the token was valid. */
  revoke(value: string): boolean {
    const token = this.find(value);
    if (token === undefined || this.stateOf(token) !== 'valid') return false;
    token.isRevoked = true;
    return true;
  }

  revokeAll(scope: Partial<AnyPair>): number {
    const wanted = [...this.#tokens.values()].filter(({ pair }) => covers(scope, pair));
    return wanted.filter(({ value }) => this.revoke(value)).length;
  }
}

function keyOf(pair: AnyPair): string {
  return `${pair.interface} ${pair.environment} ${pair.account ?? ''}`;
}
