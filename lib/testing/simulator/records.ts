import type { IncomingHttpHeaders } from 'node:http';
import { inspect } from 'node:util';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import { fingerprintOf } from '../../secrets/fingerprint.js';
import type { SimulatorTokenClaims } from './token-mint.js';

interface ReceivedFacts {
  readonly interface: ProviderInterface | undefined;
  readonly environment: ProviderEnvironment | undefined;
  readonly at: Date;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * One received request. Tests need what was received as it was, secrets included; nobody needs it in a log. So headers and
 * body can be read but are not printed: neither by `inspect` nor by JSON.
 */
abstract class ReceivedRequest {
  /** Of the address that was called; without it the address leads nowhere and was answered with 404. */
  readonly interface: ProviderInterface | undefined;
  /** Likewise; of a token request, once the credentials have told. */
  readonly environment: ProviderEnvironment | undefined;
  /** When the request had arrived whole, by the simulator's clock. */
  readonly at: Date;
  /** In capitals. */
  readonly method: string;
  /** The whole path, with its query. */
  readonly path: string;
  /** What was answered; `undefined` while, or if, no HTTP answer was given. */
  status: number | undefined = undefined;
  readonly #headers: IncomingHttpHeaders;
  readonly #body: Buffer;

  /** @hidden */
  constructor(facts: ReceivedFacts) {
    this.interface = facts.interface;
    this.environment = facts.environment;
    this.at = facts.at;
    this.method = facts.method;
    this.path = facts.path;
    this.#headers = facts.headers;
    this.#body = facts.body;
  }

  /** Names in lower case. */
  get headers(): IncomingHttpHeaders {
    return this.#headers;
  }

  /** The very bytes. */
  get body(): Buffer {
    return this.#body;
  }

  /** What may be printed. */
  toJSON(): object {
    return Object.assign({}, this);
  }

  /** The same. */
  [inspect.custom](): object {
    return Object.assign({}, this);
  }
}

/** A request that the token endpoint received. */
export class TokenRequestRecord extends ReceivedRequest {
  #token: string | undefined;

  /** The form fields; of a repeated field the last value. */
  get fields(): Readonly<Record<string, string>> {
    return Object.fromEntries(new URLSearchParams(this.body.toString()));
  }

  /** The token that was issued for it. */
  get token(): string | undefined {
    return this.#token;
  }

  /** @internal */
  issued(token: string): void {
    this.#token = token;
  }
}

/** A request that an address under a base URL received, or one outside every documented address. */
export class ApiRequestRecord extends ReceivedRequest {
  /** The claims of the token that it carried, if that was valid here. */
  readonly claims: SimulatorTokenClaims | undefined;

  /** @hidden */
  constructor(facts: ReceivedFacts, claims: SimulatorTokenClaims | undefined) {
    super(facts);
    this.claims = claims;
  }

  /** Of the bearer token that it carried, valid or not; made like `AccessToken.fingerprint`. */
  get tokenFingerprint(): string | undefined {
    const token = bearerOf(this.headers);
    return token === undefined ? undefined : fingerprintOf(token);
  }

  // The claims hold the client id.
  override toJSON(): object {
    const { claims: _, ...rest } = this;
    return { ...rest, tokenFingerprint: this.tokenFingerprint };
  }

  /** The same. */
  override [inspect.custom](): object {
    return this.toJSON();
  }
}

/** The document gives one form only: `Bearer`, one space, the token (S6). */
export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  return authorization?.startsWith('Bearer ') ? authorization.slice(7) : undefined;
}
