import type { PeerCertificate } from 'node:tls';
import {
  BUILT_IN_NAME,
  capitals,
  type InterfaceTerms,
  isOfBuiltIn,
  issuerOf,
  pairName,
  type ProviderTerms,
} from '../catalogue/catalogue.js';
import { GRANT_TYPE } from '../catalogue/wire.js';
import { TOLERABLE_CLOCK_MS } from '../time/server-clock.js';
import { type AddressSetting, type CredentialKind, credentialName, type NamedPair } from './setting-names.js';

/** @param ca the setting of the interface and environment that is meant: a variable, or the path of an option. */
export function trustPrivateAuthority(ca: string): string {
  if (ca.startsWith('ca of ')) return `add its certificate to ${ca}`;
  return ca.endsWith('_FILE') ? `set ${ca} to its PEM file, or tls.ca in code` : `set ${ca} to its PEM text`;
}

/** The same where no interface and environment is meant. */
export function trustAnyPrivateAuthority(provider: string = BUILT_IN_NAME): string {
  return trustPrivateAuthority(`${capitals(provider)}_<IFACE>_<ENV>_CA_FILE`);
}

export const OWN_CREDENTIALS = 'Each environment has its own credentials: put each in its place.';

/** Two environments have the same client secret. Not refused at boot: a provider for tests may give the same secret twice. */
export function sameSecretProblem({ names, sameSecretAs }: NamedPair): string | undefined {
  if (sameSecretAs === undefined) return undefined;
  return `${names.clientSecret} has the same value as ${sameSecretAs}. ${OWN_CREDENTIALS}`;
}

/** The token endpoint may refuse a client assertion for the clock of this machine, because an assertion says when it ends. */
export function clockProblem({ credential }: Pick<NamedPair, 'credential'>, aheadMs = 0): string | undefined {
  if (credential !== 'key' || Math.abs(aheadMs) <= TOLERABLE_CLOCK_MS) return undefined;
  const off = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  return `The clock of this machine is ${off} the clock of the token endpoint, so the endpoint may refuse each client assertion. Set the clock of this machine with NTP.`;
}

/** How a definition accepts an answer that the standard does not allow. The built-in provider has no such member. */
export function remedyInDefinition(member: keyof ProviderTerms | undefined, pair: NamedPair): string {
  return member === undefined || isOfBuiltIn(pair)
    ? ''
    : `If the documentation of the provider says so, set ${member} in the definition. `;
}

/** For a problem that lasts until someone changes a setting, a certificate or a network. A 5xx ends by itself. */
const NO_USE_WAITING = 'Waiting does not help.';

/** @param proxy the settings that choose the proxy. Undefined if the request has none. */
interface About extends NamedPair {
  readonly address: AddressSetting;
  readonly proxy: string | undefined;
}

/** The role of an address and the setting that holds it: `the token URL (PROVIDER_EASY_SANDBOX_TOKEN_URL)`. */
function addressOf({ address, names }: About): string {
  return `the ${address === 'tokenUrl' ? 'token' : 'base'} URL (${names[address]})`;
}

function proxyOf({ proxy = 'HTTPS_PROXY and NO_PROXY' }: About): string {
  return proxy;
}

const CREDENTIAL_CHECKS: Readonly<Record<CredentialKind, (about: About) => string>> = {
  secret: (about) => `${bothCredentials(about)}, and the secret must be the newest one`,
  key: (about) => `${bothCredentials(about)}, and ${registeredKey(about)}`,
  assertion: (about) =>
    `Check the assertion in ${about.names.clientSecret} and what the provider trusts: its issuer, subject and audience must be registered for the client of ${pairName(about)}`,
  certificate: (about) => `${bothCredentials(about)}, and this certificate must be registered for the client`,
};

function bothCredentials(about: About): string {
  const { clientId, clientSecret } = about.names;
  return `Check ${clientId} and ${clientSecret}: both must belong to ${pairName(about)}`;
}

