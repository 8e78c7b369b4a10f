import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { inspect } from 'node:util';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import { fingerprintOf } from '../../secrets/access-token.js';
import type { Destination } from './addresses.js';
import type { RefusalTerms } from './answer.js';
import type { SimulatorTokenClaims } from './issued-tokens.js';

/** What is known about a request that has arrived. */
type Arrived = Destination & Pick<ReceivedRequest<string, string>, 'account' | 'at' | 'body'>;

/** What the simulator finds out about a request. */
interface Findings {
  readonly kind: Destination['kind'];
  /** How the API of the address refuses a token. */
  readonly terms: RefusalTerms | undefined;
  /** Why the answer has its status. It contains no credential and no token. */
  reason: string;
  /** The token of an API request, valid or not, or the token that was issued for a token request. */
  token?: string | undefined;
  /** The claims in the token of an API request, even if the token is refused. */
  readonly claims?: SimulatorTokenClaims<string, string> | undefined;
  /** Whether the token of an API request is valid for the address. */
  readonly isAccepted?: boolean;
  fault?: number;
  isComplete?: boolean;
  durationMs?: number;
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
  readonly #hidden: Pick<IncomingMessage, 'headers'> & { readonly body: Buffer; readonly findings: Findings };

  /** @internal */
  constructor(
    { method = '', headers }: IncomingMessage,
    { kind, entry: terms, body, ...arrived }: Arrived,
    found: Omit<Findings, 'kind' | 'terms'>,
  ) {
    this.interface = arrived.interface as Interface | undefined;
    this.environment = arrived.environment as Environment | undefined;
    this.account = arrived.account;
    this.at = arrived.at;
    this.method = method;
    this.path = arrived.path;
    this.#hidden = { headers, body, findings: { kind, terms, ...found } };
  }

  /** Names in lower case. */
  get headers(): IncomingHttpHeaders {
    return this.#hidden.headers;
  }

  /** The bytes, exactly as they arrived. */
  get body(): Buffer {
    return this.#hidden.body;
  }

  /** @internal */
  get findings(): Findings {
    return this.#hidden.findings;
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
  get claims(): SimulatorTokenClaims<Interface, Environment> | undefined {
    const { claims, isAccepted } = this.findings;
    return isAccepted ? (claims as SimulatorTokenClaims<Interface, Environment>) : undefined;
  }

  /** The bearer token's fingerprint, valid or not, as in `AccessToken.fingerprint`. */
  get tokenFingerprint(): string | undefined {
    const { token } = this.findings;
    return token === undefined ? undefined : fingerprintOf(token);
  }

  /** What was received, without the claims, which contain the client id. */
  override toJSON(): object {
    return { ...super.toJSON(), tokenFingerprint: this.tokenFingerprint };
  }
}
