import { withoutPrototype } from '../values/objects.js';
import type { WRITTEN_FIELDS } from './wire.js';

/** How a client proves who it is to a token endpoint. */
export type ClientAuth = 'post' | 'basic' | 'private_key_jwt' | 'client_assertion' | 'tls_client_auth';

/** The option with which a client proves who it is. */
export const CREDENTIAL_OPTIONS = {
  post: 'clientSecret',
  basic: 'clientSecret',
  private_key_jwt: 'clientKey',
  client_assertion: 'clientAssertion',
  tls_client_auth: 'tls',
} as const satisfies Readonly<Record<ClientAuth, string>>;

/** The algorithms that a client assertion can have (RFC 7518). */
export const SIGNING_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** How to make the assertions for `private_key_jwt` (RFC 7523). */
export interface AssertionTerms {
  /** The assertion's `aud`: the token URL, or the `issuer` that you then set for each environment. @default 'tokenUrl' */
  readonly audience?: 'tokenUrl' | 'issuer';
  /** The header's `typ`. @default 'JWT' */
  readonly type?: 'JWT' | 'client-authentication+jwt';
  /** How the header names the key's certificate. If set, the credentials must include `clientCertificate`. @default absent */
  readonly certificate?: 'x5t' | 'x5t#S256' | 'x5c' | undefined;
  /** The signature algorithm, which must fit the key. @default depends on the key: RS256 for RSA, ES256 for P-256, … */
  readonly algorithm?: (typeof SIGNING_ALGORITHMS)[number] | undefined;
  /** How long an assertion is valid: 10 to 600 seconds. @default 300 */
  readonly lifetimeSeconds?: number;
}

export type AssertionEntry = AssertionTerms &
  Required<Pick<AssertionTerms, 'audience' | 'type' | 'lifetimeSeconds'>>;

export type SigningAlgorithm = NonNullable<AssertionTerms['algorithm']>;

/** Fields of a form, without those that the module writes itself. */
type FurtherFields = Readonly<Record<string, string>> & {
  readonly [Field in (typeof WRITTEN_FIELDS)[number]]?: never;
};

/**
 * How a provider's token endpoint and API differ from the standard. Set these members next to `name` for all interfaces, or in
 * one interface, where each replaces the definition's member completely.
 */
export interface ProviderTerms {
  /** The `grant_type` of each token request. @default 'client_credentials' */
  readonly grantType?: string;
  /**
   * Additional fields for each token request: fixed strings, no secrets, and no fields that the module sets itself. @default none
   *
   * @example
   * params: { account_id: 'warehouse-7' }
   */
  readonly params?: FurtherFields;
  /** The `resource` of each token request (RFC 8707): one absolute URI without a fragment, or a list. @default absent */
  readonly resource?: string | readonly [string, ...string[]];
  /** A token's lifetime in seconds if the answer has no `expires_in`. @default such an answer is an error */
  readonly expiresIn?: number;
  /** The accepted `token_type`s, in upper or lower case. `'any'` accepts all, and answers without one. @default ['Bearer'] */
  readonly tokenTypes?: 'any' | readonly [string, ...string[]];
  /** Which characters a token may contain: those in RFC 6750, or every visible ASCII character. @default 'bearer' */
  readonly tokenCharacters?: 'bearer' | 'visible';
  /** The word before the token in the `Authorization` header. @default 'Bearer' */
  readonly scheme?: string;
  /** The statuses that mean a refused token: the token is renewed, and the call is sent once more. @default [401] */
  readonly refusedWith?: readonly [401] | readonly [403] | readonly [401, 403];
  /** How to make the assertions for `private_key_jwt`. */
  readonly assertion?: AssertionTerms;
}

/** What is known about requests for one interface of a provider, and about their answers. */
export interface InterfaceTerms extends Omit<ProviderTerms, 'assertion'> {
  /** Undefined if the client has no private key. */
  readonly assertion?: AssertionEntry | undefined;
  /** @default 'post' */
  readonly clientAuth?: ClientAuth | undefined;
  /** Sent with each token request. */
  readonly scope?: string | undefined;
  readonly audience?: string | undefined;
}

