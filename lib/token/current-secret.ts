import type { Profile } from '../config/profile.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import type { Secret } from '../secrets/secret.js';
import type { Clock, TimerKind } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';
import { secretSourceFailure } from './token-failures.js';

const LOOK_AGAIN_MS = 1_000;
/** Callers in a cool-down are to be answered at once: a slow source is not waited for longer than this. */
const LONGEST_LOOK_MS = 250;

/** The client secret as its source gives it now, and whether that is still the one last used (B8). */
export class CurrentSecret {
  readonly #profile: Profile;
  readonly #clock: Clock;
  #used: Secret | undefined;
  #nextLook: Deadline | undefined;

  constructor(profile: Profile, clock: Clock) {
    this.#profile = profile;
    this.#clock = clock;
  }

  /** The secret for a token request. Rejects with `TokenRequestError`; nothing of the source's own error is repeated. */
  async use(withinMs: number, kind: TimerKind): Promise<Secret> {
    this.#used = await this.#read(withinMs, kind);
    this.#nextLook = undefined;
    return this.#used;
  }

  /** After a refusal: the secret for one more token request, if the source gives another one by now. */
  async useIfChanged(withinMs: number, kind: TimerKind): Promise<Secret | undefined> {
    const changed = await this.#readIfChanged(withinMs, kind);
    if (changed) this.#used = changed;
    return changed;
  }

  /** In a cool-down: whether the source gives another secret by now. Looks at most once a second (B7). */
  async hasChanged(kind: TimerKind): Promise<boolean> {
    if (this.#nextLook && !this.#nextLook.hasCome(this.#clock)) return false;
    this.#nextLook = Deadline.after(this.#clock, LOOK_AGAIN_MS);
    return (await this.#readIfChanged(LONGEST_LOOK_MS, kind)) !== undefined;
  }

  /** A source that fails to give one has not changed: there is nothing to try. */
  async #readIfChanged(withinMs: number, kind: TimerKind): Promise<Secret | undefined> {
    const secret = await this.#read(withinMs, kind).catch(() => undefined);
    return secret && this.#used && !secret.equals(this.#used) ? secret : undefined;
  }

  /** Async, so that a source that throws instead of rejecting is no different. */
  async #ask(): Promise<Secret> {
    return this.#profile.clientSecret.read();
  }

  #read(withinMs: number, kind: TimerKind): Promise<Secret> {
    return new Promise((resolve, reject) => {
      const fail = (how: 'failed' | 'slow'): void => {
        reject(new TokenRequestError(this.#profile, secretSourceFailure(how)));
      };
      const disarm = this.#clock.after(withinMs, () => fail('slow'), kind);
      void this.#ask()
        .then(resolve, () => fail('failed'))
        .finally(disarm);
    });
  }
}
