import { randomBytes } from 'node:crypto';
import {
  PROVIDER_PAIRS,
  type ProviderEnvironment,
  type ProviderInterface,
  type ProviderPair,
} from '../../catalogue/provider-catalogue.js';

/** What an account representative hands over for one environment. */
export interface SimulatorCredentials {
  /** Made anew at each start. */
  readonly clientId: string;
  /** Holds every character that careless encoding breaks. */
  readonly clientSecret: string;
}

/** The credentials of each interface and environment, made anew at each start (S5). */
export class CredentialBook {
  readonly #entries = PROVIDER_PAIRS.map((pair) => ({
    pair,
    clientId: `${pair.interface}-${pair.environment}-${randomBytes(9).toString('base64url')}`,
    clientSecret: newSecret(),
  }));

  of(name: ProviderInterface, environment: ProviderEnvironment): SimulatorCredentials {
    const { clientId, clientSecret } = this.#entry(name, environment);
    return { clientId, clientSecret };
  }

  rotate(name: ProviderInterface, environment: ProviderEnvironment, secret = newSecret()): string {
    this.#entry(name, environment).clientSecret = secret;
    return secret;
  }

  /** Whose client id this is, whether or not the secret fits. */
  ownerOf(clientId: string): ProviderPair | undefined {
    return this.#entries.find((entry) => entry.clientId === clientId)?.pair;
  }

  accepts(clientId: string, clientSecret: string): boolean {
    return this.#entries.some((entry) => entry.clientId === clientId && entry.clientSecret === clientSecret);
  }

  #entry(name: ProviderInterface, environment: ProviderEnvironment) {
    const found = this.#entries.find(
      ({ pair }) => pair.interface === name && pair.environment === environment,
    );
    if (!found)
      throw new RangeError(`The provider has no interface "${name}" with an environment "${environment}".`);
    return found;
  }
}

/** Holds every character that careless encoding breaks (S2): a client that works with it works with any secret. */
function newSecret(): string {
  return `${randomBytes(15).toString('base64url')}&=+% ü${randomBytes(6).toString('base64url')}`;
}
