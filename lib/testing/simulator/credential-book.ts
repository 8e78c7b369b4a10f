import { createPrivateKey, generateKeyPairSync, type KeyPairKeyObjectResult, randomBytes } from 'node:crypto';
import type {
  AnyPair,
  AssertionEntry,
  Catalogue,
  ClientAuth,
  SigningAlgorithm,
} from '../../catalogue/catalogue.js';
import { signingAlgorithms } from '../../secrets/signing-key.js';
import { safely } from '../../values/safely.js';
import type { Addresses } from './addresses.js';
import { createClientCertificate } from './certificate.js';
import {
  checkAssertion,
  type ClaimedClient,
  isPlatformAssertion,
  platformAssertion,
} from './client-check.js';

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

interface Entry {
  readonly pair: AnyPair;
  readonly clientId: string;
  readonly clientAuth: ClientAuth;
  readonly assertion: AssertionEntry | undefined;
  clientSecret: string;
  clientKey: string | undefined;
  clientCertificate: string | undefined;
}

interface BookSettings {
  readonly create?: ((pair: AnyPair) => SimulatorCredentials) | undefined;
  /** By this clock assertions are valid: milliseconds since 1970. */
  readonly now?: () => number;
  /** What assertions are for. */
  readonly addresses?: Pick<Addresses, 'tokenUrl' | 'issuer'>;
}

/** The credentials of each interface and environment, new at each start (S5). */
export class CredentialBook {
  readonly #entries: Entry[];
  readonly #byClientId = new Map<string, Entry>();
  readonly #create: (pair: AnyPair) => Entry;
  readonly #usedAssertions = new Set<string>();
  readonly #now: () => number;
  readonly #addresses: BookSettings['addresses'];