function registeredKey({ names: { keyId, clientCertificate, issuer } }: About): string {
  return [
    clientCertificate === undefined
      ? 'the provider must know the public key of this key'
      : `the provider must know the certificate in ${clientCertificate}`,
    keyId !== undefined && `If the provider gave the key an id, ${keyId} must be this id`,
    issuer !== undefined && `${issuer} must be what the provider calls its issuer, to the letter`,
  ]
    .filter((one) => one !== false)
    .join('. ');
}

/** The members of these that a token request of the pair has. */
function membersIn(about: About, members: readonly (keyof InterfaceTerms)[]): string | undefined {
  const sent = members.filter((member) => about.terms?.[member] !== undefined || member === 'clientAuth');
  const last = sent.pop();
  return sent.length > 0 ? `${sent.join(', ')} and ${last}` : last;
}

const REQUEST_MEMBERS = ['clientAuth', 'grantType', 'scope', 'audience', 'resource', 'params'] as const;

/** Where a definition holds a member of a token request. Of these, the built-in provider has none. */
function definitionOf(about: About): string {
  return `the interface ${about.interface} of your definition ${about.provider}`;
}

/** Many providers accept a secret in one place only, and call a secret in the other place wrong. */
function otherPlaceOfSecret(about: About): string {
  const { clientAuth = 'post' } = about.terms ?? {};
  const other = clientAuth === 'post' ? 'basic' : 'post';
  const isSecret = clientAuth === 'post' || clientAuth === 'basic';
  if (isOfBuiltIn(about) || about.providerCode !== undefined || !isSecret) return '';
  return ` The provider may also expect clientAuth '${other}' in ${definitionOf(about)}, instead of '${clientAuth}'.`;
}

function grantedTarget(about: About): string {
  const target = membersIn(about, ['audience', 'resource']);
  return target === undefined
    ? ''
    : ` Check ${target} too, in ${definitionOf(about)} or in for(): the provider must have granted this client access to that API.`;
}

/**
 * Every trouble, and what to do about it. Error messages, log lines, the status and the doctor read the same row, so that all of them
 * name the same setting and give the same advice.
 */
