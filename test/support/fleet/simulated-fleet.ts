import { RedisTokenStore } from '../../../lib/redis/index.js';
import { CLAIM } from '../../../lib/redis/scripts.js';
import { AccessToken } from '../../../lib/secrets/access-token.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import type { Tokens } from '../../../lib/token/tokens.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import { pause } from '../../../lib/time/clock.js';
import { Deadline } from '../../../lib/time/deadline.js';
import type { TokenRequests } from '../../../lib/token/endpoint/token-endpoint.js';
import { settled } from '../token/fake-clock.js';
import { failureOf, HOUR, profileOf } from '../token/token-fixtures.js';
import { VirtualTime } from './virtual-time.js';

/** A fleet whose token is refused. Every process then needs another token. */
export interface SimulatedPlan {
  readonly size: number;
  /** The calls of the processes come within this time. With 0 all come at the same moment. */
  readonly spreadMs: number;
  /** How long the token endpoint needs. */
  readonly endpointMs: number;
  /** How long a message to Redis and its answer are on their way. */
  readonly roundTripMs: number;
  /** How long Redis executes one script. It executes one at a time. */
  readonly scriptMs: number;
  /** How long a process waits for an answer of Redis: the option `timeoutMs`. */
  readonly timeoutMs: number;
  /** How long a process needs to connect to the token endpoint. @default 0 */
  readonly connectMs?: number;
  /** So many processes cannot reach the token endpoint: the network loses their packets. @default 0 */
  readonly unreachable?: number;
  /** Another number gives other jitter. @default 1 */
  readonly seed?: number;
  /** Each region has its own Redis. @default 1 */
  readonly regions?: number;
}

/** What one renewal costs. */
export interface RenewalFigures {
  readonly size: number;
  readonly commands: number;
  readonly bytesToRedis: number;
  readonly bytesFromRedis: number;
  /** How often a process looks before it has the token, on average. */
  readonly looks: number;
  /** Those that have reached the token endpoint. */
  readonly tokenRequests: number;
  /** How long the last process waits for its token, of those that can reach the token endpoint. */
  readonly longestWaitMs: number;
}

const TOKEN = { timeoutMs: 5_000, maxAttempts: 3, expiryLeewayMs: 0, renewAheadMs: 0, atBoot: 'no' } as const;
/** The time between the starts of two processes. */
const START_MS = 1;
/** As long as a token of `ProviderSimulator`, about. */
const TOKEN_LENGTH = 500;

/** Real token providers in virtual time, on a Redis that needs time. Processes know the token of before. */
export async function simulateRenewal(plan: SimulatedPlan): Promise<RenewalFigures> {
  const fleet = new SimulatedFleet(plan);
  // The processes start one after the other, so that no start is slow.
  await fleet.everyProcess((provider) => provider.getToken(), START_MS * plan.size);
  fleet.startCounting();
  await fleet.everyProcess((provider) => {
    const token = provider.useIfValid();
    return token ? provider.renew(token) : provider.getToken();
  }, plan.spreadMs);
  return fleet.figures;
}

class SimulatedFleet {
  readonly #plan: SimulatedPlan;
  readonly #time = new VirtualTime();
  readonly #providers: readonly Tokens[];
  #random: number;
  #issued = 0;
  #count = { commands: 0, claims: 0, bytesToRedis: 0, bytesFromRedis: 0, tokenRequests: 0, longestWaitMs: 0 };

  constructor(plan: SimulatedPlan) {
    this.#plan = plan;
    const { size, regions = 1, seed = 1 } = plan;
    this.#random = seed;
    const servers = Array.from({ length: regions }, () => new SimulatedRedis(this.#time, plan));
    this.#providers = Array.from({ length: size }, (_, index) => {
      const server = servers[index % regions];
      if (server === undefined) throw new Error('There is no region.');
      return this.#process(server, index < (plan.unreachable ?? 0));
    });
  }

  get figures(): RenewalFigures {
    const { claims, ...count } = this.#count;
    const { size } = this.#plan;
    return { size, ...count, looks: claims / size };
  }

