import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  verify,
  type X509Certificate,
} from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import {
  type AnyPair,
  type Catalogue,
  type ClientAuth,
  CREDENTIAL_OPTIONS,
  type InterfaceEntry,
  type SigningAlgorithm,
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
import { createClientCertificate } from './certificate-authority.js';

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

/** The registered client of a pair, or of one of its accounts. */
export interface Client {
  readonly pair: AnyPair;
  readonly clientId: string;
  readonly entry: InterfaceEntry;
  clientSecret: string;
  /** Undefined for a client with a secret. A client with assertions of the platform has the key of the platform. */
  key?: ClientCredential;
}

/** RFC 7523 section 3 leaves it to the server how far ahead the end of an assertion may be. */
const LONGEST_ASSERTION_SECONDS = 600;

/** So long that an application in development needs no new file. */
const PLATFORM_ASSERTION_SECONDS = 30 * 24 * 60 * 60;

/** The registered clients: one for each pair and account. Says whether a token request comes from one of them. */
export class ClientCheck {
  readonly accounts = new Set<string>();
  readonly #byId = new Map<unknown, Client>();
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

  of(pair: AnyPair): SimulatorCredentials {
    const client = this.#client(pair);
    const { clientId, clientSecret, key } = client;
    const clientCertificate = key?.certificate;
    return {
      clientId,
      clientSecret,
      ...(client.entry.clientAuth === 'client_assertion'
        ? { clientAssertion: this.#newAssertion(client) }
        : key && { clientKey: key.reveal() }),
      ...(clientCertificate !== undefined && { clientCertificate }),
    };
  }

  /** Replaces the secret, or what the client has instead, and returns the new one. Earlier assertions are refused. */
  rotate(pair: AnyPair, given?: string): string {
    const client = this.#client(pair);
    if (hasSecret(client.entry)) return (client.clientSecret = given ?? newSecret());
    const isAssertion = client.entry.clientAuth === 'client_assertion';
    client.key = createKey(client, isAssertion ? undefined : given);
    return isAssertion ? this.#newAssertion(client) : client.key.reveal();
  }

  /** The client that a token request names. The subject of an assertion names it, too (RFC 7521 section 4.2). */
  named({ authorization }: IncomingHttpHeaders, form: URLSearchParams): Client | undefined {
    const [, claims = ''] = form.get('client_assertion')?.split('.') ?? [];
    const id = form.get('client_id') ?? basicIn(authorization)?.clientId ?? decodedPart(claims)?.['sub'];
    return this.#byId.get(id);
  }

  /**
   * Returns the client if the token request proves that this client sent it. Otherwise returns why the request is refused.
   *
   * @param client the client that the request names.
   * @param form has the fields that this kind of authentication needs.
   */
  check(
    client: Client | undefined,
    { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
    form: URLSearchParams,
    clientAuth: ClientAuth = 'post',
  ): Client | string {
    const basic = basicIn(headers.authorization);
    if (clientAuth === 'basic' && basic === undefined)
      return 'no valid credentials in the Authorization header';
    const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
    if (clientAuth === 'tls_client_auth' && certificate === undefined) return 'no client certificate';
    const assertion = form.get('client_assertion');
    if (assertion !== null && form.get('client_assertion_type') !== ASSERTION_TYPE)
      return 'wrong client assertion';

    if (client === undefined) return 'unknown client id';
    if (assertion !== null) return this.#accepts(assertion, client) ? client : 'wrong or used assertion';
    if (clientAuth === 'tls_client_auth')
      return certificate && this.#isOf(client, certificate) ? client : 'wrong client certificate';
    const secret = basic?.clientSecret ?? form.get('client_secret');
    return client.clientSecret === secret ? client : 'wrong client secret';
  }

  /** By its key: an application that goes on after a restart of the simulator has the certificate from before. */
  #isOf({ pair }: Client, certificate: X509Certificate): boolean {
    // A connection shows the certificate of the pair, whatever the account.
    const { key } = this.#client({ ...pair, account: undefined });
    return key !== undefined && certificate.checkPrivateKey(createPrivateKey(key.reveal()));
  }

  /** As RFC 7523 section 3 says, and as the definition does. */
  #accepts(assertion: string, client: Client): boolean {
    const { clientId, entry } = client;
    const { iss, sub, aud, exp, iat, jti } = verifiedClaims(assertion, client) ?? {};
    const now = this.now() / 1000;
    const secondsLeft = Number(exp) - now;
    const issuer = entry.assertion === undefined ? SIMULATED_PLATFORM : clientId;
    const isOfClient = iss === issuer && sub === clientId && aud === this.#audienceOf(client);
    if (!isOfClient || !(secondsLeft > 0)) return false;
    // The platform's assertion is sent until it expires. An assertion of the client itself is accepted once.
    if (entry.assertion === undefined) return true;
    const isBrief = Number(exp) - Number(iat ?? now) <= entry.assertion.lifetimeSeconds;
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

  #audienceOf({ pair, entry }: Client): string {
    return this.addresses[entry.assertion?.audience ?? 'tokenUrl'](pair);
  }

  #register(pair: AnyPair): void {
    const { clientId, clientSecret, clientKey } = this.create(pair);
    const entry = this.catalogue.entryOf(pair.interface);
    const client: Client = { pair, clientId, entry, clientSecret };
    const isPairs = entry.clientAuth === 'tls_client_auth' && pair.account !== undefined;
    if (!hasSecret(entry) && !isPairs) client.key = createKey(client, clientKey);
    this.#byId.set(clientId, client);
  }

  #client({ interface: name, environment, account }: AnyPair): Client {
    const found = [...this.#byId.values()].find(
      ({ pair }) => pair.interface === name && pair.environment === environment && pair.account === account,
    );
    if (found) return found;
    throw new RangeError(
      `The provider has no interface "${name}" with an environment "${environment}"` +
        (account === undefined ? '.' : ` and an account "${account}". Call addAccount() first.`),
    );
  }
}