  constructor(
    { pairs, entryOf }: Pick<Catalogue, 'pairs' | 'entryOf'>,
    { create = randomCredentials, now = Date.now, addresses }: BookSettings = {},
  ) {
    this.#now = now;
    this.#addresses = addresses;
    this.#create = (pair) => {
      const { clientId, clientSecret, clientKey } = create(pair);
      const { assertion, clientAuth = 'post' } = entryOf(pair.interface);
      const entry = {
        pair,
        clientId,
        clientAuth,
        assertion,
        clientSecret,
        clientKey: undefined,
        clientCertificate: undefined,
      };
      const isPairs = clientAuth === 'tls_client_auth' && pair.account !== undefined;
      if (!HAVE_SECRET.includes(clientAuth) && !isPairs) setKey(entry, clientKey);
      this.#byClientId.set(clientId, entry);
      return entry;
    };
    this.#entries = pairs.map(this.#create);
  }

  get hasAccounts(): boolean {
    return this.#entries.some(({ pair }) => pair.account !== undefined);
  }

  /** Gives an account credentials for each pair. */
  add(account: string): void {
    const pairs = this.#entries.filter(({ pair }) => pair.account === undefined);
    if (this.#entries.some(({ pair }) => pair.account === account)) return;
    this.#entries.push(...pairs.map(({ pair }) => this.#create({ ...pair, account })));
  }

  /** What `accounts` of the options returns. */
  ofAccount(name: string, environment: string, account: string): SimulatorCredentials | undefined {
    const isKnown = this.#entries.some(({ pair }) => pair.account === account);
    return isKnown ? this.of(name, environment, account) : undefined;
  }

  of(name: string, environment: string, account?: string): SimulatorCredentials {
    const entry = this.#entry(name, environment, account);
    const { clientAuth, clientId, clientSecret, clientKey, clientCertificate } = entry;
    if (clientAuth === 'client_assertion')
      return { clientId, clientSecret, clientAssertion: this.#newAssertion(entry) };
    return {
      clientId,
      clientSecret,
      ...(clientKey !== undefined && { clientKey }),
      ...(clientCertificate !== undefined && { clientCertificate }),
    };
  }

  /** Replaces the secret, or what the client has instead, and returns the new one. Earlier assertions are refused. */
  rotate(name: string, environment: string, given?: string, account?: string): string {
    const entry = this.#entry(name, environment, account);
    if (HAVE_SECRET.includes(entry.clientAuth)) return (entry.clientSecret = given ?? newSecret());
    if (entry.clientAuth !== 'client_assertion') return setKey(entry, given);
    setKey(entry, undefined);
    return this.#newAssertion(entry);
  }

  /** The pair that a client id belongs to, with any secret. */
  ownerOf(clientId: string): AnyPair | undefined {
    return this.#byClientId.get(clientId)?.pair;
  }

  /** Whether the client is who it claims to be. An assertion is accepted once (RFC 7523 section 3). */
  accepts(claimed: ClaimedClient): boolean {
    const { clientId, clientSecret, assertion } = claimed;
    const entry = this.#byClientId.get(clientId);
    if (entry === undefined) return false;
    const { pair, clientAuth, assertion: terms } = entry;
    if (HAVE_SECRET.includes(clientAuth)) return entry.clientSecret === clientSecret;
    // A connection shows the certificate of the pair, whatever the account.
    const { clientKey, clientCertificate: certificate } =
      clientAuth === 'tls_client_auth' ? this.#entry(pair.interface, pair.environment) : entry;
    if (clientKey === undefined) return false;
    const privateKey = createPrivateKey(clientKey);
    // By its key: an application that goes on after a restart of the simulator has the certificate from before.
    if (clientAuth === 'tls_client_auth') return claimed.certificate?.checkPrivateKey(privateKey) === true;
    if (assertion === undefined) return false;
    const expected = { clientId, privateKey, audience: this.#audienceOf(entry), now: this.#now() };
    if (terms === undefined) return isPlatformAssertion(assertion, expected);
    const jti = checkAssertion(assertion, { ...expected, certificate, terms });
    if (jti === undefined || this.#usedAssertions.has(jti)) return false;
    this.#usedAssertions.add(jti);
    return true;
  }

  #newAssertion(entry: Entry): string {
    const { clientId, clientKey = '' } = entry;
    const privateKey = createPrivateKey(clientKey);
    return platformAssertion({ clientId, privateKey, audience: this.#audienceOf(entry), now: this.#now() });
  }

  #audienceOf({ pair, assertion }: Entry): string {
    return this.#addresses?.[assertion?.audience === 'issuer' ? 'issuer' : 'tokenUrl'](pair) ?? '';
  }

  #entry(name: string, environment: string, account?: string): Entry {
    const found = this.#entries.find(
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

const HAVE_SECRET: readonly ClientAuth[] = ['post', 'basic'];

function randomCredentials({ interface: name, environment }: AnyPair): SimulatorCredentials {
  return {
    clientId: `${name}-${environment}-${randomBytes(9).toString('base64url')}`,
    clientSecret: newSecret(),
  };
}

/** Contains every character that wrong encoding breaks (S2). A client that works with it works with any secret. */
function newSecret(): string {
  return `${randomBytes(15).toString('base64url')}&=+% ü${randomBytes(6).toString('base64url')}`;
}

/** A key that cannot sign as the definition demands is replaced. */
function setKey(entry: Entry, given: string | undefined): string {
  const { algorithm, certificate } = entry.assertion ?? {};
  const isCertified = certificate !== undefined || entry.clientAuth === 'tls_client_auth';
  const usable = given === undefined ? [] : algorithmsOf(given);
  const fits = given !== undefined && (algorithm === undefined || usable.includes(algorithm));
  const key = fits ? given : newKey(algorithm);
  entry.clientKey = key;
  entry.clientCertificate = isCertified
    ? createClientCertificate(entry.clientId, createPrivateKey(key))
    : undefined;
  return key;
}

function algorithmsOf(pem: string): readonly SigningAlgorithm[] {
  const key = safely(() => createPrivateKey(pem), undefined);
  if (key === undefined) throw new TypeError('This client has a private key. Give a private key as PEM.');
  return signingAlgorithms(key);
}

const CURVES: Partial<Record<SigningAlgorithm, string>> = { ES384: 'P-384', ES512: 'P-521' };

function newKey(algorithm: SigningAlgorithm = 'ES256'): string {
  const { privateKey } = newKeys(algorithm);
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

function newKeys(algorithm: SigningAlgorithm): KeyPairKeyObjectResult {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return algorithm.startsWith('ES')
    ? generateKeyPairSync('ec', { namedCurve: CURVES[algorithm] ?? 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 });
}