  startCounting(): void {
    this.#count = {
      commands: 0,
      claims: 0,
      bytesToRedis: 0,
      bytesFromRedis: 0,
      tokenRequests: 0,
      longestWaitMs: 0,
    };
  }

  /**
   * Calls each process within this time, and waits until all have a token. A process that cannot reach the token endpoint may fail
   * instead, because it waits for the others no longer than for a renewal.
   */
  async everyProcess(call: (provider: Tokens) => Promise<unknown>, spreadMs: number): Promise<void> {
    const waiting = new Set(this.#providers);
    const unreachable = new Set(this.#providers.slice(0, this.#plan.unreachable ?? 0));
    const obtain = async (provider: Tokens): Promise<void> => {
      const started = this.#time.now;
      if (unreachable.has(provider)) {
        await call(provider).catch(() => undefined);
        waiting.delete(provider);
        return;
      }
      await call(provider);
      waiting.delete(provider);
      this.#count.longestWaitMs = Math.max(this.#count.longestWaitMs, this.#time.now - started);
    };
    for (const provider of this.#providers)
      this.#time.at(this.#time.now + this.#nextRandom() * spreadMs, () => void obtain(provider));
    while (waiting.size > 0 && this.#time.fireNext()) await settled();
    // The publication, for which no caller waits.
    const end = this.#time.now + 1_000;
    while (this.#time.nextDue <= end && this.#time.fireNext()) await settled();
  }

  #process(server: SimulatedRedis, isUnreachable: boolean): Tokens {
    const run = async (script: string, keys: string[], args: string[]): Promise<unknown> => {
      const count = this.#count;
      count.commands += 1;
      if (script === CLAIM) count.claims += 1;
      count.bytesToRedis += bytesOf(['EVAL', script, String(keys.length), ...keys, ...args]);
      const reply = await server.execute(script, keys, args);
      count.bytesFromRedis += bytesOf(reply);
      return reply;
    };
    const clock = this.#time.clock;
    const { connectMs = 0, endpointMs } = this.#plan;
    const request: TokenRequests['request'] = async (_, withinMs, { signal } = {}) => {
      await pause(clock, isUnreachable ? withinMs : connectMs, signal);
      if (isUnreachable || signal?.aborted) throw failureOf();
      const deadline = Deadline.after(clock, HOUR);
      this.#count.tokenRequests += 1;
      this.#issued += 1;
      const text = String(this.#issued).padEnd(TOKEN_LENGTH, 'x');
      return new Promise((resolve) => {
        this.#time.at(this.#time.now + endpointMs, () =>
          resolve(new AccessToken(text, { deadline, lifetimeMs: HOUR })),
        );
      });
    };
    const settings = {
      token: TOKEN,
      http: { httpsAgent: undefined, proxy: undefined },
      store: new RedisTokenStore(run, { timeoutMs: this.#plan.timeoutMs }),
    };
    return createTokenProvider(
      profileOf(),
      settings,
      clock,
      () => this.#nextRandom(),
      () => ({ request }),
    );
  }

  /** Equal in each run. */
  #nextRandom(): number {
    this.#random = (this.#random * 48_271) % 2_147_483_647;
    return this.#random / 2_147_483_647;
  }
}

/** `MemoryTokenStore` behind the scripts. It executes one script after the other, and each needs time. */
class SimulatedRedis {
  readonly #time: VirtualTime;
  readonly #plan: SimulatedPlan;
  readonly #memory: MemoryTokenStore;
  #freeAt = 0;

  constructor(time: VirtualTime, plan: SimulatedPlan) {
    this.#time = time;
    this.#plan = plan;
    this.#memory = new MemoryTokenStore(() => Math.floor(time.clock.wall()));
  }

  async execute(script: string, keys: string[], args: string[]): Promise<unknown> {
    const { roundTripMs, scriptMs } = this.#plan;
    await this.#time.pause(roundTripMs / 2);
    this.#freeAt = Math.max(this.#freeAt, this.#time.now) + scriptMs;
    await this.#time.pause(this.#freeAt - this.#time.now);
    const reply = await this.#reply(script, keys, args);
    await this.#time.pause(roundTripMs / 2);
    return reply;
  }

  async #reply(script: string, [name = '']: string[], args: string[]): Promise<unknown> {
    if (script === CLAIM) {
      const [owner = '', ms, unwanted] = args;
      const lease = owner === '' ? undefined : { owner, ms: Number(ms) };
      const answer = await this.#memory.claim({ name, unwanted, lease });
      const { state, now } = answer;
      if (state === 'found') return [state, now, answer.expiresAt, answer.value];
      if (state === 'held') return [state, now, answer.expiresAt, answer.note ?? null];
      return [state, now];
    }
    const [owner = '', value = '', expiresAt, note = '', ms] = args;
    if (value !== '') await this.#memory.publish({ name, owner, value, expiresAt: Number(expiresAt) });
    else
      await this.#memory.release({
        name,
        owner,
        note: note === '' ? undefined : { value: note, ms: Number(ms) },
      });
    return 1;
  }
}

/** How many bytes a message has in the protocol of Redis (RESP). All texts are ASCII. */
function bytesOf(part: unknown): number {
  if (Array.isArray(part))
    return part.reduce<number>((sum, one) => sum + bytesOf(one), `*${part.length}\r\n`.length);
  if (typeof part === 'number') return `:${part}\r\n`.length;
  if (typeof part === 'string') return `$${part.length}\r\n`.length + part.length + 2;
  return '$-1\r\n'.length;
}
