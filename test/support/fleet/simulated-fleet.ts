import { RedisTokenStore } from '../../../lib/redis/index.js';
import { CLAIM } from '../../../lib/redis/scripts.js';
import { AccessToken } from '../../../lib/secrets/access-token.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import type { Tokens } from '../../../lib/token/tokens.js';
import type { Random } from '../../../lib/time/backoff.js';
import { pause } from '../../../lib/time/clock.js';
import { Deadline } from '../../../lib/time/deadline.js';
import type { TokenRequests } from '../../../lib/token/endpoint/token-endpoint.js';
import { FakeClock } from '../token/fake-clock.js';
import { seededRandom } from '../token/outage-trial.js';
import { failureOf, HOUR, tokensOf } from '../token/token-fixtures.js';

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

/** The time between the starts of two processes. */
const START_MS = 1;
/** As long as a token of `ProviderSimulator`, about. */
const TOKEN_LENGTH = 500;

/** Real token providers in virtual time, on a Redis that needs time. Processes know the token of before. */
export async function simulateRenewal(plan: SimulatedPlan): Promise<RenewalFigures> {
  const fleet = new SimulatedFleet(plan);
  // The processes start one after the other, so that no start is slow.
  await fleet.everyProcess((provider) => provider.getToken(), START_MS * plan.size);
  const refused = fleet.providers.map((provider) => provider.useIfValid());
  fleet.count = noFigures();
  await fleet.everyProcess((provider, index) => {
    const token = refused[index];
    if (token === undefined) throw new Error('A process has no token.');
    return provider.renew(token);
  }, plan.spreadMs);
  const { claims, ...figures } = fleet.count;
  return { size: plan.size, ...figures, looks: claims / plan.size };
}

const noFigures = () => ({
  commands: 0,
  claims: 0,
  bytesToRedis: 0,
  bytesFromRedis: 0,
  tokenRequests: 0,
  longestWaitMs: 0,
});

class SimulatedFleet {
  readonly providers: readonly Tokens[];
  count = noFigures();
  readonly #clock = new FakeClock();
  readonly #random: Random;
  #issued = 0;

  constructor(private readonly plan: SimulatedPlan) {
    const { size, regions = 1, seed = 1, unreachable = 0 } = plan;
    this.#random = seededRandom(seed);
    const servers = Array.from({ length: regions }, () => new SimulatedRedis(this.#clock, plan));
    this.providers = Array.from({ length: size }, (_, index) => {
      const server = servers[index % regions];
      if (server === undefined) throw new Error('There is no region.');
      return this.#process(server, index < unreachable);
    });
  }

  /** Calls each process within this time, and waits until all have a token. */
  async everyProcess(
    call: (provider: Tokens, index: number) => Promise<unknown>,
    spreadMs: number,
  ): Promise<void> {
    const { unreachable = 0 } = this.plan;
    const clock = this.#clock;
    const obtain = async (provider: Tokens, index: number): Promise<void> => {
      await pause(clock, this.#random() * spreadMs);
      const started = clock.monotonic();
      // A process that cannot reach the token endpoint may fail before another one has a token. Its callers come again.
      while (!(await call(provider, index).catch(() => index >= unreachable && Promise.reject(failureOf()))))
        await pause(clock, 500);
      if (index < unreachable) return;
      this.count.longestWaitMs = Math.max(this.count.longestWaitMs, clock.monotonic() - started);
    };
    await clock.passUntil(Promise.all(this.providers.map(obtain)));
    // The publication, for which no caller waits.
    await clock.advance(1_000);
  }

  #process(server: SimulatedRedis, isUnreachable: boolean): Tokens {
    const run = async (script: string, keys: string[], args: string[]): Promise<unknown> => {
      const { count } = this;
      count.commands += 1;
      if (script === CLAIM) count.claims += 1;
      count.bytesToRedis += bytesOf(['EVAL', script, String(keys.length), ...keys, ...args]);
      const reply = await server.execute(script, keys, args);
      count.bytesFromRedis += bytesOf(reply);
      return reply;
    };
    const clock = this.#clock;
    const { connectMs = 0, endpointMs, timeoutMs } = this.plan;
    const request: TokenRequests['request'] = async (_, withinMs, { signal } = {}) => {
      await pause(clock, isUnreachable ? withinMs : connectMs, signal);
      if (isUnreachable || signal?.aborted) throw failureOf();
      const deadline = Deadline.after(clock, HOUR);
      this.count.tokenRequests += 1;
      this.#issued += 1;
      await pause(clock, endpointMs);
      const text = String(this.#issued).padEnd(TOKEN_LENGTH, 'x');
      return new AccessToken(text, { deadline, lifetimeMs: HOUR });
    };
    return tokensOf(clock, request, { random: this.#random, store: new RedisTokenStore(run, { timeoutMs }) });
  }
}

/** `MemoryTokenStore` behind the scripts. It executes one script after the other, and each needs time. */
class SimulatedRedis {
  readonly #memory: MemoryTokenStore;
  #freeAt = 0;

  constructor(
    private readonly clock: FakeClock,
    private readonly plan: SimulatedPlan,
  ) {
    this.#memory = new MemoryTokenStore(() => Math.floor(clock.wall()));
  }

  async execute(script: string, keys: string[], args: string[]): Promise<unknown> {
    const { clock, plan } = this;
    await pause(clock, plan.roundTripMs / 2);
    this.#freeAt = Math.max(this.#freeAt, clock.monotonic()) + plan.scriptMs;
    await pause(clock, this.#freeAt - clock.monotonic());
    const reply = await this.#reply(script, keys, args);
    await pause(clock, plan.roundTripMs / 2);
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
    const [owner = '', value = '', expiresAt, noteText = '', ms] = args;
    const note = noteText === '' ? undefined : { value: noteText, ms: Number(ms) };
    if (value !== '') await this.#memory.publish({ name, owner, value, expiresAt: Number(expiresAt) });
    else await this.#memory.release({ name, owner, note });
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
