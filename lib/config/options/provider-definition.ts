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
  /** How the path of the token URL must end. Checked when the application starts. @default not checked */
  readonly tokenPath?: RegExp;
  /** An ending that `tokenPath` accepts, for error messages and for the simulator. Needed if `tokenPath` is no plain text. */
  readonly tokenPathExample?: string;
  /** The `scope` of each token request. */
  readonly scope?: string;
  /** The `audience` of each token request. */
  readonly audience?: string;
  /**
   * How the client authenticates at the token endpoint: `post` sends the client secret in the form, `basic` in the header
   * (RFC 6749), and `private_key_jwt` sends an assertion that the private key of the client signs (RFC 7523).
   * `client_assertion` sends an assertion that another system has signed, such as Kubernetes, and with `tls_client_auth` the
   * certificate of the TLS connection shows who the client is (RFC 8705).
   *
   * @default 'post'
   */
  readonly clientAuth?: ClientAuth;
}

/** What `defineProvider` takes. */
export interface ProviderDefinition extends ProviderTerms {
  /** Variables begin with it. Logs, events and metrics contain it. A letter first, then letters, digits, `_` and `-`. */
  readonly name: string;
  /** The environments of every interface. The testing kit uses the first one by default. */
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

/** A private key: PEM text, the text or the object of a JWK, or a `KeyObject` of Node. */
export type ClientKey = string | KeyObject | ClientJwk | Secret;

/** A private key and what changes together with it. */
export interface ClientKeyParts {
  /** The private key. */
  key: ClientKey;
  /** The id under which the provider knows the public key. It counts before `keyId` of the options. */
  keyId?: string;
  /** PEM text of the certificate of the key. It counts before `clientCertificate` of the options. */
  certificate?: string | Buffer;
}

type ClientKeyFunction = () => ClientKey | ClientKeyParts | Promise<ClientKey | ClientKeyParts>;

/** The credentials of an interface with `clientAuth: 'private_key_jwt'`, for one environment. */
export interface ClientKeyCredentials {
  /** The client id. */
  clientId: string;
  /**
   * The private key. RSA signs with RS256, RSA-PSS with PS256, P-256 with ES256, P-384 with ES384, P-521 with ES512 and
   * Ed25519 with EdDSA, unless the definition or the `alg` of a JWK names another algorithm. A function is called for each
   * token request, so a rotated key needs no restart. It has `token.timeoutMs` to answer, and may return the key with its id
   * and its certificate.
   *
   * @example
   * clientKey: () => vault.read('warehouse/stock/test')
   */
  clientKey: ClientKey | ClientKeyFunction;
  /** The id under which the provider knows the public key: the `kid` of the assertion. @default the `kid` of a JWK */
  keyId?: string;
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
  /** The client id. @default the token endpoint takes the client from the assertion */
  clientId?: string;
  /**
   * An assertion that another system has signed: the service account token of Kubernetes, or a workload identity of a cloud. A
   * function is called for each token request, so a renewed assertion needs no restart. It has `token.timeoutMs` to answer.
   *
   * @example
   * clientAssertion: () => readFile('/var/run/secrets/tokens/warehouse', 'utf8')
   */
  clientAssertion: string | Secret | (() => string | Secret | Promise<string | Secret>);
  /** The client has no secret. */
  clientSecret?: never;
}

/** A client certificate with its key. */
type ClientTlsOptions = TlsOptions & Required<Pick<TlsOptions, 'cert' | 'key'>>;

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

/** The addresses and credentials of one interface. Its definition decides the shape. */
export type InterfaceOptionsOf<
  Definition extends InterfaceDefinition,
  Environment extends string,
> = Definition['tokenUrlPer'] extends 'interface'
  ? TokenUrlOptions & Environments<ApiOptions & CredentialsOf<Definition>, Environment>
  : Environments<TokenUrlOptions & ApiOptions & CredentialsOf<Definition>, Environment>;

/** All options of the module of your own provider. */
export interface ProviderOptions<
  Interfaces extends Readonly<Record<string, InterfaceDefinition>>,
  Environment extends string,
> extends ProviderCommonOptions {
  /** The active environment: one for all interfaces, or one for each configured interface. */
  environment: Environment | { [Interface in keyof Interfaces]?: Environment };
  /** Each interface that the application calls. Other interfaces can be injected, but every call fails. */
  interfaces: { [Interface in keyof Interfaces]?: InterfaceOptionsOf<Interfaces[Interface], Environment> };
}
