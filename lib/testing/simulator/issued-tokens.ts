import { randomBytes, randomUUID } from 'node:crypto';
import type { AnyPair } from '../../catalogue/catalogue.js';
import type {
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../../catalogue/provider-catalogue.js';
import { fingerprintOf } from '../../secrets/access-token.js';
import { signingInput } from '../../secrets/signing-key.js';

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
  isRevoked: boolean;
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

/** More than any test has at once. Without a limit, a command that runs for weeks would need more and more memory. */
const MOST_TOKENS = 50_000;

/** Issues tokens and knows which tokens are valid. `find` is one look-up, because load tests call it thousands of times a second. */
export class IssuedTokens {
  /** The oldest first. */
  readonly #tokens = new Map<string, IssuedToken>();
  readonly #last = new Map<string, IssuedToken>();

  constructor(private readonly now: () => number) {}

  issue(pair: AnyPair, claims: Pick<SimulatorTokenClaims, 'iss' | 'aud' | 'sub'>, issue: Issue): IssuedToken {
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
    // The form of RFC 9068. Only this simulator reads the token, so random bytes do for the signature.
    const signature = randomBytes(64).toString('base64url');
    const value = `${prefix}${signingInput({ alg: 'ES256', typ: 'at+jwt' }, full)}.${signature}`;
    const lifetimeMs = seconds * 1000;
    const expiresAt = now + lifetimeMs;
    const token = { value, claims: full, isRevoked: false, expiresAt, expiresIn, lifetimeMs };
    this.#tokens.set(value, token);
    if (this.#tokens.size > MOST_TOKENS) this.#tokens.delete(this.#tokens.keys().next().value ?? '');
    if (!isAside) this.#last.set(keyOf(pair), token);
    return token;
  }

  /** The token, unless it was revoked, has expired or was not issued here. */
  find(value: string): IssuedToken | undefined {
    const token = this.#tokens.get(value);
    return token && this.#stateOf(token) === 'valid' ? token : undefined;
  }

  /** Returns whether the token was valid. */
  revoke(value: string): boolean {
    const token = this.find(value);
    if (token) token.isRevoked = true;
    return token !== undefined;
  }

  /** The state of a token, and the client that got it. Undefined if the token is unknown or forgotten. */
  factsOf(value: string): { readonly state: NewestToken['state']; readonly clientId: string } | undefined {
    const token = this.#tokens.get(value);
    return token && { state: this.#stateOf(token), clientId: token.claims.sub };
  }

  newestOf(pair: AnyPair): NewestToken | undefined {
    const token = this.#last.get(keyOf(pair));
    if (token === undefined) return undefined;
    const { value, expiresAt, lifetimeMs } = token;
    return { state: this.#stateOf(token), fingerprint: fingerprintOf(value), expiresAt, lifetimeMs };
  }

  revokeAll(scope: { readonly interface?: string; readonly environment?: string }): number {
    let count = 0;
    for (const { value, claims } of this.#tokens.values()) {
      if (scope.interface !== undefined && scope.interface !== claims.interface) continue;
      if (scope.environment !== undefined && scope.environment !== claims.environment) continue;
      if (this.revoke(value)) count += 1;
    }
    return count;
  }

  #stateOf({ isRevoked, expiresAt }: IssuedToken): NewestToken['state'] {
    if (isRevoked) return 'revoked';
    return expiresAt > this.now() ? 'valid' : 'expired';
  }
}

function keyOf(pair: AnyPair): string {
  return `${pair.interface} ${pair.environment} ${pair.account ?? ''}`;
}
