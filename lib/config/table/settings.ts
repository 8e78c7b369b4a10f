import type { Agent } from 'node:https';
import type { AxiosProxyConfig } from 'axios';
import {
  type AssertionEntry,
  type ClientAuth,
  CREDENTIAL_OPTIONS,
  type InterfaceEntry,
  type ProviderTerms,
  SIGNING_ALGORITHMS,
} from '../../catalogue/catalogue.js';
import { HTTP_TOKEN } from '../../values/http-text.js';
import { isObject } from '../../values/is-object.js';
import type { AccountLoader, TokenOptions } from '../options/provider-auth-options.js';
import type { ProviderTransport } from '../options/provider-transport.js';
import type { TokenStore } from '../options/token-store.js';
import { flawOfEnvironment, listOf, oneOf, oneWordOf } from '../rules/choice-rules.js';
import {
  flawOfAgent,
  flawOfProxyHost,
  flawOfStore,
  flawOfTransport,
  LONGEST_TIMEOUT_MS,
} from '../rules/http-rules.js';
import { flawOfAuthorities, flawOfCertificate, flawOfKey } from '../rules/pem-rules.js';
import {
  type Flaw,
  kindOf,
  flawOfAddress,
  flawOfClientSecret,
  flawOfCredential,
  flawOfText,
} from '../rules/text-rules.js';
import { flawOfBaseUrl, flawOfResource, flawOfTokenUrl } from '../rules/url-rules.js';
import { CREDENTIAL_KINDS } from '../secret-sources/client-key.js';
import { flawOfPem } from '../secret-sources/mounted-file.js';
import { flawOfSource } from '../secret-sources/secret-sources.js';
import { type Need, type Place, row, type Setting, type SettingRows, wholeNumber } from './setting.js';

/*
 * Every setting of the module, as data. From these rows follow the options, their variables, the problems of the boot with
 * their order, the settings that an error lists as missing, `.env.example`, and the table of variables in
 * `docs/configuration.md`. Only the public types in `config/options` repeat the names, for the comments that an editor shows.
 * `npx vitest run test/package/settings-pages.spec.ts -u` writes the two files again after a change.
 */

const flawOfTokenUrlAt = (value: unknown, { catalogue, interface: of = '' }: Place): Flaw =>
  flawOfTokenUrl(value, of, catalogue);

const tokenUrlNeed =
  (per: InterfaceEntry['tokenUrlPer']) =>
  ({ tokenUrlPer }: InterfaceEntry): Need =>
    tokenUrlPer === per ? 'required' : 'absent';

const needWith =
  (need: Need, ways: readonly ClientAuth[], otherwise: Need = 'absent') =>
  ({ clientAuth = 'post' }: InterfaceEntry): Need =>
    ways.includes(clientAuth) ? need : otherwise;

const needIf =
  (isUsed: (assertion: AssertionEntry) => boolean) =>
  ({ assertion }: InterfaceEntry): Need =>
    assertion !== undefined && isUsed(assertion) ? 'required' : 'absent';

const CREDENTIALS: Readonly<Record<(typeof CREDENTIAL_OPTIONS)[ClientAuth], string>> = {
  clientSecret: 'a client secret. Set clientSecret.',
  clientKey: 'a private key. Set clientKey.',
  clientAssertion: 'a client assertion. Set clientAssertion.',
  tls: 'its TLS certificate. Set tls.cert and tls.key.',
};

/** A credential that the client does not use. @param ofAssertion why its assertion does not use it. */
const refusalOfCredential =
  (ofAssertion?: string) =>
  ({ catalogue, interface: of = '' }: Place): string => {
    const { clientAuth = 'post', assertion } = catalogue.entryOf(of);
    const authenticates = `this interface authenticates with ${CREDENTIALS[CREDENTIAL_OPTIONS[clientAuth]]}`;
    return `is not used: ${assertion && ofAssertion !== undefined ? ofAssertion : authenticates}`;
  };

const endOfTokenUrl = ({ catalogue, interface: of = '' }: Place): string =>
  `ends in \`${catalogue.entryOf(of).tokenPathExample}\`.`;

