import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as passed } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { TokenCacheEvent } from '../../../lib/events/provider-auth-events.js';
import { RedisTokenStore } from '../../../lib/redis/index.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { CapturedLogs } from '../secrets/captured-logs.js';
import { FleetNode, type NodeSettings } from './fleet-node.js';
import { CLIENT_KINDS, clientOfThisRun } from './redis-clients.js';

/** The settings that a process of the fleet gets at its start. */
export interface WorkerSettings extends NodeSettings {
  readonly redisPort: number;
}

/** What a process of the fleet reports about a token. The token itself stays in the process. */
export interface ReportedToken {
  readonly fingerprint: string;
  readonly remainingMs: number;
  readonly tookMs: number;
}

/** Under load: when the first call got this token, and when the last such call began, by the machine's own clock. */
interface TokenUse {
  readonly fingerprint: string;
  readonly firstGot: number;
  readonly lastCall: number;
}

/** 64 processes on two cores: a trip to Redis may be slow because a process waits for a core. Redis is healthy then. */
const STARVED_TIMEOUT_MS = 10_000;

/** One process of a fleet: a token provider on Redis and nothing around it, so that 64 of them start on two cores. */
class FleetWorker {
  readonly #logs = new CapturedLogs();
  readonly #cache: Record<string, number> = {};
  #node: FleetNode | undefined;
  #accounts: string[] = [];
  /** The last token of the pair, and of each account. */
  readonly #last = new Map<string | undefined, AccessToken>();

  constructor() {
    Logger.overrideLogger(this.#logs);
    subscribe('provider-auth:token-cache', (event) => {
      const { result } = event as TokenCacheEvent;
      this.#cache[result] = (this.#cache[result] ?? 0) + 1;
    });
  }

  async open(settings: WorkerSettings): Promise<void> {
    const { redisPort, accounts = {} } = settings;
    const { client } = await CLIENT_KINDS[clientOfThisRun()].open([redisPort]);
    const store = new RedisTokenStore(client, { timeoutMs: STARVED_TIMEOUT_MS });
    this.#accounts = Object.keys(accounts);
    this.#node = new FleetNode(store, settings);
  }

  /** `renew` is what an HTTP client does after a 401 for the token that it had last. */
  async get(command: 'get' | 'renew' = 'get', account?: string): Promise<ReportedToken> {
    const { tokens, clock } = this.#open;
    const started = performance.now();
    const provider = account === undefined ? tokens : tokens.for({ account });
    const last = this.#last.get(account);
    const token = await (command === 'renew' && last ? provider.renew(last) : provider.getToken());
    this.#last.set(account, token);
    // A request has succeeded with it: otherwise refusals in a row would pause renewals (B3).
    if (account === undefined) tokens.reportSuccess(token);
    const remainingMs = token.remainingMs(clock);
    return { fingerprint: token.fingerprint, remainingMs, tookMs: performance.now() - started };
  }

  /** The fingerprints of the tokens of all accounts, by name. Gets or renews a few at once. */
  async ofAccounts(command: 'get' | 'renew'): Promise<Record<string, string>> {
    const fingerprints: Record<string, string> = {};
    const left = [...this.#accounts];
    const call = async (): Promise<void> => {
      for (let account = left.pop(); account !== undefined; account = left.pop())
        fingerprints[account] = (await this.get(command, account)).fingerprint;
    };
    await Promise.all(Array.from({ length: 4 }, call));
    return fingerprints;
  }

  /** Asks for a token every few milliseconds, as callers do who come all the time, and goes on after errors. */
  async callAllTheTime(plan: { forMs: number; everyMs: number; since?: number }) {
    const { forMs, everyMs, since = Infinity } = plan;
    const end = performance.now() + forMs;
    const waits: number[] = [];
    const errors: string[] = [];
    const good: number[] = [];
    const uses = new Map<string, TokenUse>();
    const calls: Promise<void>[] = [];
    while (performance.now() < end) {
      const started = performance.now();
      // Before the call: afterwards a process may wait for a core before it can look at the clock.
      const began = Date.now();
      const given = ({ fingerprint }: AccessToken): void => {
        if (began >= since) good.push(began);
        const { firstGot = Date.now(), lastCall = began } = uses.get(fingerprint) ?? {};
        uses.set(fingerprint, { fingerprint, firstGot, lastCall: Math.max(lastCall, began) });
      };
      const call = this.#open.get().then(given, (error: unknown) => void errors.push(String(error)));
      calls.push(call.then(() => void waits.push(performance.now() - started)));
      await passed(everyMs);
    }
    await Promise.all(calls);
    return {
      calls: calls.length,
      failed: errors.length,
      longestMs: Math.max(...waits),
      errors: [...new Set(errors)],
      /** When the first caller after `since` got a token, by the machine's own clock. */
      firstGoodSince: good.length > 0 ? Math.min(...good) : undefined,
      uses: [...uses.values()],
    };
  }

  async record(): Promise<{ logs: string[]; cache: Record<string, number> }> {
    return { logs: this.#logs.of('ProviderAuth'), cache: this.#cache };
  }

  get #open(): FleetNode {
    if (this.#node === undefined) throw new Error('Not open yet.');
    return this.#node;
  }
}

export type WorkerCommand = Exclude<keyof FleetWorker, symbol>;
export type WorkerResult<Command extends WorkerCommand> = Awaited<ReturnType<FleetWorker[Command]>>;
export type WorkerArgument<Command extends WorkerCommand> = Parameters<FleetWorker[Command]>;

interface Message {
  readonly id: number;
  readonly command: WorkerCommand;
  readonly args: readonly unknown[];
}

const worker = new FleetWorker();
process.on('message', ({ id, command, args }: Message) => {
  const run = worker[command] as (...given: readonly unknown[]) => Promise<unknown>;
  run.apply(worker, [...args]).then(
    (result) => process.send?.({ id, result }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ id: 0 });
