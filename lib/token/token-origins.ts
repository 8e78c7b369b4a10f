import type { Clock } from '../time/clock.js';
import { TokenConnections } from './endpoint/token-connections.js';
import { RequestPlaces } from './request-places.js';

/** The token origins of an application. All pairs and accounts of all providers with the same origin share what it has. */
export class TokenOrigins {
  readonly #known = new Map<string, TokenOrigin>();

  constructor(private readonly clock: Clock) {}

  of(tokenUrl: string): TokenOrigin {
    const { origin } = new URL(tokenUrl);
    const known = this.#known.get(origin) ?? new TokenOrigin(this.clock);
    this.#known.set(origin, known);
    return known;
  }
}

class TokenOrigin {
  readonly connections = new TokenConnections();
  readonly places: RequestPlaces;

  constructor(clock: Clock) {
    this.places = new RequestPlaces(clock, () => this.connections.endIdle());
  }
}
