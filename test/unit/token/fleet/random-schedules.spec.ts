import { Logger } from '@nestjs/common';
import { beforeAll, expect, it } from 'vitest';
import type { StoreAnswer, StoreClaim, TokenStore } from '../../../../lib/config/options/token-store.js';
import { MemoryTokenStore } from '../../../../lib/testing/index.js';
import { TokenRequestError } from '../../../../lib/errors/token-request.error.js';
import { Deadline, pause } from '../../../../lib/time/clock.js';
import type { Tokens } from '../../../../lib/token/tokens.js';
import { runs } from '../../../support/run/runs.js';
import { withoutStacks } from '../../../support/run/without-stacks.js';
import { FakeClock, settled } from '../../../support/token/fake-clock.js';
import { seededRandom } from '../../../support/token/outage-trial.js';
import {
  failureOf,
  MINUTE,
  SteeredSecret,
  tokenOf,
  tokensOf,
} from '../../../support/token/token-fixtures.js';

const SCHEDULES = runs(200);
const STEPS = 40;
/** Longer than a renewal, its pauses and the longest pause of a store. */
const CALM_MS = 2 * MINUTE;

beforeAll(() => Logger.overrideLogger(false));

/** One store, one token endpoint and one API for all processes of a schedule. Messages and answers take random times, or get lost. */
class World {
  readonly clock = new FakeClock();
  readonly random: () => number;
  readonly broken: string[] = [];
  memory = this.#freshStore();
  isCalm = false;
  /** What a writer of the store without the secret has recorded. */
  readonly recorded: { readonly name: string; readonly value: string; readonly isNote: boolean }[] = [];
  /** Whether the API refuses each token of the owner `one`. */
  isRevoking = false;
  #issued = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  chance(part: number): boolean {
    return !this.isCalm && this.random() < part;
  }

  /** The time of a message. Some take longer than a process waits for the store. */
  async travel(longestMs: number): Promise<void> {
    await pause(this.clock, this.isCalm ? 1 : this.random() * longestMs);
    if (this.chance(0.05)) await new Promise(() => {});
  }

  isRevoked(value: string): boolean {
    return this.isRevoking && value.startsWith('one.');
  }

  issue(owner: string): string {
    this.#issued += 1;
    return `${owner}.${this.#issued}`;
  }

  restartStore(): void {
    this.memory = this.#freshStore();
  }

  /** Puts a recorded entry or note back. */
  async putBack(): Promise<void> {
    const one = this.recorded[Math.floor(this.random() * this.recorded.length)];
    if (one === undefined) return;
    const lease = { owner: 'writer', ms: 1_000 };
    const found = await this.memory.claim({ name: one.name });
    await this.memory.claim({
      name: one.name,
      unwanted: 'value' in found ? { value: found.value } : undefined,
      lease,
    });
    const expiresAt = this.clock.wall() + 60 * MINUTE;
    if (one.isNote)
      await this.memory.release({ name: one.name, owner: 'writer', note: { value: one.value, ms: MINUTE } });
    else await this.memory.publish({ name: one.name, owner: 'writer', value: one.value, expiresAt });
  }

  #freshStore(): MemoryTokenStore {
    return new MemoryTokenStore(() => this.clock.wall());
  }
}

/** One process: a token provider, its store object if there is a store, and the callers that wait for it. */
class FleetProcess {
  readonly tokens: Tokens;
  readonly secret = new SteeredSecret(this.owner);
  /** The lease that this process was given, and whether its token request is under way. */
  lease: { readonly memory: MemoryTokenStore; readonly owner: string; readonly until: number } | undefined;
  isAsking = false;
  isDead = false;
  readonly waiting = new Set<AbortController>();
  /** When the callers' last error ends. */
  #coolsUntil: Deadline | undefined;
  readonly #refused = new Set<string>();