/** What is known about one interface of a provider. */
export interface InterfaceEntry extends InterfaceTerms {
  /** Whether all environments have the same token URL, or each environment has its own (S4). */
  readonly tokenUrlPer: 'interface' | 'environment';
  /** How the path of a token URL must end (S4). Undefined if any path is right. */
  readonly tokenPath?: RegExp | undefined;
  /** An ending that `tokenPath` accepts, for error messages and for the simulator. */
  readonly tokenPathExample: string;
  /** What two environments must not share, because its provider demands it (S4, S5). A definition demands nothing. */
  readonly unshared?: readonly ('clientId' | 'tokenUrl')[] | undefined;
}

/** An interface and an environment of any provider. Undefined as `provider` means the built-in provider. */
export interface AnyPair {
  readonly provider?: string | undefined;
  readonly interface: string;
  readonly environment: string;
  /** Of a token that is for one account. */
  readonly account?: string | undefined;
}

/**
 * A provider as data: its interfaces and its environments. Options, variables, injection tokens, status, doctor and simulator
 * follow from it. It is an argument: no code of the inner floors knows which provider it works for.
 */
export interface Catalogue {
  readonly name: string;
  /** The environments of every interface. Each environment has its own credentials (S5). */
  readonly environments: readonly string[];
  readonly interfaces: readonly string[];
  /** Every pair of interface and environment. */
  readonly pairs: readonly Required<Omit<AnyPair, 'account'>>[];
  readonly entryOf: (name: string) => InterfaceEntry;
}

export const BUILT_IN_NAME = 'provider';

export function createCatalogue(
  name: string,
  environments: readonly string[],
  entries: Readonly<Record<string, InterfaceEntry>>,
): Catalogue {
  // A polluted `Object.prototype` adds no scope to a token request.
  const byName = new Map(Object.entries(entries).map(([of, entry]) => [of, withoutPrototype(entry)]));
  const interfaces = [...byName.keys()];
  return Object.freeze({
    name,
    environments: Object.freeze([...environments]),
    interfaces: Object.freeze(interfaces),
    pairs: Object.freeze(
      interfaces.flatMap((of) =>
        environments.map((environment) => Object.freeze({ provider: name, interface: of, environment })),
      ),
    ),
    entryOf(of: string): InterfaceEntry {
      const entry = byName.get(of);
      if (entry === undefined) throw new TypeError(`The provider ${name} has no interface of this name.`);
      return entry;
    },
  });
}

/** The statuses with which the API refuses a token. What the rules say about a 401 holds for each of them. */
export function refusalsOf(terms: Pick<ProviderTerms, 'refusedWith'> | undefined): readonly number[] {
  return terms?.refusedWith ?? UNAUTHORIZED;
}

const UNAUTHORIZED: readonly number[] = [401];

/** The provider of a pair, as events, metrics and logs name it. */
export function providerOf({ provider = BUILT_IN_NAME }: Pick<AnyPair, 'provider'>): string {
  return provider;
}

export function isOfBuiltIn(pair: Pick<AnyPair, 'provider'>): boolean {
  return providerOf(pair) === BUILT_IN_NAME;
}

/** A pair in a message: `easy sandbox`, and `warehouse stock test` for a provider of the application. */
export function pairName(pair: AnyPair): string {
  const name = `${interfaceName(pair, ' ')} ${pair.environment}`;
  return pair.account === undefined ? name : `${name}, account ${pair.account}`;
}

/** What an event is about. An event that is not about an account has no such member. */
export function subjectOf(pair: AnyPair) {
  const { interface: name, environment, account } = pair;
  return {
    provider: providerOf(pair),
    interface: name,
    environment,
    ...(account !== undefined && { account }),
  };
}

/** An interface: `easy`, and with a dot `warehouse.stock` for a provider of the application. */
export function interfaceName(pair: Omit<AnyPair, 'environment'>, separator: ' ' | '.'): string {
  return isOfBuiltIn(pair) ? pair.interface : `${providerOf(pair)}${separator}${pair.interface}`;
}

/** Who gives out credentials and grants, in a message. Only the document of the built-in provider has account representatives. */
export function issuerOf(pair: Pick<AnyPair, 'provider'>): string {
  return isOfBuiltIn(pair) ? 'your account representative' : 'the provider';
}

/** A name as in variables: `clientSecret` is `CLIENT_SECRET`. */
export function capitals(name: string): string {
  return name.replaceAll(/[A-Z]/g, '_$&').replaceAll('-', '_').toUpperCase();
}

export function hasTlsClients({ interfaces, entryOf }: Catalogue): boolean {
  return interfaces.some((name) => entryOf(name).clientAuth === 'tls_client_auth');
}
