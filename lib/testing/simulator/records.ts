import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { inspect } from 'node:util';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import { SCHEME } from '../../catalogue/wire.js';
import { fingerprintOf } from '../../secrets/access-token.js';
import type { SimulatorTokenClaims } from './issued-tokens.js';

interface ReceivedFacts {
  readonly kind: 'token' | 'api';
  readonly interface: string | undefined;
  readonly environment: string | undefined;
  readonly account: string | undefined;
  readonly at: Date;
  readonly path: string;
  readonly body: Buffer;
}

/** What the simulator finds out about a request. */
interface Findings {
  readonly kind: ReceivedFacts['kind'];
  /** Why the answer has its status. It contains no credential and no token. */
  reason: string;
  token?: string;
  /** The pair that the token of an API request was issued to. Another pair's token is refused. */
  tokenOf?: Pick<SimulatorTokenClaims, 'interface' | 'environment'> | undefined;
  fault?: number;
  /** The statuses with which the API refuses a token. */
  refusedWith: readonly number[];
  isComplete: boolean;
  durationMs: number;
}

/**
 * A received request. A test can read the headers and the body, which contain secrets. They are not in the output of
 * `inspect` and JSON, so that they do not get into a log.
 */
export abstract class ReceivedRequest<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> {
  /** The interface of the address. Undefined if the address is not documented and got a 404. */
  readonly interface: Interface | undefined;
  /** The environment of the address. For a token request with a shared token URL, the environment of the client id. */
  readonly environment: Environment | undefined;
  /** The account whose client id or token the request has. Undefined for the client of the pair. */
  readonly account: string | undefined;
  /** When the whole request had arrived, by the simulator's clock. */
  readonly at: Date;
  /** In capitals. */
  readonly method: string;
  /** The path under the base URL, with its query. The whole path for a token request, and for an undocumented address. */
  readonly path: string;
  /** The status of the answer. Undefined as long as there is no HTTP answer. */
  status: number | undefined = undefined;
  readonly #headers: IncomingHttpHeaders;
  readonly #body: Buffer;
  readonly #findings: Findings;

  /** @hidden */
  constructor({ method = '', headers }: IncomingMessage, facts: ReceivedFacts) {
    this.interface = facts.interface as Interface | undefined;
    this.environment = facts.environment as Environment | undefined;
    this.account = facts.account;
    this.at = facts.at;
    this.method = method;
    this.path = facts.path;
    this.#headers = headers;
    this.#body = facts.body;
    this.#findings = { kind: facts.kind, reason: '', refusedWith: [], isComplete: false, durationMs: 0 };
  }

  /** Names in lower case. */
  get headers(): IncomingHttpHeaders {
    return this.#headers;
  }

  /** The bytes, exactly as they arrived. */
  get body(): Buffer {
    return this.#body;
  }

  /** @internal */
  get findings(): Findings {
    return this.#findings;
  }

  /** All members that contain no secret. */
  toJSON(): object {
    return Object.assign({}, this);
  }

  /** As `toJSON()`. */
  [inspect.custom](): object {
    return this.toJSON();
  }
}

/** A request that the token endpoint received. */
export class TokenRequestRecord<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends ReceivedRequest<Interface, Environment> {
  /** The form fields. A repeated field has its last value. */
  get fields(): Readonly<Record<string, string>> {
    return Object.fromEntries(new URLSearchParams(this.body.toString()));
  }

  /** The token that was issued for this request. */
  get token(): string | undefined {
    return this.findings.token;
  }
}

/** A request to an address under a base URL, or to an address that is not documented. */
export class ApiRequestRecord<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends ReceivedRequest<Interface, Environment> {
  /** The claims in the request's token, if the token was valid. */
  readonly claims: SimulatorTokenClaims<Interface, Environment> | undefined;
  readonly #scheme: string | undefined;

  /** @hidden */
  constructor(
    request: IncomingMessage,
    facts: ReceivedFacts,
    claims: SimulatorTokenClaims<Interface, Environment> | undefined,
    scheme?: string,
  ) {
    super(request, facts);
    this.#scheme = scheme;
    this.claims = claims;
  }

  /** The bearer token's fingerprint, valid or not, as in `AccessToken.fingerprint`. */
  get tokenFingerprint(): string | undefined {
    const token = bearerOf(this.headers, this.#scheme);
    return token === undefined ? undefined : fingerprintOf(token);
  }

  /** What was received, without the claims, which contain the client id. */
  override toJSON(): object {
    const { claims: _, ...rest } = this;
    return { ...rest, tokenFingerprint: this.tokenFingerprint };
  }
}

/** The document of the provider allows one form only: `Bearer`, one space, the token (S6). A definition may have another scheme. */
export function bearerOf(
  { authorization }: IncomingHttpHeaders,
  scheme: string = SCHEME,
): string | undefined {
  return authorization?.startsWith(`${scheme} `) ? authorization.slice(scheme.length + 1) : undefined;
}
