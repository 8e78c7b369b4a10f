import type { TokenSettings } from '../../config/profile.js';
import type { StoreClaim } from '../../config/token-store.js';
import type { AccessToken } from '../../secrets/access-token.js';
import type { Clock } from '../../time/clock.js';
import type { FleetEntry } from './fleet-entry.js';
import type { TokenNeed } from '../token-source.js';

/** A token that this process had, and where and as what it lies in the store, if it does. */
interface Remembered {
  readonly token: AccessToken;
  readonly name?: string | undefined;
  readonly value?: string | undefined;
}

/** What this process knows of the fleet's token before it looks: the one that it had last, and the one that was refused. */
export class FleetMemory {
  #last: Remembered | undefined;
  #refused: AccessToken | undefined;

  constructor(
    private readonly settings: Pick<TokenSettings, 'expiryLeewayMs'>,
    private readonly clock: Clock,
  ) {}

  keep(last: Remembered): AccessToken {
    this.#last = last;
    return last.token;
  }

  /** Remembered until another is refused: a store may bring a refused token back at any time. */
  refuse(token: AccessToken | undefined): void {
    this.#refused = token ?? this.#refused;
  }

  isRefused(token: AccessToken): boolean {
    return isSame(token, this.#refused);
  }

  /** What is known to be no answer before it is read: spares a trip, and takes a refused token from the others too (B10). */
  unwanted(entry: FleetEntry): StoreClaim['unwanted'] {
    const last = this.#last;
    if (last?.value === undefined || last.name !== entry.name) return undefined;
    return { value: last.value, remove: this.isRefused(last.token) };
  }

  /** Being asked again says that the last token does not do: refused, or ended by this process's own clocks (S11). */
  isAnswer(token: AccessToken, need: TokenNeed): boolean {
    const last = this.#last?.token;
    const leewayMs = Math.min(this.settings.expiryLeewayMs, token.lifetimeMs / 2);
    if (token.endsWithin(leewayMs, this.clock) || isSame(token, last) || this.isRefused(token)) return false;
    return (
      need.reason !== 'ahead' ||
      last === undefined ||
      token.remainingMs(this.clock) > last.remainingMs(this.clock)
    );
  }
}

function isSame(token: AccessToken, other: AccessToken | undefined): boolean {
  return other !== undefined && token.equals(other);
}
