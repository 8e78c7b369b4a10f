import type { KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import {
  type AssertionEntry,
  type ClientAuth,
  CREDENTIAL_OPTIONS,
  type InterfaceEntry,
} from '../../catalogue/catalogue.js';
import type { Secret } from '../../secrets/secret.js';
import { oneOf } from '../rules/choice-rules.js';
import { flawOfHostName } from '../rules/http-rules.js';
import {
  certificatesIn,
  clientCertificateIn,
  flawOfContext,
  flawOfPem,
  privateKeyIn,
} from '../../secrets/pem-rules.js';
import { type Flaw, flawOfCredential, flawOfText } from '../../secrets/text-rules.js';
import { flawOfAddress, flawOfBaseUrl, flawOfTokenUrl } from '../rules/url-rules.js';
import { CREDENTIAL_REMEDIES, type CredentialOption } from '../../secrets/client-key.js';
import { flawOfObject, type Need, type Place, Setting } from '../setting.js';

/** A secret in code: a text, or a function that returns one. */
type SecretText = string | Secret | (() => string | Secret | Promise<string | Secret>);

/** PEM text of a certificate in code, or a function that returns it. */
type CertificateText = string | Buffer | Secret | (() => string | Buffer | Promise<string | Buffer>);

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

export type ClientKeyFunction = () => ClientKey | ClientKeyParts | Promise<ClientKey | ClientKeyParts>;

const ofClient =
  (need: Need, ways: readonly ClientAuth[], otherwise: Need = 'absent') =>
  ({ clientAuth = 'post' }: InterfaceEntry): Need =>
    ways.includes(clientAuth) ? need : otherwise;

const ofAssertion =
  (isUsed: (assertion: AssertionEntry) => boolean) =>
  ({ assertion }: InterfaceEntry): Need =>
    assertion !== undefined && isUsed(assertion) ? 'required' : 'absent';

/** A credential that the client does not use. @param withAssertion why its assertion does not use it. */
const unused =
  (withAssertion?: string) =>
  ({ catalogue, interface: of = '' }: Place): string => {
    const { clientAuth = 'post', assertion } = catalogue.entryOf(of);
    const used = CREDENTIAL_OPTIONS[clientAuth];
    return `is not used: ${(assertion && withAssertion) ?? `this interface authenticates with ${used}. Remove it, and set ${used}.`}`;
  };

/** Whether there is a credential. Its other problems are found when it is read. */
const presenceOf =
  (option: CredentialOption) =>
  (value: unknown): Flaw =>
    value === undefined ? `is missing. ${CREDENTIAL_REMEDIES[option]}` : undefined;

const pem =
  (read: (text: string) => unknown) =>
  (value: unknown): Flaw =>
    value === undefined
      ? 'is missing. This client authenticates with its TLS certificate.'
      : flawOfPem(value, read);

/** A token URL belongs to the interface or to its environments, as the provider has it. */
const TokenUrl = (per: InterfaceEntry['tokenUrlPer'], refusal: (of: string) => string) =>
  Setting((value, { catalogue, interface: of = '' }) => flawOfTokenUrl(value, of, catalogue), {
    need: ({ tokenUrlPer }) => (tokenUrlPer === per ? 'required' : 'absent'),
    refusal: ({ interface: of = '' }) => refusal(of),
    variable: 'text',
  });

/**
 * TLS settings for one interface in one environment, for API and token requests. A function can return other certificates
 * later, without a restart. To read files instead, set variables such as `PROVIDER_EASY_SANDBOX_CA_FILE`.
 *
 * @example
 * tls: { ca: readFileSync('authority.pem'), cert: readFileSync('client.pem'), key: readFileSync('client-key.pem') }
 */
export class TlsOptions {
  /**
   * The private authorities to trust, as PEM.
   *
   * They replace Node's own.
   *
   * @default Node's authorities
   */
  @Setting(pem(certificatesIn), { file: 'pem' })
  ca?: string | Buffer | undefined;

  /** The client certificate as PEM, optionally followed by its intermediate certificates. @default none */
  @Setting(pem(clientCertificateIn), {
    need: ofClient('required', ['tls_client_auth'], 'optional'),
    file: 'pem',
  })
  cert?: string | Buffer | undefined;

  /** The private key for the client certificate, as PEM. @default none */
  @Setting(pem(privateKeyIn), {
    need: ofClient('required', ['tls_client_auth'], 'optional'),
    file: 'pem',
  })
  key?: string | Buffer | Secret | undefined;

  /** The passphrase of the private key. @default none */
  @Setting((value) => flawOfText(value))
  passphrase?: string | Secret | undefined;

  /**
   * The host that the API's certificate must be for. It also holds for a token URL with the same host as the base URL.
   *
   * @default the host of the address
   */
  @Setting(flawOfHostName)
  servername?: string | undefined;

  /** The oldest TLS version. @default Node's */
  @Setting(oneOf(['TLSv1.2', 'TLSv1.3']))
  minVersion?: 'TLSv1.2' | 'TLSv1.3' | undefined;

  /** The ciphers, as OpenSSL writes them. @default Node's */
  @Setting(flawOfCiphers)
  ciphers?: string | undefined;
}

function flawOfCiphers(value: unknown): Flaw {
  return (
    flawOfText(value) ??
    flawOfContext(() => createSecureContext({ ciphers: String(value) }), 'Correct the names of the ciphers.')
  );
}

/** What all environments of an interface share. The other members of an interface are its environments. */
export class InterfaceSettings {
  /** The address of the token endpoint, the same for all environments. */
  @TokenUrl('interface', (of) => `belongs one level down: each environment of ${of} has its own token URL.`)
  tokenUrl!: string;
}

/** Everything that an interface may need in one environment. What it does need depends on how its client authenticates. */
export class EnvironmentOptions {
  /** The address of the token endpoint. */
  @TokenUrl('environment', (of) => `belongs one level up: one token URL serves all environments of ${of}.`)
  tokenUrl!: string;

  /** The API's address. Requests with the token only go to addresses under it. */
  @Setting((value, { catalogue }) => flawOfBaseUrl(value, catalogue), { need: 'required', variable: 'text' })
  baseUrl!: string;

  /** The client id. */
  @Setting(
    (value, { catalogue }) =>
      flawOfCredential(value, 'Set it to the client id of this environment.', catalogue.name),
    // The subject of an assertion already names the client (RFC 7521 section 4.2).
    { need: ofClient('optional', ['client_assertion'], 'required'), variable: 'secret' },
  )
  clientId!: string;

  /**
   * The client secret.
   *
   * A function is called for each token request, so a rotated secret needs no restart. It has `token.timeoutMs` to answer. The
   * module never shows its error messages.
   *
   * @example
   * clientSecret: () => vault.read('provider/easy/sandbox')
   */
  @Setting(presenceOf('clientSecret'), {
    need: ofClient('required', ['post', 'basic']),
    refusal: unused(),
    variable: 'secret',
    file: 'secret',
  })
  clientSecret!: SecretText;

  /**
   * The private key.
   *
   * RSA signs with RS256, RSA-PSS with PS256, P-256 with ES256, P-384 with ES384, P-521 with ES512 and Ed25519 with EdDSA, unless
   * the definition or the `alg` of a JWK names another algorithm. A function is called for each token request, so a rotated key
   * needs no restart. It has `token.timeoutMs` to answer, and may also return the key's id and certificate.
   *
   * @example
   * clientKey: () => vault.read('warehouse/stock/test')
   */
  @Setting(presenceOf('clientKey'), {
    need: ofClient('required', ['private_key_jwt']),
    refusal: unused(),
    file: 'secret',
  })
  clientKey!: ClientKey | ClientKeyFunction;

  /**
   * The client assertion.
   *
   * Another system has signed it: a Kubernetes service account token, or a cloud's workload identity. A function is called for
   * each token request, so a renewed assertion needs no restart. It has `token.timeoutMs` to answer.
   *
   * @example
   * clientAssertion: () => readFile('/var/run/secrets/tokens/warehouse', 'utf8')
   */
  @Setting(presenceOf('clientAssertion'), {
    need: ofClient('required', ['client_assertion']),
    refusal: unused(),
    file: 'secret',
  })
  clientAssertion!: SecretText;

  /** The id under which the provider knows the public key, sent as `kid` in the assertion. @default a JWK's `kid` */
  @Setting((value) => flawOfText(value), {
    need: ofClient('optional', ['private_key_jwt']),
    refusal: unused(),
    variable: 'text',
  })
  keyId?: string | undefined;

  /**
   * The private key's certificate.
   *
   * PEM text. A function is called together with that of the key, and a function of the key may return the certificate, too.
   */
  // `signingKeySource` checks whether there is one.
  @Setting(undefined, {
    need: ofAssertion(({ certificate }) => certificate !== undefined),
    refusal: unused('the assertion names no certificate. Set assertion.certificate in the definition.'),
    file: 'secret',
  })
  clientCertificate!: CertificateText;

  /** The audience of client assertions, sent exactly as you write it. */
  @Setting(
    (value) => flawOfAddress(value, 'Set it to the https address that the provider calls its issuer.'),
    {
      need: ofAssertion(({ audience }) => audience === 'issuer'),
      refusal: unused(
        "the assertion is for the token URL. Set assertion.audience to 'issuer' in the definition.",
      ),
      variable: 'text',
    },
  )
  issuer!: string;

  /**
   * The certificates for one interface and environment, for API requests and token requests.
   *
   * The module calls a function at boot, at most every 30 s while your app makes requests, and after a TLS failure. The function
   * has 5 s to answer.
   *
   * @default Node's authorities, and no client certificate
   */
  @Setting(
    (value) => (typeof value === 'function' || value === undefined ? undefined : flawOfObject(value)),
    {
      need: ofClient('required', ['tls_client_auth'], 'optional'),
      members: TlsOptions,
      isReadLater: true,
    },
  )
  tls?: TlsOptions | (() => TlsOptions | Promise<TlsOptions>) | undefined;
}

/** The credentials for one interface in one environment. You get them from the provider. */
export interface Credentials extends Pick<EnvironmentOptions, 'clientId' | 'clientSecret'> {}

/** The credentials of an interface with `clientAuth: 'private_key_jwt'`, for one environment. */
export interface ClientKeyCredentials extends Pick<EnvironmentOptions, 'clientId' | 'clientKey' | 'keyId'> {}

/** The credentials of an interface with `clientAuth: 'client_assertion'`, for one environment. */
export interface ClientAssertionCredentials extends Pick<EnvironmentOptions, 'clientAssertion'> {
  /** The client id. @default not sent: the assertion identifies the client */
  clientId?: string | undefined;
  /** The client has no secret. */
  clientSecret?: never;
}

/** A client certificate with its key. */
type ClientTlsOptions = TlsOptions & { [Member in 'cert' | 'key']: NonNullable<TlsOptions[Member]> };

/** The credentials of an interface with `clientAuth: 'tls_client_auth'`, for one environment. */
export interface TlsClientCredentials extends Pick<EnvironmentOptions, 'clientId'> {
  /** The certificate that the provider knows, and its private key. API requests use the same certificate. */
  tls: ClientTlsOptions | (() => ClientTlsOptions | Promise<ClientTlsOptions>);
  /** The client has no secret. */
  clientSecret?: never;
}

/**
 * The credentials of one account: the same members that the interface needs for its own client. All but the ids may be
 * functions.
 */
export type AccountCredentials = {
  [Member in 'clientId' | 'clientSecret' | 'clientKey' | 'keyId' | 'clientCertificate' | 'clientAssertion']?:
    EnvironmentOptions[Member] | undefined;
};

/** What each environment needs in addition to credentials. */
export type ApiOptions = Pick<EnvironmentOptions, 'baseUrl' | 'tls'>;

/** Where the token URL belongs: next to the base URL, or next to the environments that share it. */
export type TokenUrlOptions = Pick<EnvironmentOptions, 'tokenUrl'>;

/** The same options for each environment. */
export type Environments<Options, Environment extends string> = {
  [Name in Environment]?: Options | undefined;
};
