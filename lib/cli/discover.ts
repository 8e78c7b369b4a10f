import type { ClientAuth } from '../catalogue/catalogue.js';
import { flawOfAddress } from '../config/rules/url-rules.js';
import { GRANT_TYPE } from '../catalogue/wire.js';
import { errorCode } from '../errors/error-code.js';
import { Agents } from '../net/agents.js';
import { cancellationBy, readLimited, sendOwnRequest } from '../wire/own-request.js';
import { parseObject } from '../token/endpoint/token-response.js';
import { CannotRun } from './environment.js';
import { harmless } from './server-text.js';
import { type Output, Terminal } from './terminal.js';

const LARGEST_BODY = 256 * 1024;
const LONGEST_MS = 10_000;

/** How the metadata calls the ways to authenticate of this module (RFC 8414 section 2). */
const METHODS = new Map<string, readonly ClientAuth[]>([
  ['client_secret_post', ['post']],
  ['client_secret_basic', ['basic']],
  // An assertion that another system has signed is sent in the same way, and has no name there.
  ['private_key_jwt', ['private_key_jwt', 'client_assertion']],
  ['tls_client_auth', ['tls_client_auth']],
  ['self_signed_tls_client_auth', ['tls_client_auth']],
]);

type Metadata = Exclude<ReturnType<typeof readMetadata>, string>;

interface Discovery extends Partial<Metadata> {
  readonly ok: boolean;
  readonly issuer: string;
  readonly documents: readonly { readonly url: string; readonly ok: boolean; readonly detail: string }[];
}

/**
 * Reads what a provider publishes about its token endpoint, and prints it. A person puts it into a definition and its variables. The
 * application does not read the metadata: a token request would need one more server.
 */
export async function discover(issuer: string, asJson: boolean, stdout: Output): Promise<0 | 1> {
  const flaw =
    flawOfAddress(issuer, 'Write it in full, starting with https://.') ??
    (issuer.includes('?') ? 'contains a query (?…).' : undefined) ??
    (issuer.includes('/.well-known/')
      ? 'is that of its metadata. Leave out /.well-known/ and what follows.'
      : undefined);
  if (flaw !== undefined)
    throw new CannotRun(`--issuer takes the https address of a provider. The address ${flaw}`);
  const discovery = await discovered(issuer);
  stdout.write(asJson ? `${JSON.stringify(discovery, null, 2)}\n` : linesOf(discovery, stdout));
  return discovery.ok ? 0 : 1;
}

/** The first document that describes the issuer counts. */
async function discovered(issuer: string): Promise<Discovery> {
  const documents: Discovery['documents'][number][] = [];
  for (const url of addressesOf(issuer)) {
    const found = await metadataAt(url, issuer);
    const ok = typeof found !== 'string';
    documents.push({ url, ok, detail: ok ? 'describes this issuer' : found });
    if (ok) return { ok: found.problems.length === 0, issuer, documents, ...found };
  }
  return { ok: false, issuer, documents };
}

/** RFC 8414 section 3 inserts its name before the path of the issuer. OpenID Connect Discovery section 4 appends it. */
function addressesOf(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

async function metadataAt(url: string, issuer: string): Promise<Metadata | string> {
  const signal = AbortSignal.timeout(LONGEST_MS);
  const { cancellation, release } = cancellationBy(signal);
  const agents = new Agents({});
  try {
    const agent = agents.agentFor(new URL(url), {}, true);
    const headers = ['Accept', 'application/json'];
    const { response, error } = await sendOwnRequest({ method: 'GET', url, headers, agent, cancellation });
    if (response === undefined) throw error;
    const { status } = response;
    const body = await readLimited(response, LARGEST_BODY);
    if (status !== 200) return `answered with status ${status}`;
    if (body === undefined) return `is larger than ${LARGEST_BODY / 1024} KiB`;
    const document = parseObject(body);
    return document === undefined ? 'is not a JSON object' : readMetadata(document, issuer);
  } catch (error) {
    if (signal.aborted) return `did not answer within ${LONGEST_MS / 1000} s`;
    const code = errorCode(error);
    return `could not be read${code === undefined ? '' : ` (${code})`}`;
  } finally {
    release();
    agents.retire();
  }
}

function readMetadata(document: Readonly<Record<string, unknown>>, issuer: string) {
  // RFC 8414 section 3.3: otherwise one server could speak for another. The text of the server is not repeated.
  if (document['issuer'] !== issuer)
    return 'does not name this issuer. Compare the two addresses exactly, including a slash at the end';
  const url = document['token_endpoint'];
  if (typeof url !== 'string' || flawOfAddress(url, '') !== undefined)
    return 'has no token_endpoint that is an https address';
  // RFC 8414 section 2: the default if the server says nothing.
  const methods = textsIn(document, 'token_endpoint_auth_methods_supported') ?? ['client_secret_basic'];
  const clientAuth = methods.flatMap((method) => METHODS.get(method) ?? []);
  // Many servers leave this list out, although they have the grant.
  const grants = textsIn(document, 'grant_types_supported');
  return {
    tokenUrl: new URL(url).href,
    methods: methods.map(harmless),
    /** The same ways in the words of a definition. A way that this module does not have is left out. */
    clientAuth: [...new Set(clientAuth)],
    /** Why a token request of this module cannot work with this server. */
    problems: [
      ...(clientAuth.length === 0
        ? ['The server lists no authentication method that this module supports.']
        : []),
      ...(grants?.includes(GRANT_TYPE) === false
        ? [
            `The server does not list the grant type ${GRANT_TYPE}. Ask the provider for it, or set grantType.`,
          ]
        : []),
    ],
  };
}

function textsIn(document: Readonly<Record<string, unknown>>, member: string): readonly string[] | undefined {
  const value = document[member];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : undefined;
}

function linesOf({ issuer, documents, problems = [], ...metadata }: Discovery, stdout: Output): string {
  const terminal = new Terminal(stdout);
  const [good, bad] = [terminal.paint('green', '✔'), terminal.paint('red', '✘')];
  const facts = {
    'token URL': metadata.tokenUrl,
    'authentication methods': metadata.methods && harmless(metadata.methods.join(', ')),
    clientAuth: metadata.clientAuth?.join(', '),
  };
  return [
    terminal.paint('bold', issuer),
    ...documents.map(({ url, ok, detail }) => `  ${ok ? good : bad} ${url} ${detail}`),
    ...Object.entries(facts).flatMap(([name, fact]) => (fact ? `  ${name}: ${fact}` : [])),
    ...problems.map((problem) => `  ${bad} ${problem}`),
    '',
  ].join('\n');
}
