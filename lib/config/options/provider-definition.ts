import type { KeyObject } from 'node:crypto';
import type { ClientAuth } from '../../catalogue/catalogue.js';
import type { Secret } from '../../secrets/secret.js';
import type {
  ApiOptions,
  Credentials,
  Environments,
  ProviderCommonOptions,
  TokenUrlOptions,
} from './provider-auth-options.js';

/** One interface of your own provider. */
export interface InterfaceDefinition {
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
  /** The `resource` of each token request: an absolute URI without a fragment (RFC 8707). */
  readonly resource?: string;
  /**
   * How the client authenticates at the token endpoint: `post` sends the client secret in the form, `basic` in the header
   * (RFC 6749), and `private_key_jwt` sends an assertion that the private key of the client signs (RFC 7523).
   *
   * @default 'post'
   */
  readonly clientAuth?: ClientAuth;
}

/** What `defineProvider` takes. */
export interface ProviderDefinition {
  /** Variables begin with it. Logs, events and metrics contain it. A letter first, then letters, digits, `_` and `-`. */
  readonly name: string;
  /** The environments of every interface. The testing kit uses the first one by default. */
  readonly environments: readonly [string, ...string[]];
  /** The interfaces by name. */
  readonly interfaces: Readonly<Record<string, InterfaceDefinition>>;
}

/** The credentials of an interface with `clientAuth: 'private_key_jwt'`, for one environment. */
export interface ClientKeyCredentials {
  /** The client id. */
  clientId: string;
  /**
   * The private key: RSA signs with RS256, RSA-PSS with PS256, P-256 with ES256, Ed25519 with EdDSA. A function is called for
   * each token request, so a rotated key needs no restart. It has `token.timeoutMs` to answer.
   *
   * @example
   * clientKey: () => vault.read('warehouse/stock/test')
   */
  clientKey:
    string | KeyObject | Secret | (() => string | KeyObject | Secret | Promise<string | KeyObject | Secret>);
  /** The id under which the provider knows the public key: the `kid` of the assertion. */
  keyId?: string;
}

type CredentialsOf<Definition extends InterfaceDefinition> =
  Definition['clientAuth'] extends 'private_key_jwt' ? ClientKeyCredentials : Credentials;

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
