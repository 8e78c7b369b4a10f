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

/** A token, valid or not. */
export class IssuedToken {
  readonly value: string;
  /** The `expires_in` of the answer. */
  readonly expiresIn: number;
  isRevoked = false;
  readonly #lifetimeMs: number;
  /** Milliseconds by the simulator's clock. */
  readonly #expiresAt: number;

  constructor(
    readonly claims: SimulatorTokenClaims,
    { seconds, expiresIn = seconds, prefix }: Issue,
    private readonly now: () => number,
  ) {
    // The form of RFC 9068. Only this simulator reads the token, so random bytes do for the signature.
    const signature = randomBytes(64).toString('base64url');
    this.value = `${prefix}${signingInput({ alg: 'ES256', typ: 'at+jwt' }, claims)}.${signature}`;
    this.expiresIn = expiresIn;
    this.#lifetimeMs = seconds * 1000;
    this.#expiresAt = now() + this.#lifetimeMs;
  }

  get state(): 'valid' | 'expired' | 'revoked' {
    if (this.isRevoked) return 'revoked';
    return this.#expiresAt > this.now() ? 'valid' : 'expired';
  }

  /** What a page shows of it. */
  get shown() {
    const [expiresAt, lifetimeMs] = [this.#expiresAt, this.#lifetimeMs];
    return { state: this.state, fingerprint: fingerprintOf(this.value), expiresAt, lifetimeMs };
  }
}

/** The newest token of a pair, without the token itself. */
export type NewestToken = IssuedToken['shown'];

/** More than any test has at once. Without a limit, a command that runs for weeks would need more and more memory. */
const MOST_TOKENS = 50_000;

/** All tokens that were issued. `find` is one look-up, because load tests call it thousands of times a second. */
export class IssuedTokens {
  /** The oldest first. */
  readonly #tokens = new Map<string, IssuedToken>();
  readonly #last = new Map<string, IssuedToken>();

  constructor(private readonly now: () => number) {}

  issue(pair: AnyPair, claims: Pick<SimulatorTokenClaims, 'iss' | 'aud' | 'sub'>, issue: Issue): IssuedToken {
    const now = this.now();
    const full: SimulatorTokenClaims = {
      ...claims,
      // The types name the pairs of the built-in provider.
      interface: pair.interface as ProviderInterface,
      environment: pair.environment as ProviderEnvironment,
      iat: Math.floor(now / 1000),
      exp: Math.ceil(now / 1000 + issue.seconds),
      jti: randomUUID(),
    };
    const token = new IssuedToken(full, issue, this.now);
    this.#tokens.set(token.value, token);
    if (this.#tokens.size > MOST_TOKENS) this.#tokens.delete(this.#tokens.keys().next().value ?? '');
    if (!issue.isAside) this.#last.set(keyOf(pair), token);
    return token;
  }

  /** Undefined if the token was not issued here. */
  find(value: string): IssuedToken | undefined {
    return this.#tokens.get(value);
  }

  newestOf(pair: AnyPair): NewestToken | undefined {
    return this.#last.get(keyOf(pair))?.shown;
  }

  /** Returns whether the token was valid. */
  revoke(value: string): boolean {
    const token = this.find(value);
    const wasValid = token?.state === 'valid';
    if (wasValid) token.isRevoked = true;
    return wasValid;
  }

  revokeAll(scope: { readonly interface?: string; readonly environment?: string }): number {
    const wanted = [...this.#tokens.values()].filter(
      ({ claims }) =>
        (scope.interface ?? claims.interface) === claims.interface &&
        (scope.environment ?? claims.environment) === claims.environment,
    );
    return wanted.filter(({ value }) => this.revoke(value)).length;
  }
}

function keyOf(pair: AnyPair): string {
  return `${pair.interface} ${pair.environment} ${pair.account ?? ''}`;
}
