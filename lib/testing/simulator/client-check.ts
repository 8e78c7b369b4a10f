import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  verify,
  type X509Certificate,
} from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type {
  AnyPair,
  AssertionEntry,
  Catalogue,
  ClientAuth,
  SigningAlgorithm,
} from '../../catalogue/catalogue.js';
import { ASSERTION_TYPE, SIMULATED_PLATFORM } from '../../catalogue/wire.js';
import { decodedPart } from '../../secrets/assertion-claims.js';
import { ClientCredential } from '../../secrets/client-credential.js';
import {
  keyHeader,
  signatureOptions,
  signingAlgorithms,
  signingInput,
  signWith,
} from '../../secrets/signing-key.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';
import { safely } from '../../values/safely.js';
import type { Addresses } from './addresses.js';
import { createClientCertificate } from './certificate.js';

/** The credentials for one interface and environment. */
export interface SimulatorCredentials {
  /** New at each start. */
  readonly clientId: string;
  /** Contains every character that wrong encoding breaks. Not used if there is a `clientKey` or a `clientAssertion`. */
  readonly clientSecret: string;
  /** The private key as PEM, for an interface with `clientAuth: 'private_key_jwt'` or `'tls_client_auth'`. */
  readonly clientKey?: string;
  /** The key's certificate as PEM, if the definition requires one. */
  readonly clientCertificate?: string;
  /** A new assertion, for an interface with `clientAuth: 'client_assertion'`. */
  readonly clientAssertion?: string;
}

interface Client {
  readonly pair: AnyPair;
  readonly clientId: string;
  readonly clientAuth: ClientAuth;
  readonly assertion: AssertionEntry | undefined;
  clientSecret: string;
  key?: ClientCredential;
}

/** RFC 7523 section 3 leaves it to the server how far ahead the end of an assertion may be. */
const LONGEST_ASSERTION_SECONDS = 600;

/** So long that an application in development needs no new file. */
const PLATFORM_ASSERTION_SECONDS = 30 * 24 * 60 * 60;

const HAVE_SECRET: readonly ClientAuth[] = ['post', 'basic'];

/** The registered clients: one for each pair and account. Says whether a token request comes from one of them. */
export class ClientCheck {
  readonly accounts = new Set<string>();
  readonly #byId = new Map<string, Client>();
  readonly #usedAssertions = new Set<string>();

  constructor(
    private readonly catalogue: Pick<Catalogue, 'pairs' | 'entryOf'>,
    private readonly addresses: Pick<Addresses, 'tokenUrl' | 'issuer'>,
    private readonly now: () => number = Date.now,
    private readonly create: (pair: AnyPair) => SimulatorCredentials = randomCredentials,
  ) {
    for (const pair of catalogue.pairs) this.#register(pair);
  }

  add(account: string): void {
    if (this.accounts.has(account)) return;
    this.accounts.add(account);
    for (const pair of this.catalogue.pairs) this.#register({ ...pair, account });
  }

