import { createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { AnyPair } from '../../catalogue/catalogue.js';
import type {
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../../catalogue/provider-catalogue.js';
import { fingerprintOf } from '../../secrets/access-token.js';
import { ClientCredential } from '../../secrets/client-credential.js';
import { signingInput, signWith } from '../../secrets/signing-key.js';

/** The public key that verifies the tokens, as a JSON Web Key (RFC 7517). */
export type SimulatorPublicKey = Record<'kty' | 'crv' | 'x' | 'y' | 'kid' | 'alg' | 'use', string>;

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

interface IssuedToken {
  readonly value: string;
  readonly claims: SimulatorTokenClaims;
  /** Milliseconds by the simulator's clock. */
  readonly expiresAt: number;
  /** The `expires_in` of the answer. */
  readonly expiresIn: number;
  readonly lifetimeMs: number;
}

/** What a script can choose about a token. */
export interface IssueOptions {
  /** How many seconds the token lives. @default the simulator's `lifetimeSeconds` */
  readonly seconds?: number;
  /** The answer's `expires_in`. @default the real lifetime */
  readonly expiresIn?: number;
  /** Whether to return the pair's last token again. @default false */
  readonly again?: boolean;
}

interface Issue extends IssueOptions {
  readonly seconds: number;
  /** Before the signed text. */
  readonly prefix: string;
  /** Whether the pair's last token stays the last one. */
  readonly isAside: boolean;
}

/** The newest token of a pair, without the token itself. */
export interface NewestToken {
  readonly state: 'valid' | 'expired' | 'revoked';
  readonly fingerprint: string;
  /** Milliseconds by the simulator's clock. */
  readonly expiresAt: number;
  readonly lifetimeMs: number;
}

/** How many ended tokens are remembered before the oldest are forgotten. At each multiple of it, unused expired tokens end. */
const REMEMBERED = 1000;

const ALGORITHM = 'ES256';

/** Signs tokens and knows which tokens are valid. `find` is one look-up, because load tests call it thousands of times a second. */
export class IssuedTokens {
  readonly #key = newSigningKey();
  readonly #keyId = randomUUID();
  readonly #live = new Map<string, IssuedToken>();
  readonly #last = new Map<string, IssuedToken>();
  /** Why the tokens that are no longer valid have ended, and whose they were. */
  readonly #ended = new Map<string, { readonly why: 'expired' | 'revoked'; readonly clientId: string }>();

  constructor(private readonly now: () => number) {}

  issue(pair: AnyPair, claims: Pick<SimulatorTokenClaims, 'iss' | 'aud' | 'sub'>, issue: Issue): IssuedToken {
    const last = issue.again ? this.#last.get(keyOf(pair)) : undefined;
    if (last) return last;
    const { seconds, expiresIn = seconds, prefix, isAside } = issue;
    const now = this.now();
    const full: SimulatorTokenClaims = {
      ...claims,
      // The types name the pairs of the built-in provider.
      interface: pair.interface as ProviderInterface,
      environment: pair.environment as ProviderEnvironment,
      iat: Math.floor(now / 1000),
      exp: Math.ceil(now / 1000 + seconds),
      jti: randomUUID(),
    };
    // The form of RFC 9068.
    const header = { alg: ALGORITHM, typ: 'at+jwt', kid: this.#keyId };
    const value = prefix + signWith(this.#key, signingInput(header, full));
    const lifetimeMs = seconds * 1000;
    const token = { value, claims: full, expiresAt: now + lifetimeMs, expiresIn, lifetimeMs };
    // Not for each token: a load test may have many valid ones.
    if (this.#live.size % REMEMBERED === 0) for (const { value: old } of this.#live.values()) this.find(old);
    this.#live.set(value, token);
    if (!isAside) this.#last.set(keyOf(pair), token);
    return token;
  }

  /** The token, unless it was revoked, has expired or was not issued here. */
  find(value: string): IssuedToken | undefined {
    const token = this.#live.get(value);
    if (!token || token.expiresAt > this.now()) return token;
    this.#end(value, 'expired');
    return undefined;
  }

  /** Returns whether the token was valid. */
  revoke(value: string): boolean {
    const isValid = this.find(value) !== undefined;
    if (isValid) this.#end(value, 'revoked');
    return isValid;
  }

  /** Why a token is no longer valid. Undefined if it is valid, unknown or forgotten. */
  endOf(value: string): 'expired' | 'revoked' | undefined {
    return this.#ended.get(value)?.why;
  }

  /** The client that got this token, valid or not. Undefined if the token is unknown or forgotten. */
  clientOf(value: string): string | undefined {
    return this.#live.get(value)?.claims.sub ?? this.#ended.get(value)?.clientId;
  }

  newestOf(pair: AnyPair): NewestToken | undefined {
    const token = this.#last.get(keyOf(pair));
    if (token === undefined) return undefined;
    const { value, expiresAt, lifetimeMs } = token;
    const isValid = this.find(value) !== undefined;
    const state = isValid ? 'valid' : (this.endOf(value) ?? 'expired');
    return { state, fingerprint: fingerprintOf(value), expiresAt, lifetimeMs };
  }

  revokeAll(scope: { readonly interface?: string; readonly environment?: string }): number {
    let count = 0;
    for (const { value, claims } of this.#live.values()) {
      if (scope.interface !== undefined && scope.interface !== claims.interface) continue;
      if (scope.environment !== undefined && scope.environment !== claims.environment) continue;
      if (this.revoke(value)) count += 1;
    }
    return count;
  }

  jwks(): { keys: SimulatorPublicKey[] } {
    const jwk = createPublicKey(this.#key.reveal()).export({ format: 'jwk' });
    const { kty = '', crv = '', x = '', y = '' } = jwk;
    return { keys: [{ kty, crv, x, y, kid: this.#keyId, alg: ALGORITHM, use: 'sig' }] };
  }

  #end(value: string, why: 'expired' | 'revoked'): void {
    const clientId = this.#live.get(value)?.claims.sub;
    this.#live.delete(value);
    if (clientId !== undefined) this.#ended.set(value, { why, clientId });
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > REMEMBERED && oldest !== undefined) this.#ended.delete(oldest);
  }
}

function newSigningKey(): ClientCredential {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new ClientCredential(pemOf(privateKey), { algorithm: ALGORITHM });
}

export function pemOf(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}

function keyOf(pair: AnyPair): string {
  return `${pair.interface} ${pair.environment} ${pair.account ?? ''}`;
}
