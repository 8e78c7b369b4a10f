import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { AnyPair, Catalogue } from '../../catalogue/catalogue.js';
import { checkAssertion, type ClaimedClient } from './client-check.js';

/** The credentials of one interface and environment. */
export interface SimulatorCredentials {
  /** New at each start. */
  readonly clientId: string;
  /** Contains every character that wrong encoding breaks. Not used if there is a `clientKey`. */
  readonly clientSecret: string;
  /** PEM of the private key of an interface with `clientAuth: 'private_key_jwt'`. */
  readonly clientKey?: string;
}

interface Entry {
  readonly pair: AnyPair;
  readonly clientId: string;
  clientSecret: string;
  clientKey: string | undefined;
}

/** Where an assertion arrived, and when. */
interface Receipt {
  readonly tokenUrl: string;
  readonly now: number;
}

/** The credentials of each interface and environment, new at each start (S5). */
export class CredentialBook {
  readonly #entries: readonly Entry[];
  readonly #usedAssertions = new Set<string>();

  constructor(
    { pairs, entryOf }: Catalogue,
    create: (pair: AnyPair) => SimulatorCredentials = randomCredentials,
  ) {
    this.#entries = pairs.map((pair) => {
      const { clientId, clientSecret, clientKey } = create(pair);
      const hasKey = entryOf(pair.interface).clientAuth === 'private_key_jwt';
      return { pair, clientId, clientSecret, clientKey: hasKey ? (clientKey ?? newKey()) : undefined };
    });
  }

  of(name: string, environment: string): SimulatorCredentials {
    const { clientId, clientSecret, clientKey } = this.#entry(name, environment);
    return { clientId, clientSecret, ...(clientKey !== undefined && { clientKey }) };
  }

  /** Replaces the secret, or the private key if the client has one. Returns the new one. */
  rotate(name: string, environment: string, given?: string): string {
    const entry = this.#entry(name, environment);
    if (entry.clientKey !== undefined) return (entry.clientKey = given ?? newKey());
    return (entry.clientSecret = given ?? newSecret());
  }

  /** The pair that a client id belongs to, with any secret. */
  ownerOf(clientId: string): AnyPair | undefined {
    return this.#entries.find((entry) => entry.clientId === clientId)?.pair;
  }

  /** Whether the client is who it claims to be. An assertion is accepted once (RFC 7523 section 3). */
  accepts({ clientId, clientSecret, assertion }: ClaimedClient, { tokenUrl, now }: Receipt): boolean {
    const entry = this.#entries.find((one) => one.clientId === clientId);
    if (entry === undefined) return false;
    if (assertion === undefined) return entry.clientSecret === clientSecret;
    if (entry.clientKey === undefined) return false;
    const privateKey = createPrivateKey(entry.clientKey);
    const jti = checkAssertion(assertion, { clientId, privateKey, tokenUrl, now });
    if (jti === undefined || this.#usedAssertions.has(jti)) return false;
    this.#usedAssertions.add(jti);
    return true;
  }

  #entry(name: string, environment: string): Entry {
    const found = this.#entries.find(
      ({ pair }) => pair.interface === name && pair.environment === environment,
    );
    if (!found)
      throw new RangeError(`The provider has no interface "${name}" with an environment "${environment}".`);
    return found;
  }
}

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

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}
