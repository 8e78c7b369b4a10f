import { setTimeout as pauseFor } from 'node:timers/promises';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { type TokenStatus, TrackedTokenProvider } from '../../../lib/token/token-provider.js';
import { HOUR } from '../../support/token/token-fixtures.js';
import type { Build } from './builds.js';
import type { InstancePlan } from './instance-plan.js';

const LATER_MS = 15;
const FIRST = 'canary-token-1';
const SECOND = 'canary-token-2';

/** A token provider that does what a plan says, with the same tokens on both sides. Records what the client asks for. */
export class PlannedTokens extends TrackedTokenProvider {
  readonly interface = 'easy';
  readonly environment = 'sandbox';
  readonly active = true;
  readonly calls: string[] = [];
  readonly #build: Build;
  #plan: Pick<InstancePlan, 'token' | 'renewal'> = { token: 'cached', renewal: 'another' };

  constructor(build: Build) {
    super();
    this.#build = build;
  }

  follow(plan: Pick<InstancePlan, 'token' | 'renewal'>): void {
    this.#plan = plan;
    this.calls.length = 0;
  }

  useIfValid(): AccessToken | undefined {
    return this.#plan.token === 'cached' ? this.#token(FIRST) : undefined;
  }

  getToken(): Promise<AccessToken> {
    this.calls.push('getToken');
    if (this.#plan.token === 'fetched later') return pauseFor(LATER_MS).then(() => this.#token(FIRST));
    return this.#plan.token === 'fails'
      ? Promise.reject(this.#failure())
      : Promise.resolve(this.#token(FIRST));
  }

  renew(refused: AccessToken): Promise<AccessToken> {
    this.calls.push(`renew ${refused.reveal()}`);
    if (this.#plan.renewal === 'fails') return Promise.reject(this.#failure());
    return Promise.resolve(this.#plan.renewal === 'same' ? refused : this.#token(SECOND));
  }

  /** Older builds call `renew` here. */
  renewForNextCall(refused: AccessToken): void {
    this.calls.push(`renew ${refused.reveal()}`);
  }

  pauseRenewals(refused: AccessToken): boolean {
    this.calls.push(`pauseRenewals ${refused.reveal()}`);
    return true;
  }

  readonly isInUse = true;
  readonly hasWorked = false;

  of(): this {
    return this;
  }

  for(): this {
    return this;
  }

  reportRefusal(token: AccessToken): void {
    this.calls.push(`reportRefusal ${token.reveal()}`);
  }

  // Not in the comparison, as older builds call nothing here.
  reportHelp(): void {}

  reportSuccess(token: AccessToken): void {
    this.calls.push(`reportSuccess ${token.reveal()}`);
  }

  status(): TokenStatus {
    return { interface: this.interface, environment: this.environment, active: true, state: 'valid' };
  }

  #token(value: string): AccessToken {
    const { AccessToken: Token, Deadline, systemClock } = this.#build;
    return new Token(value, { deadline: Deadline.after(systemClock, HOUR), lifetimeMs: HOUR });
  }

  #failure(): Error {
    return new this.#build.TokenRequestError(this, {
      code: 'TOKEN_UNAVAILABLE',
      transient: true,
      reason: 'the plan says so.',
      remedy: 'Try again.',
    });
  }
}
