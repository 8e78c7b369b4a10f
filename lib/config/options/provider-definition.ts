import type { KeyObject } from 'node:crypto';
import type { ClientAuth, ProviderTerms } from '../../catalogue/catalogue.js';
import type { Secret } from '../../secrets/secret.js';
import type {
  ApiOptions,
  Credentials,
  Environments,
  ProviderCommonOptions,
  TlsOptions,
  TokenUrlOptions,
} from './provider-auth-options.js';

/** One interface of your own provider. */
export interface InterfaceDefinition extends ProviderTerms {
  /** Whether each environment has its own token URL, or all environments share one. @default 'environment' */
  readonly tokenUrlPer?: 'environment' | 'interface';
  /** How the token URL's path must end. Checked at boot. @default not checked */
  readonly tokenPath?: RegExp;
  /**
   * An ending that `tokenPath` accepts, for error messages and the simulator. Required only for unusual expressions.
   * @default made from `tokenPath`
   */
  readonly tokenPathExample?: string;
  /** The `scope` of each token request. @default absent */
  readonly scope?: string;
  /** The `audience` of each token request. @default absent */
  readonly audience?: string;
  /**
   * How the client authenticates at the token endpoint: `post` sends the client secret in the form, `basic` in the header
   * (RFC 6749), and `private_key_jwt` sends an assertion signed with the client's private key (RFC 7523). `client_assertion`
   * sends an assertion that another system, such as Kubernetes, has signed. With `tls_client_auth`, the TLS client certificate
   * identifies the client (RFC 8705).
   *
   * @default 'post'
   */
  readonly clientAuth?: ClientAuth;
}

/** The argument of `defineProvider`. */
export interface ProviderDefinition extends ProviderTerms {
  /**
   * The start of all variables, and the provider's name in logs, events and metrics: a lower-case letter, then letters, digits,
   * `_` and `-`; at most 40 characters.
   */
  readonly name: string;
  /** The environments that every interface has. The testing kit uses the first one by default. */
  readonly environments: readonly [string, ...string[]];
  /** The interfaces by name. */
  readonly interfaces: Readonly<Record<string, InterfaceDefinition>>;
}

/** A private key as a JSON Web Key (RFC 7517). */
export type ClientJwk = {
  readonly [
    Member in
      ('kty' | 'kid' | 'alg' | 'use' | 'crv' | 'x' | 'y' | 'd') | ('n' | 'e' | 'p' | 'q' | 'dp' | 'dq' | 'qi')
  ]?: string | undefined;
} & {
  /** Not used. Keys that a browser exports have it. */
  readonly ext?: boolean | undefined;
  /** Not used. */
  readonly key_ops?: readonly string[] | undefined;
};

/** A private key: PEM text, a JWK (as text or an object), or a Node `KeyObject`. */
export type ClientKey = string | KeyObject | ClientJwk | Secret;

/** A private key with its id and certificate, so that all three change together. */
export interface ClientKeyParts {
  /** The private key. */
  key: ClientKey;
  /** The id of the public key at the provider. Overrides the option `keyId`. */
  keyId?: string | undefined;
  /** The key's certificate as PEM text. Overrides the option `clientCertificate`. */
  certificate?: string | Buffer | undefined;
}

type ClientKeyFunction = () => ClientKey | ClientKeyParts | Promise<ClientKey | ClientKeyParts>;

/** The credentials of an interface with `clientAuth: 'private_key_jwt'`, for one environment. */
export interface ClientKeyCredentials {
  /** The client id. */
  clientId: string;
  /**
   * The private key. RSA signs with RS256, RSA-PSS with PS256, P-256 with ES256, P-384 with ES384, P-521 with ES512 and
   * Ed25519 with EdDSA, unless the definition or the `alg` of a JWK names another algorithm. A function is called for each
   * token request, so a rotated key needs no restart. It has `token.timeoutMs` to answer, and may also return the key's id and
   * certificate.
   *
   * @example
   * clientKey: () => vault.read('warehouse/stock/test')
   */
  clientKey: ClientKey | ClientKeyFunction;
  /** The id of the public key at the provider, sent as `kid` in the assertion. @default a JWK's `kid` */
  keyId?: string | undefined;
}