export const SETTINGS = {
  options: {
    environment: row<string>({
      need: 'required',
      // An object chooses an environment for each interface. `readActiveEnvironments` checks it.
      flawOf: (value, { catalogue }) =>
        isObject(value) ? undefined : flawOfEnvironment(value, catalogue.environments),
      variable: 'text',
      sentence: ({ catalogue }) =>
        `The active environment: ${catalogue.environments.map((name) => `\`${name}\``).join(' or ')}.`,
    }),
    interfaces: row({
      need: 'required',
      flawOf: (value) =>
        value === undefined ? 'is missing. Configure at least one interface in it.' : undefined,
    }),
    token: row({}),
    http: row({}),
    store: row<TokenStore>({ flawOf: flawOfStore, sentence: 'Where several processes share their tokens.' }),
    accounts: row<AccountLoader<string, string>>({
      flawOf: (value) =>
        typeof value === 'function'
          ? undefined
          : `must be a function that returns the credentials of an account, not ${kindOf(value)}.`,
      sentence: "Each account's credentials.",
    }),
    isGlobal: row({
      need: 'absent',
      refusal: () => 'belongs next to useFactory, useClass or useExisting in forRootAsync. Move it there.',
    }),
  },

  token: {
    timeoutMs: row<number>({
      ...wholeNumber(1, LONGEST_TIMEOUT_MS, 'milliseconds'),
      default: 5_000,
      sentence: 'The time limit for one attempt at the token endpoint, up to its last byte.',
    }),
    maxAttempts: row<number>({
      ...wholeNumber(1, 10),
      default: 3,
      unit: 'attempts',
      sentence: 'How many attempts a renewal may take.',
    }),
    expiryLeewayMs: row<number>({
      ...wholeNumber(0, Number.MAX_SAFE_INTEGER, 'milliseconds'),
      default: 0,
      sentence: 'How long before its expiry a token counts as expired.',
    }),
    renewAheadMs: row<number>({
      ...wholeNumber(0, Number.MAX_SAFE_INTEGER, 'milliseconds'),
      default: 0,
      sentence: 'How long before its expiry the module renews a token in the background.',
    }),
    atBoot: row<NonNullable<TokenOptions['atBoot']>>({
      flawOf: oneWordOf(['no', 'try', 'require'], 'no, try or require'),
      default: 'no',
      variable: 'text',
      sentence: 'Whether to request a token for each active pair at boot: `no`, `try` or `require`.',
    }),
    maxAccounts: row<number>({
      ...wholeNumber(1, 1_000_000),
      default: 1_000,
      unit: 'tokens',
      sentence: 'How many tokens of accounts and scopes each pair keeps.',
    }),
  },

  http: {
    timeoutMs: row<number>({
      ...wholeNumber(1, LONGEST_TIMEOUT_MS, 'milliseconds'),
      default: 30_000,
      sentence: 'The time limit for one call: the wait for a token, and both attempts.',
    }),
    retryUnauthorized: row<boolean>({
      flawOf: oneOf([true, false]),
      default: true,
      sentence: 'Whether to renew the token and send the request once more after a 401.',
    }),
    maxRedirects: row<number>({
      ...wholeNumber(0, 20),
      default: 0,
      unit: 'redirects',
      sentence: 'How many redirects an API request follows.',
    }),
    httpsAgent: row<Agent>({
      flawOf: flawOfAgent,
      sentence: 'The agent that sets how API and token requests connect.',
    }),
    transport: row<ProviderTransport>({ flawOf: flawOfTransport, sentence: 'What sends the requests.' }),
    proxy: row({ sentence: 'The proxy for API requests and token requests.' }),
    headers: row({ sentence: 'Headers to send with each API request.' }),
  },

  /** `http.proxy`, in the form of axios. */
  proxy: {
    host: row<string>({ need: 'required', flawOf: flawOfProxyHost }),
    port: row<number>({ need: 'required', ...wholeNumber(1, 65_535) }),
    protocol: row<string>({ flawOf: oneOf(['http', 'https', 'http:', 'https:'], 'http or https') }),
    auth: row<AxiosProxyConfig['auth']>({}),
  },

  /** `http.proxy.auth` */
  proxyAuth: {
    username: row<string>({ need: 'required', flawOf: (value) => flawOfText(value) }),
    password: row<string>({
      need: 'required',
      flawOf: (value) => (value === '' ? undefined : flawOfText(value)),
    }),
  },

  /** One of `interfaces`. Its other members are its environments. */
  interface: {
    tokenUrl: row<string>({
      need: tokenUrlNeed('interface'),
      flawOf: flawOfTokenUrlAt,
      refusal: ({ interface: of }) =>
        `belongs one level down: each environment of ${of} has its own token URL.`,
      variable: 'text',
      sentence: (at) => `One URL for all environments; ${endOfTokenUrl(at)}`,
    }),
  },

  environment: {
    tokenUrl: row<string>({
      need: tokenUrlNeed('environment'),
      flawOf: flawOfTokenUrlAt,
      refusal: ({ interface: of }) => `belongs one level up: one token URL serves all environments of ${of}.`,
      variable: 'text',
      sentence: (at) => `One URL for each environment; ${endOfTokenUrl(at)}`,
    }),
    baseUrl: row<string>({
      need: 'required',
      flawOf: (value, { catalogue }) => flawOfBaseUrl(value, catalogue),
      variable: 'text',
      sentence: "The API's address. Requests with the token only go to addresses under it.",
    }),
    clientId: row<string>({
      // The subject of an assertion already names the client (RFC 7521 section 4.2).
      need: needWith('optional', ['client_assertion'], 'required'),
      flawOf: (value, { catalogue }) =>
        flawOfCredential(value, 'Set it to the client id of this environment.', catalogue.name),
      variable: 'secret',
      sentence: 'The client id for that environment.',
    }),
    clientSecret: row({
      need: needWith('required', ['post', 'basic']),
      flawOf: (value, { catalogue }) =>
        flawOfSource(value, CREDENTIAL_KINDS.clientSecret(catalogue.name), (text) =>
          flawOfClientSecret(text, catalogue.name),
        ),
      refusal: refusalOfCredential(),
      variable: 'secret',
      file: 'secret',
      sentence: 'The client secret for that environment.',
      fileSentence:
        'A file with the client secret instead. The module reads it again for each token request.',
    }),
    clientKey: row({
      need: needWith('required', ['private_key_jwt']),
      flawOf: (value) => flawOfSource(value, CREDENTIAL_KINDS.clientKey()),
      refusal: refusalOfCredential(),
      file: 'secret',
      sentence: 'A file with the private key. The module reads it again for each token request.',
    }),
    clientAssertion: row({
      need: needWith('required', ['client_assertion']),
      flawOf: (value, { catalogue }) =>
        value === undefined
          ? 'is missing. Set it to a function that gives the assertion, or to the file that holds it.'
          : flawOfSource(value, CREDENTIAL_KINDS.clientAssertion(catalogue.name)),
      refusal: refusalOfCredential(),
      file: 'secret',
      sentence: 'A file with the client assertion. The module reads it again for each token request.',
    }),
    keyId: row<string>({
      need: needWith('optional', ['private_key_jwt']),
      flawOf: (value) => flawOfText(value),
      refusal: refusalOfCredential(),
      variable: 'text',
      sentence: 'The id under which the provider knows the public key.',
    }),
    clientCertificate: row({
      need: needIf(({ certificate }) => certificate !== undefined),
      // A function of the key may give the certificate, too. `signingKeySource` checks whether there is one.
      flawOf: (value) =>
        value === undefined ? undefined : flawOfSource(value, CREDENTIAL_KINDS.clientCertificate()),
      refusal: refusalOfCredential(
        'the assertion names no certificate. Set assertion.certificate in the definition.',
      ),
      file: 'secret',
      sentence:
        "A file with the private key's certificate. The module reads it again for each token request.",
    }),
    issuer: row<string>({
      need: needIf(({ audience }) => audience === 'issuer'),
      flawOf: (value) =>
        flawOfAddress(value, 'Set it to the https address that the provider calls its issuer.'),
      refusal: refusalOfCredential(
        "the assertion is for the token URL. Set assertion.audience to 'issuer' in the definition.",
      ),
      variable: 'text',
      sentence: 'The audience of client assertions, sent exactly as you write it.',
    }),
    tls: row({
      need: needWith('required', ['tls_client_auth'], 'optional'),
      sentence: 'The certificates for one interface and environment, for API requests and token requests.',
    }),
  },

  tls: {
    ca: row({
      flawOf: flawOfPem(flawOfAuthorities),
      file: 'pem',
      sentence: 'PEM file with a [private certificate authority](certificates.md).',
    }),
    cert: row({
      need: needWith('required', ['tls_client_auth'], 'optional'),
      flawOf: flawOfPem(flawOfCertificate),
      file: 'pem',
      sentence: 'PEM file with a client certificate.',
    }),
    key: row({
      need: needWith('required', ['tls_client_auth'], 'optional'),
      flawOf: flawOfPem(flawOfKey),
      file: 'pem',
      sentence: "PEM file with that certificate's private key.",
    }),
  },
} as const satisfies Readonly<Record<string, SettingRows>>;

/** A text in a definition, with a further rule. */
const text = (flawOf: (value: string) => Flaw = () => undefined): Setting<string, void> => ({
  flawOf: (value) => flawOfText(value) ?? flawOf(String(value)),
});

/**
 * The members of what `defineProvider` takes. They are checked when the definition is made: there is no catalogue yet. Those
 * without `flawOf` are checked together with others.
 */
export const DEFINITION = {
  provider: { name: {}, environments: {}, interfaces: {} },
  interface: {
    tokenUrlPer: row<InterfaceEntry['tokenUrlPer'], void>({
      flawOf: oneOf(['environment', 'interface']),
      default: 'environment',
    }),
    clientAuth: row<ClientAuth, void>({ flawOf: oneOf(Object.keys(CREDENTIAL_OPTIONS)) }),
    scope: text(),
    audience: text(),
    tokenPathExample: text((value) => (value.startsWith('/') ? undefined : 'must begin with a slash.')),
    tokenPath: {},
  },
  assertion: {
    audience: row<AssertionEntry['audience'], void>({
      flawOf: oneOf(['tokenUrl', 'issuer']),
      default: 'tokenUrl',
    }),
    type: row<AssertionEntry['type'], void>({
      flawOf: oneOf(['JWT', 'client-authentication+jwt']),
      default: 'JWT',
    }),
    certificate: row<AssertionEntry['certificate'], void>({
      flawOf: oneOf(['x5t', 'x5t#S256', 'x5c'], 'x5t, x5t#S256 or x5c'),
    }),
    algorithm: row<AssertionEntry['algorithm'], void>({ flawOf: oneOf(SIGNING_ALGORITHMS) }),
    lifetimeSeconds: row<number, void>({ ...wholeNumber(10, 600, 'seconds'), default: 300 }),
  },
  /** The members of a definition that one of its interfaces replaces (B31). Without defaults, which would replace them, too. */
  terms: {
    grantType: text(),
    params: row<ProviderTerms['params'], void>({}),
    assertion: row<AssertionEntry, void>({}),
    resource: row<ProviderTerms['resource'], void>({
      flawOf: (value) => (typeof value === 'string' ? flawOfResource : listOf(flawOfResource))(value),
    }),
    expiresIn: row<number, void>(wholeNumber(1, Number.MAX_SAFE_INTEGER, 'seconds')),
    tokenTypes: row<ProviderTerms['tokenTypes'], void>({
      flawOf: (value) => (value === 'any' ? undefined : listOf((one) => flawOfText(one))(value)),
    }),
    tokenCharacters: row<ProviderTerms['tokenCharacters'], void>({ flawOf: oneOf(['bearer', 'visible']) }),
    scheme: text((value) => (HTTP_TOKEN.test(value) ? undefined : 'must be one word, such as Bearer.')),
    refusedWith: row<ProviderTerms['refusedWith'], void>({
      flawOf: (value) =>
        Array.isArray(value) &&
        value.every(Number.isInteger) &&
        ['401', '403', '401,403'].includes(value.join(','))
          ? undefined
          : 'must be [401], [403] or [401, 403].',
    }),
  },
} as const satisfies Readonly<Record<string, SettingRows<void>>>;
