import type { StoreAnswer, StoreClaim, TokenStore } from '../../../../lib/config/options/token-store.js';
import { TokenRequestError } from '../../../../lib/errors/token-request.error.js';
import { AccessToken } from '../../../../lib/secrets/access-token.js';
import type { Secret } from '../../../../lib/secrets/secret.js';
import { type Clock, pause } from '../../../../lib/time/clock.js';
import { Deadline } from '../../../../lib/time/deadline.js';
import type { CachedTokenProvider } from '../../../../lib/token/cached-token-provider.js';
import { createTokenProvider } from '../../../../lib/token/create-token-provider.js';
import type { TokenRequestManner } from '../../../../lib/token/endpoint/token-endpoint.js';
import { failureOf, profileOf, SteeredSecret } from '../../token/token-fixtures.js';
import {
  addPlace,
  assertionFor,
  entryNameOf,
  type ExploredStore,
  SEAL_KEY,
  type StoreMessage,
} from './explored-store.js';
import type { ExploredTime } from './explored-time.js';
import type { HandedOutFact } from './fleet-facts.js';

const SETTINGS = {
  token: { timeoutMs: 5_000, maxAttempts: 2, expiryLeewayMs: 0, renewAheadMs: 0 },
  http: { httpsAgent: undefined, proxy: undefined },
};
/** At least one attempt of another process, and the time to read its result. */
const PATIENCE_MS = SETTINGS.token.timeoutMs + 1_000;
/** After an error, or a refused token for the second time, the application calls again. */
const CALL_AGAIN_MS = 500;

/** A message, an answer or a token request that is on its way. The explorer decides what happens to it. */
export interface InFlight {
  readonly process: ExploredProcess;
  readonly number: number;
  readonly what: 'message' | 'answer' | 'request' | 'response';
  readonly text: string;
  readonly message?: StoreMessage;
  /** The entry for which a token request asks. */
  readonly entry?: string;
  /** When the process ends this token request itself. */
  readonly until?: number;
  isHeld: boolean;
  /** Time has passed since this token request was sent. */
  isLate?: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  /** The answer or the token that is on its way. */
  readonly result?: unknown;
}

interface IssuedToken {
  readonly entry: string;
  readonly endsAt: number;
  /** When the process that asked got the token, by the store's clock. */
  gotAt: number | undefined;
}

/** What all processes of a history share. */
export interface Surroundings {
  readonly time: ExploredTime;
  readonly store: ExploredStore;
  readonly inFlight: InFlight[];
  readonly handedOut: HandedOutFact[];
  readonly lifetimeMs: number;
  readonly storeTimeoutMs: number | undefined;
  readonly leewayMs: number;
  /** Tokens that the API does not accept any more. */
  readonly revoked: Set<string>;
  /** The tokens that the token endpoint has given: for which entry, and when they end. */
  readonly issued: Map<string, IssuedToken>;
  /** Client secrets that the token endpoint does not accept any more. */
  readonly replacedSecrets: Set<string>;
  /** Returns the same number for the same event after the same events. */
  readonly intern: (before: number, event: string) => number;
  readonly log: (line: string) => void;
}

export interface ProcessSettings {
  readonly name: string;
  readonly secret: string;
  /** The client has no secret, but assertions. Two processes of one client never have the same assertion. */
  readonly hasAssertions: boolean;
  readonly wallAheadMs: number;
  readonly random: number;
  /** A planted error: after a 401 the process starts again with an empty memory. */
  readonly forgets: boolean;
  /** A planted error: the process says that its request is sent before it has reached the token endpoint. */
  readonly alwaysSaysSent: boolean;
}

/**
 * The real token provider of one process, and an application that calls it until it has a token that the API accepts. Every message
 * to the store and every token request waits until the explorer lets it happen.
 */
