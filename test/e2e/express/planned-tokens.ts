import { setTimeout as pauseFor } from 'node:timers/promises';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { systemClock } from '../../../lib/time/clock.js';
import { type TokenStatus, TrackedTokenProvider } from '../../../lib/token/token-provider.js';
import { tokenOf } from '../../support/token/token-fixtures.js';
import type { InstancePlan } from './instance-plan.js';

const LATER_MS = 15;
const FIRST = 'canary-token-1';
const SECOND = 'canary-token-2';

/** A token provider that does what a plan says, with the same tokens on both paths. Records what the client asks for. */
export class PlannedTokens extends TrackedTokenProvider {
  readonly interface = 'easy';
  readonly environment = 'sandbox';
  readonly active = true;
  readonly calls: string[] = [];
  #plan: Pick<InstancePlan, 'token' | 'renewal'> = { token: 'cached', renewal: 'another' };

  follow(plan: Pick<InstancePlan, 'token' | 'renewal'>): void {
    this.#plan = plan;
    this.calls.length = 0;
  }

  useIfValid(): AccessToken | undefined {
    return this.#plan.token === 'cached' ? newToken(FIRST) : undefined;
  }

  getToken(): Promise<AccessToken> {
    this.calls.push('getToken');
    if (this.#plan.token === 'fetched later') return pauseFor(LATER_MS).then(() => newToken(FIRST));
    return this.#plan.token === 'fails' ? Promise.reject(failure(this)) : Promise.resolve(newToken(FIRST));
  }

  renew(refused: AccessToken): Promise<AccessToken> {
    this.calls.push(`renew ${refused.reveal()}`);
    if (this.#plan.renewal === 'fails') return Promise.reject(failure(this));
    return Promise.resolve(this.#plan.renewal === 'same' ? refused : newToken(SECOND));
  }

  pauseRenewals(refused: AccessToken): boolean {
    this.calls.push(`pauseRenewals ${refused.reveal()}`);
    return true;
  }

  reportSuccess(token: AccessToken): void {
    this.calls.push(`reportSuccess ${token.reveal()}`);
  }

  status(): TokenStatus {
    return { interface: this.interface, environment: this.environment, active: true, state: 'valid' };
  }
}

function newToken(value: string): AccessToken {
  return tokenOf(systemClock, value);
}

function failure(pair: PlannedTokens): TokenRequestError {
  return new TokenRequestError(pair, {
    code: 'TOKEN_UNAVAILABLE',
    transient: true,
    reason: 'the plan says so.',
    remedy: 'Try again.',
  });
}