const REMEDIES = {
  'expired-certificate': ({ names }) =>
    `Report this to the provider. If your own authority's certificate has expired, put the new one into ${names.ca}. If no ` +
    `certificate has expired, this machine's clock is wrong. ${NO_USE_WAITING}`,
  'wrong-name': (about) =>
    `Compare the host of ${addressOf(about)} with what the provider gave you. A DNS entry or a hosts file may point to another server. ${NO_USE_WAITING}`,
  'untrusted-certificate': ({ names }) =>
    `If a private authority issued the certificate, ${trustPrivateAuthority(names.ca)}. If a proxy in your network decrypts TLS, trust that ` +
    `proxy's authority. Otherwise, someone may be intercepting the connection: do not trust the certificate. ${NO_USE_WAITING}`,
  'client-certificate': ({ names }) =>
    `The server demands a client certificate. Set ${names.cert} and ${names.key}.`,
  'refused-client-certificate': (about) =>
    `The server does not accept the client certificate. Check ${about.names.cert}: it must belong to ${pairName(about)}, must not have expired, and must come from an authority that the provider trusts.`,
  'unknown-host': (about) =>
    `Check the spelling of the host of ${addressOf(about)}. If it is right, only other name servers know this host: a VPN or a private network may be missing. ${NO_USE_WAITING}`,
  'name-server': () =>
    'The name server of this machine does not answer. Check its network and its DNS settings.',
  'refused-connection': (about) =>
    `No server listens there. Compare host and port of ${addressOf(about)} with what the provider gave you, or ask whether the service is down.`,
  'no-connection': (about) =>
    `A firewall may drop the packets. Allow outgoing connections to the host of ${addressOf(about)}, or set HTTPS_PROXY if this network needs one.`,
  proxy: (about) => {
    const proxy = proxyOf(about);
    if (proxy === 'http.httpsAgent') return 'Check the proxy of http.httpsAgent.';
    return proxy === 'http.proxy'
      ? 'Check http.proxy. If this network reaches the provider without a proxy, set it to false.'
      : `Check ${proxy.replace(/,? (?:and )?NO_PROXY.*/, '')}. If this network reaches the provider without a proxy, name its host in NO_PROXY.`;
  },
  // The proxy answers, but it does not connect to the server.
  'proxy-refusal': (about) =>
    `Check ${proxyOf(about)}: the address and the credentials of the proxy, and whether it allows the host of ${addressOf(about)}.`,
  'no-http': (about) =>
    `The server there does not speak HTTP/1.1. Check the port of ${addressOf(about)}. If the port is right, report this to the provider.`,
  'no-tls': (about) => {
    const port = `Check the port of ${addressOf(about)}. The server there may not speak TLS, or demands a client certificate.`;
    // A proxy without a scheme gets that of the request: `https:`.
    return about.proxy === undefined
      ? port
      : `${port} Check ${about.proxy}, too: unless the proxy itself speaks TLS, its address begins with http://.`;
  },
  'broken-off': (about) => {
    // With TLS 1.3, a server refuses the certificate after the handshake, and some servers only close the connection then.
    const reason =
      about.tls?.endsAt === undefined
        ? ''
        : `If the server refuses the client certificate (${about.names.cert}), it may close the connection. `;
    return `The connection was closed. ${reason}If this lasts, check the port of ${addressOf(about)} and the firewall, and ask the provider.`;
  },
  unanswered: ({ proxy, address }) =>
    `Check ${proxy === undefined ? '' : `the proxy (${proxy}), `}the provider and the network, or raise ${address === 'tokenUrl' ? 'token' : 'http'}.timeoutMs.`,
  unreachable: (about) => `Check ${addressOf(about)}, DNS, the network and the proxy.`,
  'refused-credentials': (about) =>
    `${CREDENTIAL_CHECKS[about.credential ?? 'secret'](about)}. If both are right, compare ${about.names.tokenUrl} with the address that the provider gave you.${otherPlaceOfSecret(about)}`,
  // The endpoint refuses a member of a definition. The built-in provider has no such members.
  'refused-scope': (about) => {
    const members = membersIn(about, ['scope', 'audience', 'resource']);
    return members === undefined
      ? `The token request has no scope, audience or resource. If the documentation of the provider names one, set it in ${definitionOf(about)}.`
      : `Check ${members}, in ${definitionOf(about)} or in for(), to the letter: the provider must have granted this client (${about.names.clientId}) access to it.`;
  },
  'refused-request': (about) =>
    `The token request probably has a missing, additional or wrong field. Compare ${membersIn(about, REQUEST_MEMBERS)} in ${definitionOf(about)} with the documentation of the provider, then ${about.names.tokenUrl} with the address that the provider gave you.`,
  // The endpoint knows the credentials, but issues no token for them.
  'refused-grant': (about) =>
    `The endpoint does not allow these credentials (${about.names.clientId}) to request a token. Ask ${issuerOf(about)} to grant ${about.terms?.grantType ?? GRANT_TYPE}.${grantedTarget(about)}`,
  redirect: (about) => `Set ${addressOf(about)} to the final address.`,
  'other-service': (about) => `Check ${addressOf(about)}. A proxy or a login page may answer in its place.`,
  // There is nothing at this path, or JSON without a token, such as the metadata of the provider.
  'other-address': ({ names }) =>
    `${names.tokenUrl} is probably not the address of a token endpoint. Compare it with the address that the provider gave you.`,
  // 408, 425, 429 and 5xx, and an answer that came too late.
  'server-trouble': () => 'Wait for the provider. If this lasts, ask the provider.',
  'too-many-requests': (about) =>
    `Ask ${issuerOf(about)} how often this client may request a token. If many processes use this client, let them share a token: set the option store.`,
  'secret-source': (about) =>
    `Check the function or the file that provides the ${credentialName(about)} (${about.names.clientSecret}).`,
  // The API refuses a token that was just obtained.
  'refused-token': (about) =>
    `Set ${addressOf(about)} to the address of ${pairName(about)}. If it is right, check the credentials (${about.names.clientId}, ${about.names.clientSecret}): both must belong to ${pairName(about)}.`,
  'refused-token-later': (about) =>
    `The API accepted tokens before. Ask ${issuerOf(about)} whether ${about.names.clientId} is blocked, or whether the API has changed.`,
  // The API finds nothing, whatever the request asks for.
  'not-found': (about) => `Check the path of ${addressOf(about)}, and the paths of the requests.`,
  forbidden: (about) =>
    `These credentials (${about.names.clientId}) have no access to this path. Ask ${issuerOf(about)} for access, or use another path.`,
} as const satisfies Readonly<Record<string, (about: About) => string>>;