function hasSecret({ clientAuth = 'post' }: InterfaceEntry): boolean {
  return CREDENTIAL_OPTIONS[clientAuth] === 'clientSecret';
}

/** RFC 6749 section 2.3.1: both values are encoded as in a form. */
function basicIn(header = ''): Pick<SimulatorCredentials, 'clientId' | 'clientSecret'> | undefined {
  const [, encoded = ''] = /^Basic ([A-Za-z\d+/=]+)$/.exec(header) ?? [];
  const parts = unpooledText(encoded, 'base64').toString('latin1').split(':');
  const [clientId, clientSecret] = parts.map((part) => new URLSearchParams(`=${part}`).get(''));
  return parts.length === 2 && clientId && clientSecret ? { clientId, clientSecret } : undefined;
}

/** The claims, if the header is as the definition demands and the key of the client has signed them. */
function verifiedClaims(assertion: string, { key, entry }: Client) {
  const [head = '', body = '', signature = ''] = assertion.split('.');
  const { certificate, type: typ = 'JWT' } = entry.assertion ?? {};
  if (key?.algorithm === undefined) return undefined;
  // RFC 7519 section 5.1: a header without a type is that of a JWT.
  const header = { typ: 'JWT', ...decodedPart(head) };
  if (!isDeepStrictEqual(header, { ...header, ...keyHeader(key, certificate), typ })) return undefined;
  const { hash, options } = signatureOptions(key.algorithm);
  const publicKey = { key: createPublicKey(key.reveal()), ...options };
  const signed = Buffer.from(`${head}.${body}`);
  const isSigned = verify(hash, signed, publicKey, Buffer.from(signature, 'base64url'));
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
function createKey({ clientId, entry: { assertion, clientAuth } }: Client, given?: string): ClientCredential {
  const demanded = assertion?.algorithm;
  const usable = given === undefined ? [] : signingAlgorithms(privateKeyOf(given));
  const fits = demanded === undefined || usable.includes(demanded);
  const pem = given !== undefined && fits ? given : newKey(demanded);
  const key = createPrivateKey(pem);
  const [usual] = signingAlgorithms(key);
  const isCertified = assertion?.certificate !== undefined || clientAuth === 'tls_client_auth';
  return new ClientCredential(pem, {
    algorithm: demanded ?? usual,
    ...(isCertified && { certificate: createClientCertificate(clientId, key) }),
  });
}

function privateKeyOf(pem: string): KeyObject {
  const key = safely(() => createPrivateKey(pem), undefined);
  if (key === undefined) throw new TypeError('This client has a private key. Give a private key as PEM.');
  return key;
}

const CURVES: Partial<Record<SigningAlgorithm, string>> = { ES384: 'P-384', ES512: 'P-521' };

function newKey(algorithm: SigningAlgorithm = 'ES256'): string {
  const { privateKey } = newKeyPair(algorithm);
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

function newKeyPair(algorithm: SigningAlgorithm): KeyPairKeyObjectResult {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  if (!algorithm.startsWith('ES')) return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return generateKeyPairSync('ec', { namedCurve: CURVES[algorithm] ?? 'P-256' });
}
