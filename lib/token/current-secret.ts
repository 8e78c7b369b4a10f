import type { Profile } from '../config/options/profile.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import type { Secret } from '../secrets/secret.js';
import type { Clock, TimerKind } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';
import { secretSourceFailure } from './endpoint/token-failures.js';

const LOOK_AGAIN_MS = 1_000;
/** Callers in a cool-down are to be answered at once: a slow source is not waited for longer than this. */
const LONGEST_LOOK_MS = 250;

/** The client secret as its source gives it now, and whether that is still the one last used (B8). */
export class CurrentSecret {
  readonly #profile: Profile;
  readonly #clock: Clock;
  #used: Secret | undefined;
  #nextLook: Deadline | undefined;
  #foreseen: { readonly reading: Promise<Secret>; readonly until: Deadline } | undefined;

  constructor(profile: Profile, clock: Clock) {
    this.#profile = profile;
    this.#clock = clock;
  }

  /** The secret of the last token request. */
  get lastUsed(): Secret | undefined {
    return this.#used;
  }

  /**
   * For whoever must know the secret before it is used: the token request that follows soon goes by this reading, a
   * failed one included, so that there is still one for each token request (B8).
   */
  async foresee(withinMs: number, kind: TimerKind): Promise<Secret> {
    const reading = this.#read(withinMs, kind);
    try {
      return await reading;
    } finally {
      this.#foreseen = { reading, until: Deadline.after(this.#clock, LOOK_AGAIN_MS) };
    }
  }

  /** The secret for a token request. Rejects with `TokenRequestError`; nothing of the source's own error is repeated. */
  async use(withinMs: number, kind: TimerKind): Promise<Secret> {
    const foreseen = this.#freshlyForeseen();
    this.#foreseen = undefined;
    this.#used = await (foreseen ?? this.#read(withinMs, kind));
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
    const foreseen = this.#freshlyForeseen();
    if (foreseen) return (await this.#ifChanged(foreseen)) !== undefined;
    if (this.#nextLook && !this.#nextLook.hasCome(this.#clock)) return false;
    this.#nextLook = Deadline.after(this.#clock, LOOK_AGAIN_MS);
    return (await this.#readIfChanged(LONGEST_LOOK_MS, kind)) !== undefined;
  }

  #freshlyForeseen(): Promise<Secret> | undefined {
    return this.#foreseen?.until.hasCome(this.#clock) === false ? this.#foreseen.reading : undefined;
  }

  #readIfChanged(withinMs: number, kind: TimerKind): Promise<Secret | undefined> {
    return this.#ifChanged(this.#read(withinMs, kind));
  }

  /** A source that fails to give one has not changed: there is nothing to try. */
  async #ifChanged(reading: Promise<Secret>): Promise<Secret | undefined> {
    const secret = await reading.catch(() => undefined);
    return secret && this.#used && !secret.equals(this.#used) ? secret : undefined;
  }

  /** Async, so that a source that throws instead of rejecting is no different. */
  async #ask(): Promise<Secret> {
    return this.#profile.clientSecret.read();
  }

  #read(withinMs: number, kind: TimerKind): Promise<Secret> {
    return new Promise((resolve, reject) => {
      const fail = (how: 'failed' | 'slow'): void => {
        reject(new TokenRequestError(this.#profile, secretSourceFailure(how, this.#profile)));
      };
      const disarm = this.#clock.after(withinMs, () => fail('slow'), kind);
      void this.#ask()
        .then(resolve, () => fail('failed'))
        .finally(disarm);
    });
  }
}