/** What the credentials have in addition if assertions are for the issuer. */
interface IssuerOptions {
  /** The audience of client assertions, as the provider writes it. */
  issuer: string;
}

/** What the credentials have in addition if assertions name the certificate of the key. */
interface ClientCertificateOptions {
  /** PEM text of the certificate of the key. A function is called together with that of the key. */
  clientCertificate: string | Buffer | Secret | (() => string | Buffer | Promise<string | Buffer>);
}

type AssertionCredentials<Assertion> = (Assertion extends { readonly audience: 'issuer' }
  ? IssuerOptions
  : unknown) &
  (Assertion extends { readonly certificate: string }
    ? ClientCertificateOptions | { clientKey: ClientKeyFunction; clientCertificate?: never }
    : unknown);

/** The credentials of an interface with `clientAuth: 'client_assertion'`, for one environment. */
export interface ClientAssertionCredentials {
  /** The client id. @default not sent: the assertion identifies the client */
  clientId?: string | undefined;
  /**
   * An assertion that another system has signed: a Kubernetes service account token, or a cloud's workload identity. A function
   * is called for each token request, so a renewed assertion needs no restart. It has `token.timeoutMs` to answer.
   *
   * @example
   * clientAssertion: () => readFile('/var/run/secrets/tokens/warehouse', 'utf8')
   */
  clientAssertion: string | Secret | (() => string | Secret | Promise<string | Secret>);
  /** The client has no secret. */
  clientSecret?: never;
}

/** A client certificate with its key. */
type ClientTlsOptions = TlsOptions & { [Member in 'cert' | 'key']: NonNullable<TlsOptions[Member]> };

/** The credentials of an interface with `clientAuth: 'tls_client_auth'`, for one environment. */
export interface TlsClientCredentials {
  /** The client id. */
  clientId: string;
  /** The certificate that the provider knows, and its private key. API requests use the same certificate. */
  tls: ClientTlsOptions | (() => ClientTlsOptions | Promise<ClientTlsOptions>);
  /** The client has no secret. */
  clientSecret?: never;
}

type CredentialsOf<Definition extends InterfaceDefinition> =
  CredentialsByWay<Definition>[Definition['clientAuth'] extends ClientAuth
    ? Definition['clientAuth']
    : 'post'];

interface CredentialsByWay<Definition extends InterfaceDefinition> {
  post: Credentials;
  basic: Credentials;
  private_key_jwt: ClientKeyCredentials & AssertionCredentials<Definition['assertion']>;
  client_assertion: ClientAssertionCredentials;
  tls_client_auth: TlsClientCredentials;
}

/** The addresses and credentials of one interface. Which ones it needs depends on the definition. */
export type InterfaceOptionsOf<
  Definition extends InterfaceDefinition,
  Environment extends string,
> = Definition['tokenUrlPer'] extends 'interface'
  ? TokenUrlOptions & Environments<ApiOptions & CredentialsOf<Definition>, Environment>
  : Environments<TokenUrlOptions & ApiOptions & CredentialsOf<Definition>, Environment>;

/** All options for your own provider's module. */
export interface ProviderOptions<
  Interfaces extends Readonly<Record<string, InterfaceDefinition>>,
  Environment extends string,
> extends ProviderCommonOptions<keyof Interfaces & string, Environment> {
  /** The active environment: one for all interfaces, or one for each configured interface. */
  environment: Environment | { [Interface in keyof Interfaces]?: Environment | undefined };
  /** The interfaces that your app calls. You can inject others, but every call then fails. */
  interfaces: {
    [Interface in keyof Interfaces]?: InterfaceOptionsOf<Interfaces[Interface], Environment> | undefined;
  };
}