  of(name: string, environment: string, account?: string): SimulatorCredentials {
    const client = this.#client(name, environment, account);
    const { clientAuth, clientId, clientSecret, key } = client;
    const clientCertificate = key?.certificate;
    return {
      clientId,
      clientSecret,
      ...(clientAuth === 'client_assertion'
        ? { clientAssertion: this.#newAssertion(client) }
        : key && { clientKey: key.reveal() }),
      ...(clientCertificate !== undefined && { clientCertificate }),
    };
  }

  /** Replaces the secret, or what the client has instead, and returns the new one. Earlier assertions are refused. */
  rotate(name: string, environment: string, given?: string, account?: string): string {
    const client = this.#client(name, environment, account);
    if (HAVE_SECRET.includes(client.clientAuth)) return (client.clientSecret = given ?? newSecret());
    const isAssertion = client.clientAuth === 'client_assertion';
    client.key = createKey(client, isAssertion ? undefined : given);
    return isAssertion ? this.#newAssertion(client) : client.key.reveal();
  }

  /** The pair that a client id belongs to, with any credentials. */
  ownerOf(clientId = ''): AnyPair | undefined {
    return this.#byId.get(clientId)?.pair;
  }

  /**
   * The pair whose client has sent a token request, or why no client has.
   *
   * @param form has the fields that this kind of authentication needs.
   */
  check(
    { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
    form: URLSearchParams,
    clientAuth: ClientAuth = 'post',
  ): AnyPair | string {
    const basic = ofHeader(headers.authorization);
    if (clientAuth === 'basic' && basic === undefined)
      return 'no valid credentials in the Authorization header';
    const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
    if (clientAuth === 'tls_client_auth' && certificate === undefined) return 'no client certificate';
    const assertion = form.get('client_assertion');
    if (assertion !== null && form.get('client_assertion_type') !== ASSERTION_TYPE)
      return 'wrong client assertion';

    const client = this.#byId.get(claimedId(headers, form) ?? '');
    if (client === undefined) return 'unknown client id';
    if (assertion !== null) return this.#accepts(assertion, client) ? client.pair : 'wrong or used assertion';
    if (clientAuth === 'tls_client_auth')
      return certificate && this.#isOf(client, certificate) ? client.pair : 'wrong client certificate';
    const secret = basic?.clientSecret ?? form.get('client_secret');
    return client.clientSecret === secret ? client.pair : 'wrong client secret';
  }

  /** By its key: an application that goes on after a restart of the simulator has the certificate from before. */
  #isOf({ pair }: Client, certificate: X509Certificate): boolean {
    // A connection shows the certificate of the pair, whatever the account.
    const { key } = this.#client(pair.interface, pair.environment);
    return key !== undefined && certificate.checkPrivateKey(createPrivateKey(key.reveal()));
  }

  /** As RFC 7523 section 3 says, and as the definition does. */
  #accepts(assertion: string, client: Client): boolean {
    const { clientId, assertion: terms } = client;
    const { iss, sub, aud, exp, iat, jti } = verifiedClaims(assertion, client) ?? {};
    const now = this.now() / 1000;
    const secondsLeft = Number(exp) - now;
    const issuer = terms === undefined ? SIMULATED_PLATFORM : clientId;
    const isOfClient = iss === issuer && sub === clientId && aud === this.#audienceOf(client);
    if (!isOfClient || !(secondsLeft > 0)) return false;
    // The platform's assertion is sent until it expires. An assertion of the client itself is accepted once.
    if (terms === undefined) return true;
    const isBrief = Number(exp) - Number(iat ?? now) <= terms.lifetimeSeconds;
    if (!isBrief || secondsLeft > LONGEST_ASSERTION_SECONDS) return false;
    if (typeof jti !== 'string' || this.#usedAssertions.has(jti)) return false;
    this.#usedAssertions.add(jti);
    return true;
  }

  /** An assertion of the platform on which the client runs, in place of a Kubernetes cluster or a cloud. */
  #newAssertion(client: Client): string {
    const { clientId, key = createKey(client) } = client;
    const iat = Math.floor(this.now() / 1000);
    const claims = {
      iss: SIMULATED_PLATFORM,
      sub: clientId,
      aud: this.#audienceOf(client),
      iat,
      exp: iat + PLATFORM_ASSERTION_SECONDS,
    };
    return signWith(key, signingInput({ ...keyHeader(key, undefined), typ: 'JWT' }, claims));
  }

  #audienceOf({ pair, assertion }: Client): string {
    return this.addresses[assertion?.audience === 'issuer' ? 'issuer' : 'tokenUrl'](pair);
  }

  #register(pair: AnyPair): void {
    const { clientId, clientSecret, clientKey } = this.create(pair);
    const { assertion, clientAuth = 'post' } = this.catalogue.entryOf(pair.interface);
    const client: Client = { pair, clientId, clientAuth, assertion, clientSecret };
    const isPairs = clientAuth === 'tls_client_auth' && pair.account !== undefined;
    if (!HAVE_SECRET.includes(clientAuth) && !isPairs) client.key = createKey(client, clientKey);
    this.#byId.set(clientId, client);
  }

  #client(name: string, environment: string, account?: string): Client {
    const found = [...this.#byId.values()].find(
      ({ pair }) => pair.interface === name && pair.environment === environment && pair.account === account,
    );
    if (!found)
      throw new RangeError(
        `The provider has no interface "${name}" with an environment "${environment}"` +
          (account === undefined ? '.' : ` and an account "${account}". Call addAccount() first.`),
      );
    return found;
  }
}

