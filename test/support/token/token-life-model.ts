import type { Scheduler } from 'fast-check';
import type { Profile } from '../../../lib/config/options/profile.js';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import { AccessToken } from '../../../lib/secrets/access-token.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { Deadline } from '../../../lib/time/deadline.js';
import { Tokens } from '../../../lib/token/tokens.js';
import { Renewal } from '../../../lib/token/renewal.js';
import { Outage } from '../../../lib/token/outage.js';
import type { TokenRequestManner } from '../../../lib/token/endpoint/token-endpoint.js';
import { outlivedFailure } from '../../../lib/token/endpoint/token-failures.js';
import type { TokenNeed } from '../../../lib/token/token-source.js';
import { TroubleReport } from '../../../lib/token/trouble-report.js';
import { type FakeClock, settled } from './fake-clock.js';
import { failureOf, profileOf, SteeredSecret, freeSlot } from './token-fixtures.js';

/** What the endpoint answers; the life is that of a token in milliseconds. */
export type Answer =
  | { readonly kind: 'token'; readonly lifetimeMs: number }
  | { readonly kind: 'same token again' }
  | { readonly kind: 'transient'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'refusal' }
  | { readonly kind: 'nonsense' };

export interface LifeSettings {
  readonly expiryLeewayMs: number;
  readonly renewAheadMs: number;
  readonly maxAttempts: number;
}

export class BrokenInvariant extends Error {}

/** A token and its promised life: all that the check of a returned token needs. */
interface Renewed {
  readonly value: string;
  /** Calls with a higher number came after the renewal of this token had begun. */
  readonly call: number;
}

/**
 * The real sources of one profile over a played endpoint, and records all that the invariants need. The
 * scheduler decides when the endpoint answers, the list of answers what.
 */
export class TokenLife {
  readonly provider: Tokens;
  readonly waiting = new Map<number, { readonly abort: AbortController; readonly name: string }>();
  readonly #secret = new SteeredSecret('secret 0');
  readonly #issued: AccessToken[] = [];
  readonly #handedOut: AccessToken[] = [];
  #rotations = 0;
  #requests = 0;
  /** The renewal under way, and how many requests it has made. */
  #need: TokenNeed = { reason: 'cold' };
  #attempts = 0;
  #underWay = 0;
  #renewals: Renewed[] = [];
  #unproven = false;
  /** A renewal has failed since the last token. */
  #isOutage = false;
  #lastError: TokenRequestError | undefined;
  /** The secret of the last request. The present one may have been rotated while that request was under way. */
  #sent = '';
  #cooled: { readonly until: Deadline; readonly sent: string; readonly definitive: boolean } | undefined;