export class ExploredProcess {
  readonly name: string;
  /** The secrets or clients that this process has had. The last one is the present one. */
  readonly secrets: string[];
  readonly #secretSource: SteeredSecret;
  readonly #settings: ProcessSettings;
  readonly #around: Surroundings;
  readonly #clock: Clock;
  readonly #refused = new Set<string>();
  /** When this process read each token of the store, by the store's clock. */
  readonly #readAt = new Map<unknown, number>();
  #provider: CachedTokenProvider;
  #sent = 0;
  #asked = 0;
  #lease: string | undefined;
  /** The number of the store's clock that the last answer has brought. */
  #knownClock = 0;
  #callBegan = 0;
  /** The last look at the store, if it showed the lease or the note of another process. */
  #waitsFor: { readonly changes: number; readonly until: number } | undefined;
  #looksWithoutChange = 0;
  isAlive = true;
  isPaused = false;
  hasToken = false;
  /** The network loses the token requests of this process from now on. */
  isCutOff = false;
  /** A fault of the explorer has concerned this process: it may go on without the store. */
  hadStoreTrouble = false;
  /** Names all that this process has seen so far, in its order. Equal numbers mean equal states of the process. */
  seen = 0;

  constructor(settings: ProcessSettings, around: Surroundings) {
    this.name = settings.name;
    this.#settings = settings;
    this.secrets = [settings.secret];
    this.#secretSource = new SteeredSecret(this.#credentialFor(settings.secret));
    this.#around = around;
    this.#clock = around.time.clockOf(settings.name, settings.wallAheadMs);
    this.#provider = this.#start();
  }

  /** Records an event that this process sees. */
  note(event: string): void {
    this.seen = this.#around.intern(this.seen, `${this.#around.time.now} ${event}`);
  }

  /** The application needs a token. */
  begin(): void {
    this.hasToken = false;
    this.note('begin');
    void this.#useToken();
  }

  /** The application reads another client secret from now on. */
  changeSecret(secret: string): void {
    this.secrets.push(secret);
    this.#secretSource.gives(this.#credentialFor(secret));
  }