export type Trouble = keyof typeof REMEDIES;

interface Sign {
  readonly codes: RegExp;
  /** What is wrong with the server's certificate. Another attempt would get the same certificate. */
  readonly flaw?: string;
  /** The connection was not opened. With a proxy, this process connects only to the proxy. */
  readonly isUnconnected?: true;
}

/** The codes of Node's errors for each trouble between this process and a server. The first row with a code counts. */
const SIGNS: Readonly<Partial<Record<Trouble, Sign>>> = {
  'expired-certificate': {
    codes: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    flaw: 'or that of an authority above it has expired or is not valid yet',
  },
  'wrong-name': {
    codes: /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    flaw: 'is for another host name',
  },
  'untrusted-certificate': {
    codes:
      /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF|GET_CRL|DECRYPT|DECODE)|DEPTH_ZERO_SELF|SELF_SIGNED|INVALID_(CA|PURPOSE)|PATH_LENGTH|CRL_)/,
    flaw: 'is not trusted',
  },
  'client-certificate': { codes: /ALERT_CERTIFICATE_REQUIRED$/ },
  'refused-client-certificate': {
    codes: /ALERT_(UNKNOWN_CA|(BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_\w+)$/,
  },
  'unknown-host': { codes: /^ENOTFOUND$/, isUnconnected: true },
  'name-server': { codes: /^EAI_/, isUnconnected: true },
  'refused-connection': { codes: /^ECONNREFUSED$/, isUnconnected: true },
  'no-connection': { codes: /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, isUnconnected: true },
  // The URL of the request was checked, so the URL of the proxy is invalid.
  proxy: { codes: /^ERR_INVALID_URL$/ },
  'no-http': { codes: /^HPE_|ALERT_NO_APPLICATION_PROTOCOL$/ },
  'no-tls': { codes: /^(EPROTO$|ERR_SSL_)/ },
  'broken-off': { codes: /^(ECONNRESET|EPIPE)$/ },
};

/** What went wrong between this process and a server, by the code of Node's error. */
export function networkTrouble(code = ''): Trouble {
  const names = Object.keys(SIGNS) as Trouble[];
  return names.find((name) => SIGNS[name]?.codes.test(code)) ?? 'unreachable';
}

export function troubleBehindProxy(trouble: Trouble, hasProxy: boolean): Trouble {
  return hasProxy && SIGNS[trouble]?.isUnconnected ? 'proxy' : trouble;
}

/** Whether the certificate is the problem. Another attempt would get the same certificate. */
export function isMatterOfTrust(trouble: Trouble): boolean {
  return SIGNS[trouble]?.flaw !== undefined;
}

/** The certificate of an authority may be the one that has expired. Then the days of the server's certificate say nothing. */
export function certificateFlaw(
  certificate: Pick<PeerCertificate, 'valid_from' | 'valid_to'> | undefined,
  trouble: Trouble,
): string {
  if (trouble === 'expired-certificate' && certificate !== undefined) {
    const [from, to] = [new Date(certificate.valid_from), new Date(certificate.valid_to)];
    if (to < new Date()) return `expired on ${dayOf(to)}`;
    if (from > new Date()) return `is not valid before ${dayOf(from)}`;
    if (to > new Date())
      return 'is valid, but a certificate above it in the chain has expired or is not valid yet';
  }
  return SIGNS[trouble]?.flaw ?? 'is not trusted';
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** @param proxy the settings that choose the proxy, if the request may go through one. */
export function remedyOf(
  trouble: Trouble,
  pair: NamedPair,
  address: AddressSetting = 'tokenUrl',
  proxy?: string,
): string {
  // The settings of a pair are the same for all its accounts.
  return REMEDIES[trouble]({ ...pair, account: undefined, address, proxy });
}