  constructor(
    readonly name: 'A' | 'B',
    private readonly clock: FakeClock,
    private readonly scheduler: Scheduler,
    private readonly answers: () => Answer,
    random: () => number,
    settings: LifeSettings,
    private readonly note: (line: string) => void,
    private readonly nextCall: () => number,
  ) {
    const profile: Profile = profileOf({
      environment: name === 'A' ? 'sandbox' : 'production',
      clientId: new Secret(`client ${name}`),
      clientSecret: this.#secret,
    });
    const endpoint = { request: this.#request.bind(this) };
    const silent = { error: () => {}, warn: () => {}, log: () => {} };
    const report = new TroubleReport(profile, silent);
    const { maxAttempts } = settings;
    const renewal = new Renewal({
      profile,
      slot: () => freeSlot(clock),
      endpoint,
      settings: { timeoutMs: 5_000, maxAttempts },
      outage: new Outage(clock, random),
      report,
      clock,
      random,
    });
    this.provider = new Tokens({
      profile,
      settings,
      source: {
        obtain: (need) => {
          this.#need = need;
          this.#attempts = 0;
          return renewal.obtain(need).catch((error: unknown) => {
            if (error instanceof TokenRequestError) this.#noteCoolDown(error);
            throw error;
          });
        },
      },
      report,
      clock,
    });
  }

  get(): void {
    this.#watch('getToken', (signal) => this.provider.getToken({ signal }));
  }

  /** Some caller's request, made with a token that was handed out, is answered with 401. */
  refuse(which: number): void {
    const refused = this.#handedOut.at(-1 - (which % 4));
    if (refused === undefined) return;
    const before = this.provider.useIfValid();
    this.#watch(`renew(${refused.reveal()})`, (signal) => {
      const renewal = this.provider.renew(refused, { signal });
      if (before?.equals(refused)) this.#checkRenewal(refused);
      return renewal;
    });
  }

  /** Some caller's request, made with a token that was handed out, is answered with 200. */
  accept(which: number): void {
    const token = this.#handedOut.at(-1 - (which % 4));
    if (token === undefined) return;
    this.note(`${this.name} reportSuccess(${token.reveal()})`);
    if (this.provider.useIfValid()?.equals(token)) this.#unproven = false;
    this.provider.reportSuccess(token);
  }

  abort(which: number): void {
    const callers = [...this.waiting.keys()];
    const call = callers[which % Math.max(1, callers.length)];
    if (call === undefined) return;
    this.note(`${this.name} abort #${call}`);
    this.waiting.get(call)?.abort.abort(new Error('aborted by its caller'));
  }

  rotate(): void {
    this.#rotations += 1;
    this.#secret.gives(`secret ${this.#rotations}`);
    this.note(`${this.name} secret ${this.#rotations}`);
  }

  close(): void {
    this.note(`${this.name} close`);
    this.provider.close();
  }

  #watch(what: string, begin: (signal: AbortSignal) => Promise<AccessToken>): void {
    const call = this.nextCall();
    const abort = new AbortController();
    this.note(`${this.name} #${call} ${what}`);
    this.waiting.set(call, { abort, name: what });
    void this.#follow(call, begin(abort.signal));
  }

  async #follow(call: number, promise: Promise<AccessToken>): Promise<void> {
    try {
      const token = await promise;
      this.note(`${this.name} #${call} → ${token.reveal()}`);
      this.#checkReturnedToken(call, token);
      this.#handedOut.push(token);
    } catch (error) {
      if (error instanceof BrokenInvariant) this.broken ??= error;
      this.note(`${this.name} #${call} → ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      this.waiting.delete(call);
    }
  }

  /** The first invariant that was found broken. */
  broken: BrokenInvariant | undefined;

  #fail(message: string): never {
    this.broken ??= new BrokenInvariant(`${this.name}: ${message}`);
    throw this.broken;
  }

  #checkReturnedToken(call: number, token: AccessToken): void {
    if (token.endsWithin(0, this.clock))
      this.#fail(`#${call} was given ${token.reveal()}, which has expired`);
    if (!token.reveal().startsWith(`${this.name}-`))
      this.#fail(`#${call} was given ${token.reveal()}, which is another profile's`);
    const renewed = this.#renewals.find((one) => one.value === token.reveal() && one.call < call);
    if (renewed) {
      this.#fail(
        `#${call} was given ${token.reveal()}, whose renewal had begun after #${renewed.call} and has brought no other`,
      );
    }
  }

  /** `refused` was the current token: either its renewal has begun by now or renewals are paused, for a reason. */
  #checkRenewal(refused: AccessToken): void {
    if (this.provider.useIfValid() === undefined) {
      this.#renewals.push({ value: refused.reveal(), call: this.nextCall() });
    } else if (!this.#unproven) {
      this.#fail(`${refused.reveal()} was refused and not renewed, although renewals were not paused`);
    }
  }

  #noteCoolDown(error: TokenRequestError): void {
    // A failure that callers get from memory does not last longer. A failure of an ended renewal does not count.
    if (error === this.#lastError || error.retryAt === undefined) return;
    this.#lastError = error;
    const ms = error.retryAt.getTime() - this.clock.wall();
    const definitive = error.code === 'TOKEN_REJECTED';
    if (!definitive) this.#isOutage = true;
    const until = Deadline.after(this.clock, ms);
    this.#cooled = { until, sent: this.#sent, definitive };
  }

  #renewalStarts(need: TokenNeed): void {
    this.note(`${this.name} renewal begins: ${need.reason}`);
    const cooled = this.#cooled;
    const isRotated = cooled?.definitive === true && cooled.sent !== `secret ${this.#rotations}`;
    if (cooled && !isRotated && !cooled.until.hasCome(this.clock)) this.#fail('asked during a cool-down');
    this.#cooled = undefined;
    if (need.reason !== 'ahead' && this.provider.status().state === 'valid')
      this.#fail('asked for a token while one was valid');
  }

  async #request(secret: Secret, _within: number, manner?: TokenRequestManner): Promise<AccessToken> {
    const number = (this.#requests += 1);
    if (this.#underWay > 0) this.#fail(`request ${number} while another one was under way`);
    this.#underWay += 1;
    this.#attempts += 1;
    if (this.#attempts === 1) this.#renewalStarts(this.#need);
    else if (this.#isOutage && secret.reveal() === this.#sent)
      this.#fail('made a second attempt in an outage');
    this.#sent = secret.reveal();
    this.note(`${this.name} request ${number} with ${this.#sent}`);
    const from = Deadline.after(this.clock, 0);
    const given = new Promise<'given up'>((resolve) => {
      manner?.signal?.addEventListener('abort', () => resolve('given up'), { once: true });
    });
    try {
      const answered = this.scheduler.schedule(Promise.resolve('answered' as const), `${this.name}${number}`);
      if ((await Promise.race([answered, given])) === 'given up') throw failureOf();
      return this.#answer(number, from);
    } finally {
      this.#underWay -= 1;
    }
  }

  #answer(number: number, from: Deadline): AccessToken {
    const answer = this.answers();
    this.note(`${this.name} request ${number} answered: ${JSON.stringify(answer)}`);
    if (answer.kind === 'token') return this.#issue(`${this.name}-${number}`, from, answer.lifetimeMs);
    if (answer.kind === 'same token again') {
      const last = this.#issued.at(-1);
      return this.#issue(last?.reveal() ?? `${this.name}-${number}`, from, last?.lifetimeMs ?? 60_000);
    }
    if (answer.kind === 'refusal') throw failureOf('TOKEN_REJECTED');
    if (answer.kind === 'nonsense') throw failureOf('TOKEN_RESPONSE_INVALID');
    throw failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: answer.retryAfterMs });
  }

  #issue(value: string, from: Deadline, lifetimeMs: number): AccessToken {
    const deadline = from.plus(lifetimeMs);
    if (deadline.hasCome(this.clock)) throw failureOf('TOKEN_UNAVAILABLE', outlivedFailure(profileOf()));
    const token = new AccessToken(value, { deadline, lifetimeMs });
    // What the server gives again may be handed out again.
    this.#renewals = this.#renewals.filter((renewed) => renewed.value !== value);
    this.#issued.push(token);
    this.#isOutage = false;
    this.#unproven = true;
    return token;
  }
}

/** Lets all work end. A caller that still waits after this would wait for ever. */
export async function drain(
  lives: readonly TokenLife[],
  clock: FakeClock,
  scheduler: Scheduler,
): Promise<void> {
  for (let round = 0; round < 200; round += 1) {
    await settled();
    const idle = lives.every(({ waiting }) => waiting.size === 0) && scheduler.count() === 0;
    // What its callers have left goes on, and holds the process, but comes to an end (B5, B9).
    if (idle && clock.pending().length === 0) return;
    if (scheduler.count() > 0) await scheduler.waitNext(1);
    else await clock.advance(1_000);
  }
  const left = lives.flatMap(({ name, waiting }) =>
    [...waiting].map(([call, it]) => `${name} #${call} ${it.name}`),
  );
  throw new BrokenInvariant(
    `never settled: ${left.join(', ')}; ${clock.pending().length} timers hold the process`,
  );
}
