import type { AddressSetting, NamedPair } from './setting-names.js';

/**
 * Every remedy, by what went wrong. Error messages, log lines, the status and the doctor take their advice from here, so
 * that all of them name the same setting and say the same (B29).
 */
export type Trouble =
  /** The certificate is issued by an authority that this process does not know. */
  | 'untrusted-certificate'
  | 'expired-certificate'
  | 'future-certificate'
  /** The certificate is for another host. */
  | 'wrong-name'
  /** The agent of the application accepts any certificate. */
  | 'unchecked-agent'
  /** The server insists on a client certificate. */
  | 'client-certificate'
  /** The name server says that there is no such host. */
  | 'unknown-host'
  /** The name server itself does not answer. */
  | 'name-server'
  | 'refused-connection'
  | 'no-route'
  /** Nothing answers the attempt to connect. */
  | 'no-connection'
  /** There is a proxy on the way, and it cannot be reached. */
  | 'proxy'
  /** The proxy answers, and refuses to connect. */
  | 'proxy-refusal'
  | 'no-tls'
  | 'no-http'
  | 'broken-off'
  /** The answer does not come in time. */
  | 'unanswered'
  | 'unreachable'
  /** The token endpoint refuses the credentials. */
  | 'refused-credentials'
  /** The token endpoint knows the credentials, and gives them no token. */
  | 'refused-grant'
  /** There is no token endpoint under this path. */
  | 'no-endpoint'
  | 'redirect'
  /** Something else answers: a login page, a proxy, another service. */
  | 'other-service'
  /** 408, 425, 429 and 5xx. */
  | 'server-trouble'
  | 'brief-token'
  | 'secret-source'
  /** The API refuses a token that was just obtained. */
  | 'refused-token'
  /** The API accepts the token, and forbids the request. */
  | 'forbidden';

/** How to trust a private authority. This is the only place that says it: boot, errors and the doctor use these words. */
export const TRUST_PRIVATE_AUTHORITY =
  'set NODE_EXTRA_CA_CERTS to its PEM file, or pass http.httpsAgent with its ca';

/** Where a client certificate is configured. */
const CLIENT_CERTIFICATE = 'pass http.httpsAgent with its cert and key';

/** For a trouble that lasts until a setting, a certificate or a network is changed; a 5xx ends by itself. */
const NO_USE_WAITING = 'Waiting does not help.';

interface About extends NamedPair {
  readonly address: AddressSetting;
  /** What the proxy on the way is set by. */
  readonly proxy: string;
}

const ROLES: Readonly<Record<AddressSetting, string>> = {
  tokenUrl: 'the token URL',
  baseUrl: 'the base URL',
};

/** The role of an address and the setting that holds it: `the token URL (PROVIDER_EASY_SANDBOX_TOKEN_URL)`. */
function addressOf({ address, names }: About): string {
  return `${ROLES[address]} (${names[address]})`;
}

function pairOf({ interface: name, environment }: About): string {
  return `${name} ${environment}`;
}

const REMEDIES: Readonly<Record<Trouble, (about: About) => string>> = {
  'untrusted-certificate': () =>
    `If a private authority issued it, ${TRUST_PRIVATE_AUTHORITY}. If a proxy of your network opens TLS, that is its ` +
    `authority. Otherwise an attacker may be in between: do not trust it. ${NO_USE_WAITING}`,
  'expired-certificate': () =>
    `Tell the provider. If that day is still to come, the clock of this machine is wrong. ${NO_USE_WAITING}`,
  'future-certificate': () => 'Check the clock of this machine; if it is right, tell the provider.',
  'wrong-name': (about) =>
    `Compare the host of ${addressOf(about)} with what the provider gave you; a DNS entry or a hosts file may lead elsewhere. ${NO_USE_WAITING}`,
  'unchecked-agent': () =>
    `Do not set rejectUnauthorized to false. To trust a private authority, ${TRUST_PRIVATE_AUTHORITY}.`,
  'client-certificate': () => `The endpoint wants a client certificate. To send one, ${CLIENT_CERTIFICATE}.`,
  'unknown-host': (about) =>
    `Check the spelling of the host of ${addressOf(about)}; if it is right, only other name servers know it: a VPN or a private network may be missing. ${NO_USE_WAITING}`,
  'name-server': () =>
    'The name server of this machine does not answer. Check its network and its DNS settings.',
  'refused-connection': (about) =>
    `Nothing listens there: compare host and port of ${addressOf(about)} with what the provider gave you, or ask whether the service is down.`,
  'no-route': () => 'There is no route to it from here: check the network, the VPN and the firewall.',
  'no-connection': (about) =>
    `A firewall may swallow the packets: allow outgoing connections to the host of ${addressOf(about)}, or set HTTPS_PROXY if this network needs one.`,
  proxy: ({ proxy }) =>
    proxy === 'http.proxy'
      ? 'Check http.proxy; if the provider is reached without a proxy, set it to false.'
      : 'Check HTTPS_PROXY; if the provider is reached without a proxy, name its host in NO_PROXY.',
  'proxy-refusal': (about) =>
    `Check ${about.proxy}: the address and the credentials of the proxy, and whether it allows the host of ${addressOf(about)}.`,
  'no-tls': (about) =>
    `Check the port of ${addressOf(about)}: what listens there may not speak TLS, or wants a client certificate.`,
  'no-http': (about) =>
    `What answers speaks no HTTP. Check the port of ${addressOf(about)}; if it is right, tell the provider.`,
  'broken-off': (about) =>
    `Something ends the connection. If it lasts, check the port of ${addressOf(about)} and the firewall, and ask the provider.`,
  unanswered: ({ address }) =>
    `Check the provider and the network, or raise ${address === 'tokenUrl' ? 'token' : 'http'}.timeoutMs.`,
  unreachable: (about) => `Check ${addressOf(about)}, DNS, the network and the proxy.`,
  'refused-credentials': (about) =>
    `Check ${about.names.clientId} and ${about.names.clientSecret}: both must be those of ${pairOf(about)}, and the secret the newest one.`,
  'refused-grant': ({ names }) =>
    `The endpoint knows no right of these credentials (${names.clientId}) to ask for a token. Ask your account representative to grant client_credentials.`,
  'no-endpoint': ({ names }) =>
    `No token endpoint is there. Compare the path in ${names.tokenUrl} with the address that the provider gave you.`,
  redirect: (about) => `Set ${addressOf(about)} to the final address.`,
  'other-service': (about) =>
    `Check ${addressOf(about)}; a proxy or a login page may be answering in its place.`,
  'server-trouble': () => 'Wait for the provider; if it lasts, ask them.',
  'brief-token': () => 'Ask the provider why the token endpoint is slow or its tokens live so briefly.',
  'secret-source': ({ names }) =>
    `Check the function or the file that gives the client secret (${names.clientSecret}).`,
  'refused-token': (about) =>
    `Set ${addressOf(about)} to the address of ${pairOf(about)}; if it is right, check the credentials (${about.names.clientId}, ${about.names.clientSecret}): both must be those of ${pairOf(about)}.`,
  forbidden: ({ names }) =>
    `These credentials (${names.clientId}) have no right to this path. Ask your account representative, or take another path.`,
};

/** What to do about a trouble on the way to an address of this pair, to its token URL where none is named. */
export function remedyOf(
  trouble: Trouble,
  { interface: name, environment, names }: NamedPair,
  address: AddressSetting = 'tokenUrl',
  proxy = 'HTTPS_PROXY and NO_PROXY',
): string {
  return REMEDIES[trouble]({ interface: name, environment, names, address, proxy });
}
