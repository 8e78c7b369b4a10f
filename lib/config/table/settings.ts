import type { Agent } from 'node:https';
import type { AxiosProxyConfig } from 'axios';
import type { ClientAuth, InterfaceEntry } from '../../catalogue/catalogue.js';
import { parsedUrl } from '../../net/parsed-url.js';
import { isObject } from '../../values/is-object.js';
import type { TokenOptions } from '../options/provider-auth-options.js';
import type { ProviderTransport } from '../options/provider-transport.js';
import type { TokenStore } from '../options/token-store.js';
import { flawOfEnvironment, oneOf, oneWordOf } from '../rules/choice-rules.js';
import {
  flawOfAgent,
  flawOfProxyHost,
  flawOfStore,
  flawOfTransport,
  LONGEST_TIMEOUT_MS,
} from '../rules/http-rules.js';
import { flawOfAuthorities, flawOfCertificate, flawOfClientKey, flawOfKey } from '../rules/pem-rules.js';
import { type Flaw, flawOfClientSecret, flawOfCredential, flawOfText } from '../rules/text-rules.js';
import { flawOfBaseUrl, flawOfTokenUrl } from '../rules/url-rules.js';
import { flawOfPem } from '../secret-sources/pem-file.js';
import { flawOfSource } from '../secret-sources/secret-file.js';
import { CLIENT_KEY, clientSecretOf } from '../secret-sources/secret-sources.js';
import { type Need, type Place, row, type Setting, type Settings, wholeNumber } from './setting.js';

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
  (need: Need, ...ways: readonly ClientAuth[]) =>
  ({ clientAuth = 'post' }: InterfaceEntry): Need =>
    ways.includes(clientAuth) ? need : 'absent';

const endOfTokenUrl = ({ catalogue, interface: of = '' }: Place): string =>
  `ends in \`${catalogue.entryOf(of).tokenPathExample}\`.`;