  constructor(
    private readonly world: World,
    private readonly all: readonly FleetProcess[],
    readonly owner: string,
    private readonly hasStore: boolean,
  ) {
    const { clock, random } = world;
    this.tokens = tokensOf(clock, (secret) => this.#request(secret.reveal()), {
      profile: { clientSecret: this.secret },
      token: { maxAttempts: 2, renewAheadMs: 20_000 },
      random,
      store: hasStore ? this.#store() : undefined,
    });
  }

  call(): void {
    const caller = new AbortController();
    this.waiting.add(caller);
    void this.#call(caller).finally(() => this.waiting.delete(caller));
  }

  /** The callers of a process that lives leave at once. */
  async abortAll(): Promise<void> {
    for (const caller of this.waiting) caller.abort();
    await settled();
    if (this.waiting.size > 0) this.world.broken.push('a caller that has left still waits');
  }

  async #call({ signal }: AbortController): Promise<void> {
    // A caller that came before a refusal may still get the refused token.
    const refused = new Set(this.#refused);
    const token = await this.tokens.getToken({ signal }).catch((error: unknown) => this.#failed(error));
    if (token === undefined || this.isDead) return;
    this.#check(token.reveal(), refused, token.endsWithin(0, this.world.clock));
    if (!this.world.isRevoked(token.reveal())) return this.tokens.reportSuccess(token);
    const isCurrent = this.tokens.useIfValid()?.equals(token) === true;
    const renewing = this.tokens.renew(token, { signal }).catch((error: unknown) => this.#failed(error));
    // A pause of renewals keeps the refused token. A 401 that comes late says nothing about the current one.
    if (isCurrent && !this.tokens.useIfValid()) this.#refused.add(token.reveal());
    const next = await renewing;
    if (next && !next.equals(token)) this.#check(next.reveal(), refused);
  }

  #failed(error: unknown): undefined {
    if (!(error instanceof TokenRequestError) || error.retryAt === undefined) return;
    const { clock } = this.world;
    this.#coolsUntil = Deadline.after(clock, error.retryAt.getTime() - clock.wall());
  }

  #check(value: string, refused: ReadonlySet<string>, hasExpired = false): void {
    const { broken } = this.world;
    if (value.split('.')[0] !== this.owner) broken.push(`${this.owner} got ${value}`);
    if (refused.has(value)) broken.push(`${this.owner} got ${value} again, which was refused`);
    if (hasExpired) broken.push(`${this.owner} got ${value}, which has expired`);
  }

  async #request(secret: string) {
    const { world } = this;
    const { clock } = world;
    if (!this.hasStore && this.isAsking) world.broken.push(`${this.owner} sends two requests at once`);
    if (!this.hasStore && this.#coolsUntil?.hasCome(clock) === false)
      world.broken.push(`${this.owner} asks in its cool-down`);
    this.isAsking = true;
    const asking = this.all.filter(
      ({ isAsking, isDead, lease }) =>
        isAsking && !isDead && lease?.memory === world.memory && lease.until > clock.wall(),
    );
    for (const owner of new Set(asking.map((one) => one.owner)))
      if (asking.filter((one) => one.owner === owner).length > 1)
        world.broken.push(`two processes of ${owner} ask with a live lease`);
    try {
      await pause(clock, world.random() * (world.chance(0.2) ? 5_000 : 300));
      if (this.isDead) await new Promise(() => {});
      if (world.chance(0.2)) throw failureOf(world.random() < 0.7 ? 'TOKEN_UNAVAILABLE' : 'TOKEN_REJECTED');
      return tokenOf(clock, world.issue(secret), MINUTE + world.random() * MINUTE);
    } finally {
      this.isAsking = false;
    }
  }

  #store(): TokenStore {
    const { world } = this;
    const send = async <Result>(
      operation: (memory: MemoryTokenStore) => Promise<Result>,
    ): Promise<Result> => {
      if (this.isDead) await new Promise(() => {});
      await world.travel(200);
      if (world.chance(0.05)) throw new Error('ECONNRESET');
      const result = await operation(world.memory);
      await world.travel(200);
      return result;
    };
    return {
      claim: (claim) => send((memory) => this.#claim(memory, claim)),
      publish: (one) => {
        world.recorded.push({ ...one, isNote: false });
        return send((memory) => this.#end(one.owner, memory.publish(one)));
      },
      release: (one) => {
        if (one.note) world.recorded.push({ name: one.name, value: one.note.value, isNote: true });
        return send((memory) => this.#end(one.owner, memory.release(one)));
      },
    };
  }

  /** A publication or a release ends the lease. */
  async #end(owner: string, ending: Promise<void>): Promise<void> {
    await ending;
    if (this.lease?.owner === owner) this.lease = undefined;
  }

  async #claim(memory: MemoryTokenStore, claim: StoreClaim): Promise<StoreAnswer> {
    const answer = await memory.claim(claim);
    const { owner = 'trial', ms = 0 } = claim.lease ?? {};
    if (answer.state === 'leased' && owner !== 'trial')
      this.lease = { memory, owner, until: answer.now + ms };
    return answer;
  }
}

/** What breaks in one schedule: callers, aborts, expiries, revocations, deaths, restarts and faults in a random order. */
async function brokenIn(seed: number, hasStore: boolean): Promise<string[]> {
  const world = new World(seed);
  const { clock, random } = world;
  const all: FleetProcess[] = [];
  const start = (owner: string): void => void all.push(new FleetProcess(world, all, owner, hasStore));
  for (const owner of ['one', 'one', 'one', 'other']) start(owner);
  const alive = (): FleetProcess[] => all.filter(({ isDead }) => !isDead);
  for (let step = 0; step < STEPS; step += 1) {
    const process = alive()[Math.floor(random() * 4)];
    const what = random();
    if (what < 0.55) process?.call();
    else if (what < 0.6) await process?.abortAll();
    else if (what < 0.7) for (const one of alive()) one.call();
    else if (what < 0.8) world.isRevoking = true;
    else if (what < 0.85) await world.putBack();
    else if (what < 0.9) world.restartStore();
    else if (process) {
      process.isDead = true;
      start(process.owner);
    }
    if (random() < 0.7) await clock.advance(random() ** 4 * MINUTE);
    // Tokens that are issued from now on are accepted.
    if (random() < 0.5) world.isRevoking = false;
  }
  world.isCalm = true;
  world.isRevoking = false;
  await clock.advance(CALM_MS);
  const stuck = alive().filter(({ waiting }) => waiting.size > 0);
  if (stuck.length > 0) world.broken.push(`${stuck.length} processes have callers that wait for ever`);
  for (const one of alive()) {
    let hasToken = false;
    void one.tokens.getToken().then(() => (hasToken = true), String);
    await clock.advance(MINUTE / 2);
    if (!hasToken) world.broken.push(`a process of ${one.owner} gets no token any more`);
  }
  return world.broken.map((what) => `seed ${seed}: ${what}`);
}

it.each([
  ['B23: three processes keep every promise', true],
  ['B1 B2 B5 B18: a process without a store keeps every promise', false],
])(
  '%s in random schedules of messages, faults and deaths',
  async (_, hasStore) => {
    await withoutStacks(async () => {
      for (let seed = 1; seed <= SCHEDULES; seed += 1) expect(await brokenIn(seed, hasStore)).toEqual([]);
    });
  },
  3_600_000,
);
