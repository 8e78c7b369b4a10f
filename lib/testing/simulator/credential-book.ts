import { randomBytes } from 'node:crypto';
import type { AnyPair, Catalogue } from '../../catalogue/catalogue.js';

/** The credentials of one interface and environment. */
export interface SimulatorCredentials {
  /** New at each start. */
  readonly clientId: string;
  /** Contains every character that wrong encoding breaks. */
  readonly clientSecret: string;
}

/** The credentials of each interface and environment, new at each start (S5). */
export class CredentialBook {
  readonly #entries: readonly { readonly pair: AnyPair; readonly clientId: string; clientSecret: string }[];

  constructor({ pairs }: Catalogue) {
    this.#entries = pairs.map((pair) => ({
      pair,
      clientId: `${pair.interface}-${pair.environment}-${randomBytes(9).toString('base64url')}`,
      clientSecret: newSecret(),
    }));
  }

  of(name: string, environment: string): SimulatorCredentials {
    const { clientId, clientSecret } = this.#entry(name, environment);
    return { clientId, clientSecret };
  }

  rotate(name: string, environment: string, secret = newSecret()): string {
    this.#entry(name, environment).clientSecret = secret;
    return secret;
  }

  /** The pair that a client id belongs to, with any secret. */
  ownerOf(clientId: string): AnyPair | undefined {
    return this.#entries.find((entry) => entry.clientId === clientId)?.pair;
  }

  accepts(clientId: string, clientSecret: string): boolean {
    return this.#entries.some((entry) => entry.clientId === clientId && entry.clientSecret === clientSecret);
  }

  #entry(name: string, environment: string) {
    const found = this.#entries.find(
      ({ pair }) => pair.interface === name && pair.environment === environment,
    );
    if (!found)
      throw new RangeError(`The provider has no interface "${name}" with an environment "${environment}".`);
    return found;
  }
}

/** Contains every character that wrong encoding breaks (S2). A client that works with it works with any secret. */
function newSecret(): string {
  return `${randomBytes(15).toString('base64url')}&=+% ü${randomBytes(6).toString('base64url')}`;
}