export const SETTINGS = {
  /** The options themselves. */
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
    store: row<TokenStore>({ flawOf: flawOfStore, sentence: 'Where several processes share tokens.' }),
    isGlobal: row({
      need: 'absent',
      refusal: () => 'belongs beside useFactory, useClass or useExisting in forRootAsync. Move it there.',
    }),
  },

  token: {
    timeoutMs: row<number>({
      ...wholeNumber(1, LONGEST_TIMEOUT_MS, 'milliseconds'),
      default: 5_000,
      sentence: 'The time for one attempt at the token endpoint, to its last byte.',
    }),
    maxAttempts: row<number>({
      ...wholeNumber(1, 10),
      default: 3,
      unit: 'attempts',
      sentence: 'The attempts within one renewal.',
    }),
    expiryLeewayMs: row<number>({
      ...wholeNumber(0, Number.MAX_SAFE_INTEGER, 'milliseconds'),
      default: 0,
      sentence: 'How long before its expiry a token counts as expired.',
    }),
    renewAheadMs: row<number>({
      ...wholeNumber(0, Number.MAX_SAFE_INTEGER, 'milliseconds'),
      default: 0,
      sentence: 'The module renews a token in the background this long before its expiry.',
    }),
    atBoot: row<Required<TokenOptions>['atBoot']>({
      flawOf: oneWordOf(['no', 'try', 'require'], 'no, try or require'),
      default: 'no',
      variable: 'text',
      sentence: 'Whether the boot requests a token for each active pair: `no`, `try` or `require`.',
    }),
  },

  http: {
    timeoutMs: row<number>({
      ...wholeNumber(1, LONGEST_TIMEOUT_MS, 'milliseconds'),
      default: 30_000,
      sentence: 'The time for one call: waiting for a token, and both attempts.',
    }),
    retryUnauthorized: row<boolean>({
      flawOf: oneOf([true, false], 'true or false'),
      default: true,
      sentence: 'One refresh and one resend after a 401.',
    }),
    maxRedirects: row<number>({
      ...wholeNumber(0, 20),
      default: 0,
      unit: 'redirects',
      sentence: 'The redirects that API requests follow.',
    }),
    httpsAgent: row<Agent>({
      flawOf: flawOfAgent,
      sentence: 'The connections of API requests and token requests.',
    }),
    transport: row<ProviderTransport>({ flawOf: flawOfTransport, sentence: 'What sends the requests.' }),
    proxy: row({ sentence: 'The proxy for API requests and token requests.' }),
    headers: row({ sentence: 'Headers that are sent with each API request.' }),
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
      refusal: (of) => `belongs one level down: each environment of ${of} has its own token URL.`,
      variable: 'text',
      sentence: (at) => `One URL for all environments; ${endOfTokenUrl(at)}`,
    }),
  },

  /** One environment of an interface. */
  environment: {
    tokenUrl: row<string>({
      need: tokenUrlNeed('environment'),
      flawOf: flawOfTokenUrlAt,
      refusal: (of) => `belongs one level up: one token URL serves all environments of ${of}.`,
      variable: 'text',
      sentence: (at) => `One URL for each environment; ${endOfTokenUrl(at)}`,
    }),
    baseUrl: row<string>({
      need: 'required',
      flawOf: (value, { catalogue }) => flawOfBaseUrl(value, catalogue),
      variable: 'text',
      sentence: 'Authorized requests go under this address and nowhere else.',
    }),
    clientId: row<string>({
      need: 'required',
      flawOf: (value, { catalogue }) =>
        flawOfCredential(value, 'Set it to the client id of this environment.', catalogue.name),
      variable: 'secret',
      sentence: 'The client id of that environment.',
    }),
    clientSecret: row({
      need: needWith('required', 'post', 'basic'),
      flawOf: (value, { catalogue }) =>
        flawOfSource(value, (text) => flawOfClientSecret(text, catalogue.name)),
      refusal: () => 'is not used: this interface authenticates with a private key. Set clientKey.',
      variable: 'secret',
      file: 'secret',
      secretKind: clientSecretOf,
      sentence: 'The client secret of that environment.',
      fileSentence:
        'A file that holds the client secret instead. The file is read again for each token request.',
    }),
    clientKey: row({
      need: needWith('required', 'private_key_jwt'),
      flawOf: (value) => flawOfSource(value, flawOfClientKey),
      file: 'secret',
      secretKind: () => CLIENT_KEY,
      sentence: 'A file that holds the private key. The file is read again for each token request.',
    }),
    keyId: row<string>({
      need: needWith('optional', 'private_key_jwt'),
      flawOf: (value) => flawOfText(value),
      variable: 'text',
      sentence: 'The id under which the provider knows the public key.',
    }),
    tls: row({
      sentence:
        'How the connections of one interface and environment are made, for API requests and token requests.',
    }),
  },

  /** `tls` of one environment. */
  tls: {
    ca: row({
      flawOf: flawOfPem(flawOfAuthorities),
      file: 'pem',
      sentence: 'PEM file of a [private certificate authority](certificates.md).',
    }),
    cert: row({
      flawOf: flawOfPem(flawOfCertificate),
      file: 'pem',
      sentence: 'PEM file of a client certificate.',
    }),
    key: row({
      flawOf: flawOfPem(flawOfKey),
      file: 'pem',
      sentence: 'PEM file of the private key of that certificate.',
    }),
  },
} as const satisfies Readonly<Record<string, Settings>>;

const CLIENT_AUTHS: readonly ClientAuth[] = ['post', 'basic', 'private_key_jwt'];

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
      flawOf: oneOf(['environment', 'interface'], 'environment or interface'),
      default: 'environment',
    }),
    clientAuth: row<ClientAuth, void>({ flawOf: oneOf(CLIENT_AUTHS, CLIENT_AUTHS.join(' or ')) }),
    scope: text(),
    audience: text(),
    resource: text((value) =>
      parsedUrl(value) === undefined || value.includes('#')
        ? 'must be an absolute URI without a fragment (RFC 8707).'
        : undefined,
    ),
    tokenPathExample: text((value) => (value.startsWith('/') ? undefined : 'must begin with a slash.')),
    tokenPath: {},
  },
} as const satisfies Readonly<Record<string, Settings<void>>>;
