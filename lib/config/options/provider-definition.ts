import type { ClientAuth, ProviderTerms } from '../../catalogue/catalogue.js';
import type {
  ApiOptions,
  ClientAssertionCredentials,
  ClientKeyCredentials,
  ClientKeyFunction,
  Credentials,
  EnvironmentOptions,
  Environments,
  TlsClientCredentials,
  TokenUrlOptions,
} from './environment-options.js';
import type { ProviderCommonOptions } from './provider-auth-options.js';

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

type AssertionCredentials<Assertion> = (Assertion extends { readonly audience: 'issuer' }
  ? Pick<EnvironmentOptions, 'issuer'>
  : unknown) &
  (Assertion extends { readonly certificate: string }
    ? | Pick<EnvironmentOptions, 'clientCertificate'>
      | { clientKey: ClientKeyFunction; clientCertificate?: never }
    : unknown);

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