/** The client that a token request names. The subject of an assertion names it, too (RFC 7521 section 4.2). */
export function claimedId(
  { authorization }: IncomingMessage['headers'],
  form: URLSearchParams,
): string | undefined {
  const [, claims = ''] = form.get('client_assertion')?.split('.') ?? [];
  const subject = decodedPart(claims)?.['sub'];
  const id = form.get('client_id') ?? ofHeader(authorization)?.clientId ?? subject;
  return typeof id === 'string' ? id : undefined;
}

/** RFC 6749 section 2.3.1: both values are encoded as in a form. */
function ofHeader(header = ''): { clientId: string; clientSecret: string } | undefined {
  const [, encoded = ''] = /^Basic ([A-Za-z\d+/=]+)$/.exec(header) ?? [];
  const parts = unpooledText(encoded, 'base64').toString('latin1').split(':');
  const [clientId, clientSecret] = parts.map((part) => new URLSearchParams(`=${part}`).get(''));
  return parts.length === 2 && clientId && clientSecret ? { clientId, clientSecret } : undefined;
}

/** The claims, if the header is as the definition demands and the key of the client has signed them. */
function verifiedClaims(assertion: string, { key, assertion: terms }: Client) {
  const [head = '', body = '', signature = ''] = assertion.split('.');
  const header = decodedPart(head) ?? {};
  if (key?.algorithm === undefined || (header['typ'] ?? 'JWT') !== (terms?.type ?? 'JWT')) return undefined;
  const expected = Object.entries(keyHeader(key, terms?.certificate));
  if (expected.some(([name, value]) => JSON.stringify(header[name]) !== JSON.stringify(value)))
    return undefined;
  const { hash, options } = signatureOptions(key.algorithm);
  const publicKey = { key: createPublicKey(key.reveal()), ...options };
  const isSigned = verify(
    hash,
    Buffer.from(`${head}.${body}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  );
  return isSigned ? decodedPart(body) : undefined;
}

function randomCredentials({ interface: name, environment }: AnyPair): SimulatorCredentials {
  return {
    clientId: `${name}-${environment}-${randomBytes(9).toString('base64url')}`,
    clientSecret: newSecret(),
  };
}

/** Contains every character that wrong encoding breaks. A client that works with it works with any secret. */
function newSecret(): string {
  return `${randomBytes(15).toString('base64url')}&=+% ü${randomBytes(6).toString('base64url')}`;
}

/** A given key that cannot sign as the definition demands is replaced. */
function createKey({ assertion, clientAuth, clientId }: Client, given?: string): ClientCredential {
  const { algorithm: demanded, certificate } = assertion ?? {};
  const usable = given === undefined ? [] : algorithmsOf(given);
  const fits = given !== undefined && (demanded === undefined || usable.includes(demanded));
  const pem = fits ? given : newKey(demanded).export({ format: 'pem', type: 'pkcs8' }).toString();
  const algorithm = demanded ?? (fits ? usable[0] : 'ES256');
  const isCertified = certificate !== undefined || clientAuth === 'tls_client_auth';
  return new ClientCredential(pem, {
    algorithm,
    ...(isCertified && { certificate: createClientCertificate(clientId, createPrivateKey(pem)) }),
  });
}

function algorithmsOf(pem: string): readonly SigningAlgorithm[] {
  const key = safely(() => createPrivateKey(pem), undefined);
  if (key === undefined) throw new TypeError('This client has a private key. Give a private key as PEM.');
  return signingAlgorithms(key);
}

const CURVES: Partial<Record<SigningAlgorithm, string>> = { ES384: 'P-384', ES512: 'P-521' };

function newKey(algorithm: SigningAlgorithm = 'ES256'): KeyObject {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519').privateKey;
  return algorithm.startsWith('ES')
    ? generateKeyPairSync('ec', { namedCurve: CURVES[algorithm] ?? 'P-256' }).privateKey
    : generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
}