  #credentialFor(secret: string): string {
    const { hasAssertions, name } = this.#settings;
    const credential = hasAssertions ? assertionFor(secret, name) : secret;
    addPlace(credential);
    return credential;
  }

  /** Every message of this process is on its way, but the process does nothing more. */
  kill(): void {
    this.isAlive = false;
    const { inFlight } = this.#around;
    const left = inFlight.filter(({ process, what }) => process !== this || what === 'message');
    inFlight.splice(0, inFlight.length, ...left);
  }

  /**
   * Whether this process has looked several times, and its next look shows the same again. All that can happen at such a look can
   * also happen at the looks before, or at the first look that shows a change. So the explorer tries it there.
   */
  waitsWithoutChange(at: number): boolean {
    const { changes } = this.#around.store;
    const isSame = this.#waitsFor?.changes === changes && at < this.#waitsFor.until;
    return isSame && this.#looksWithoutChange >= 2;
  }

  /** Equal texts mean that this process does the same from here on. After its end only its messages count. */
  get state(): string {
    const { inFlight, time } = this.#around;
    const isIdle =
      !inFlight.some(({ process }) => process === this) &&
      (!this.isAlive || (this.hasToken && time.timersOf(new Set([this.name])).length === 0));
    if (isIdle && !this.isPaused) return 'ended';
    return `${this.seen} ${this.isAlive} ${this.isPaused} ${this.isCutOff} ${this.hadStoreTrouble}`;
  }

  /** For how long the caller of this process has waited. */
  get waitedMs(): number {
    return this.#around.time.now - this.#callBegan;
  }

  requestFact() {
    const alone = this.#lease === undefined;
    const mayAskAlone = alone && (this.hadStoreTrouble || this.waitedMs >= PATIENCE_MS);
    return { process: this.name, lease: this.#lease, mayAskAlone };
  }

  /** The answer to a message reaches this process. */
  deliver({ number, text, resolve }: InFlight, answer: unknown, described: string): void {
    if (!this.isAlive) return;
    this.note(`${number} ${text}: ${described}`);
    resolve(answer);
  }

  fail({ number, text, reject }: InFlight, error: Error): void {
    if (!this.isAlive) return;
    this.note(`${number} ${text}: ${error.message}`);
    reject(error);
  }

  /** The token endpoint gives this process a token for this secret. */
  issue(entry: string): string {
    const { issued, lifetimeMs, time } = this.#around;
    this.#asked += 1;
    const token = `T${this.name}${this.#asked}`;
    issued.set(token, { entry, endsAt: time.now + lifetimeMs, gotAt: undefined });
    return token;
  }

  #start(): CachedTokenProvider {
    const { hasAssertions, random } = this.#settings;
    const profile = profileOf({
      clientSecret: this.#secretSource,
      credential: hasAssertions ? 'assertion' : 'secret',
    });
    const timeoutMs = this.#around.storeTimeoutMs;
    const store: TokenStore = {
      ...(timeoutMs !== undefined && { timeoutMs }),
      sealKey: () => Promise.resolve(SEAL_KEY),
      claim: (content) => this.#claim(content),
      publish: (content) => this.#sendWrite({ kind: 'publish', content }),
      release: (content) => this.#sendWrite({ kind: 'release', content }),
    };
    const endpoint = { request: this.#request.bind(this) };
    const token = { ...SETTINGS.token, expiryLeewayMs: this.#around.leewayMs };
    return createTokenProvider(
      profile,
      { ...SETTINGS, token, store },
      this.#clock,
      () => random,
      () => endpoint,
    );
  }

  async #useToken(): Promise<void> {
    let refused: AccessToken | undefined;
    while (!this.hasToken) {
      this.#callBegan = this.#around.time.now;
      try {
        const token = await (refused ? this.#provider.renew(refused) : this.#provider.getToken());
        const wasRefusedBefore = this.#refused.has(token.reveal());
        refused = this.#take(token);
        // While renewals are paused (B3), the same token comes back at once. Without this pause, the step would never end.
        if (wasRefusedBefore) await pause(this.#clock, CALL_AGAIN_MS, 'awaited');
      } catch (error) {
        if (!(error instanceof TokenRequestError)) throw error;
        this.#around.log(`${this.name}'s caller gets the error ${error.code}`);
        refused = undefined;
        await pause(this.#clock, CALL_AGAIN_MS, 'awaited');
      }
    }
  }

  /** Returns the token if the API refuses it. */
  #take(token: AccessToken): AccessToken | undefined {
    const { handedOut, issued, log, revoked, time } = this.#around;
    const text = token.reveal();
    const { entry = 'no entry', endsAt = 0, gotAt } = issued.get(text) ?? {};
    const readAt = token.cameFromStore ? this.#readAt.get(text) : undefined;
    handedOut.push({
      process: this.name,
      token: text,
      entries: this.secrets,
      entryOfToken: entry,
      wasRefusedHere: this.#refused.has(text),
      hasExpired: time.now >= endsAt,
      clockBehindMs: gotAt === undefined || readAt === undefined ? undefined : gotAt - readAt,
    });
    this.hasToken = !revoked.has(text);
    log(`${this.name}'s caller gets ${text}${this.hasToken ? '' : ', and the API answers 401'}`);
    if (this.hasToken) return undefined;
    this.note(`401 for ${text}`);
    this.#refused.add(text);
    if (!this.#settings.forgets) return token;
    this.#provider = this.#start();
    return undefined;
  }

  async #claim(content: StoreClaim) {
    const number = this.#sent + 1;
    this.#around.store.label(content.lease?.owner, `${this.name}'s lease ${number}`);
    const owner = content.lease && this.#around.store.labelOf(content.lease.owner);
    try {
      const answer = await this.#send<StoreAnswer>({ kind: 'claim', content });
      this.#knownClock = this.#around.store.clockOf(answer) ?? this.#knownClock;
      if (answer.state === 'found')
        this.#readAt.set(this.#around.store.tokenIn(content.name, answer.value), answer.now);
      // A claim during the request only says in the lease that the request is sent.
      if (owner !== undefined && (answer.state === 'leased' || !this.#isAsking))
        this.#lease = answer.state === 'leased' ? owner : undefined;
      this.#countLook(answer);
      return answer;
    } catch (error) {
      if (owner !== undefined && !this.#isAsking) this.#lease = undefined;
      throw error;
    }
  }

  get #isAsking(): boolean {
    return this.#around.inFlight.some(
      ({ process, what }) => process === this && (what === 'request' || what === 'response'),
    );
  }

  #countLook(answer: StoreAnswer): void {
    const { store, time } = this.#around;
    const isSame = this.#waitsFor?.changes === store.changes && time.now < this.#waitsFor.until;
    this.#looksWithoutChange = isSame ? this.#looksWithoutChange + 1 : 0;
    this.#waitsFor =
      answer.state === 'held'
        ? { changes: store.changes, until: time.now + answer.expiresAt - answer.now }
        : undefined;
  }

  #sendWrite(
    message: Pick<StoreMessage & { kind: 'publish' | 'release' }, 'kind' | 'content'>,
  ): Promise<void> {
    const number = this.#sent + 1;
    const { content, kind } = message as StoreMessage & { kind: 'publish' | 'release' };
    const { store } = this.#around;
    if (kind === 'publish') store.label(content.value, `${this.name}'s token ${number}`);
    else store.label(content.note?.value, `${this.name}'s note ${number}`);
    if (store.labelOf(content.owner) === this.#lease) this.#lease = undefined;
    return this.#send<void>(message);
  }

  #send<Result>(given: Pick<StoreMessage, 'kind' | 'content'>): Promise<Result> {
    this.#sent += 1;
    const { inFlight, store, time } = this.#around;
    const knownClock = this.#knownClock;
    const { waitedMs } = this;
    const message = { ...given, sentAt: time.now, process: this.name, waitedMs, knownClock } as StoreMessage;
    return new Promise((resolve, reject) => {
      inFlight.push({
        process: this,
        number: this.#sent,
        what: 'message',
        text: textOf(message, store),
        message,
        isHeld: false,
        resolve: resolve as (result: unknown) => void,
        reject,
      });
    });
  }

  #request(secret: Secret, withinMs: number, manner: TokenRequestManner = {}): Promise<AccessToken> {
    const from = Deadline.after(this.#clock, 0);
    const { inFlight, issued, lifetimeMs, time } = this.#around;
    this.#sent += 1;
    const number = this.#sent;
    const { signal } = manner;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        cancel();
        signal?.removeEventListener('abort', giveUp);
        const place = inFlight.findIndex((one) => one.process === this && one.number === number);
        if (place !== -1) inFlight.splice(place, 1);
      };
      const giveUp = (): void => {
        end();
        reject(failureOf());
      };
      const cancel = this.#clock.after(withinMs, giveUp, 'awaited');
      signal?.addEventListener('abort', giveUp, { once: true });
      if (!this.isCutOff || this.#settings.alwaysSaysSent) manner.onSent?.();
      if (this.isCutOff) return;
      inFlight.push({
        process: this,
        number,
        what: 'request',
        text: 'asks the token endpoint',
        entry: entryNameOf(secret.reveal()),
        until: this.#around.time.now + withinMs,
        isHeld: false,
        resolve: (token) => {
          end();
          const given = issued.get(String(token));
          if (given) given.gotAt = time.storeWall;
          const deadline = from.plus(lifetimeMs);
          if (deadline.hasCome(this.#clock)) reject(failureOf());
          else resolve(new AccessToken(String(token), { deadline, lifetimeMs }));
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
    });
  }
}

function textOf({ kind, content }: StoreMessage, store: ExploredStore): string {
  if (kind === 'publish') return `publishes ${store.labelOf(content.value)}`;
  if (kind === 'release')
    return content.note
      ? `leaves ${store.labelOf(content.note.value)} in place of ${store.labelOf(content.owner)}`
      : `releases ${store.labelOf(content.owner)}`;
  const { lease, unwanted } = content;
  const ignored = unwanted && `${unwanted.remove ? 'removes' : 'ignores'} ${store.labelOf(unwanted.value)}`;
  const replaced = lease?.insteadOf && `replaces ${store.labelOf(lease.insteadOf)}`;
  const details = [ignored, replaced].filter(Boolean).join(' and ');
  return `${lease ? `claims ${store.labelOf(lease.owner)}` : 'looks'}${details && `, ${details}`}`;
}
