import { subscribe } from 'node:diagnostics_channel';
import { Agent } from 'node:https';
import { Logger } from '@nestjs/common';
import type { ProviderPair } from '../../../lib/catalogue/provider-catalogue.js';
import type { AccountCredentials } from '../../../lib/config/options/environment-options.js';
import type { TokenSettings } from '../../../lib/config/options/profile.js';
import type { TokenCacheEvent } from '../../../lib/events/provider-auth-events.js';
import { RedisTokenStore } from '../../../lib/redis/index.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { type Clock, systemClock } from '../../../lib/time/clock.js';
import type { Tokens } from '../../../lib/token/tokens.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import { CapturedLogs } from '../secrets/captured-logs.js';
import { CLIENT_KINDS, type ClientName, clientOfThisRun, type OpenClient } from './redis-clients.js';
import { NAMES } from '../token/token-fixtures.js';

/** The settings that a process of the fleet gets at its start. */
export interface WorkerSettings extends ProviderPair {
  readonly redisPort: number;
  readonly ca: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** How far this process's wall clock is off. */
  readonly clockOffsetMs: number;
  /** The proxy on loopback that this process reaches the token endpoint by, if it has one. */
  readonly proxyPort?: number | undefined;
  /** Whether its Redis client connects when it is first used, and queues nothing until then. */
  readonly lazyRedis?: boolean | undefined;
  /** The kind of its Redis client. Without it, the kind of this run. */
  readonly client?: ClientName | undefined;
  readonly token: TokenSettings;
  /** What `accounts` of the options returns for each name. */
  readonly accounts?: Readonly<Record<string, AccountCredentials>> | undefined;
}

/** What a process of the fleet reports about a token. The token itself stays in the process. */
export interface ReportedToken {
  readonly fingerprint: string;
  readonly remainingMs: number;
  readonly tookMs: number;
}

/** Under load: when the first call got this token, and when the last such call began, by the machine's own clock. */
export interface TokenUse {
  readonly fingerprint: string;
  readonly firstGot: number;
  readonly lastCall: number;
}

/** What callers who come all the time have met. */
export interface LoadRecord {
  readonly calls: number;
  readonly failed: number;
  readonly longestMs: number;
  readonly errors: readonly string[];
  /** When the first caller after `since` got a token, by the machine's own clock. */
  readonly firstGoodSince?: number | undefined;
}

export interface WorkerRecord {
  readonly logs: string[];
  readonly cache: Record<string, number>;
}

/** One process of a fleet: a token provider on Redis and nothing around it, so that 64 of them start on two cores. */
class FleetWorker {
  readonly #logs = new CapturedLogs();
  #cache: Record<string, number> = {};
  #clock: Clock = systemClock;
  #client: OpenClient | undefined;
  #provider: Tokens | undefined;
  #token: AccessToken | undefined;
  #accounts: Readonly<Record<string, AccountCredentials>> = {};
  readonly #tokensOfAccounts = new Map<string, AccessToken>();

  constructor() {
    Logger.overrideLogger(this.#logs);
    subscribe('provider-auth:token-cache', (event) => {
      const { result } = event as TokenCacheEvent;
      this.#cache[result] = (this.#cache[result] ?? 0) + 1;
    });
  }

  /** A process can be opened again, for another provider. */
  async open(settings: WorkerSettings): Promise<void> {
    this.#forget();
    const {
      interface: name,
      environment,
      redisPort,
      ca,
      tokenUrl,
      clientId,
      clientSecret,
      proxyPort,
    } = settings;
    this.#client = settings.lazyRedis
      ? await lazyClient(redisPort)
      : await CLIENT_KINDS[settings.client ?? clientOfThisRun()].open([redisPort]);
    const secret = new Secret(clientSecret);
    this.#accounts = settings.accounts ?? {};
    this.#clock = { ...systemClock, wall: () => Date.now() + settings.clockOffsetMs };
    this.#provider = createTokenProvider(
      {
        interface: name,
        environment,
        active: true,
        names: NAMES,
        tokenUrl,
        baseUrl: new URL('/v1', tokenUrl).href,
        clientId: new Secret(clientId),
        clientSecret: { read: () => Promise.resolve(secret) },
      },
      {
        token: settings.token,
        http: {
          httpsAgent: new Agent({ ca }),
          proxy: proxyPort !== undefined && { protocol: 'http', host: '127.0.0.1', port: proxyPort },
        },
        store: new RedisTokenStore(this.#client.client, { timeoutMs: STARVED_TIMEOUT_MS }),
        accounts: (account) => this.#accounts[account],
      },
      this.#clock,
    );
  }

  async get(): Promise<ReportedToken> {
    return this.#report(() => this.#open.getToken());
  }

  /** As an HTTP client does after a 401 for the token that it had last. */
  async renew(): Promise<ReportedToken> {
    const refused = this.#token;
    if (refused === undefined) throw new Error('There is no token that could have been refused.');
    return this.#report(() => this.#open.renew(refused));
  }

  /** Gets or renews the tokens of all accounts, a few at once, and returns their fingerprints by name. */
  async ofAccounts(command: 'get' | 'renew'): Promise<Record<string, string>> {
    const fingerprints: Record<string, string> = {};
    const left = Object.keys(this.#accounts);
    const call = async (): Promise<void> => {
      for (let account = left.pop(); account !== undefined; account = left.pop()) {
        const provider = this.#open.for({ account });
        const last = this.#tokensOfAccounts.get(account);
        const token = await (command === 'renew' && last ? provider.renew(last) : provider.getToken());
        this.#tokensOfAccounts.set(account, token);
        fingerprints[account] = token.fingerprint;
      }
    };
    await Promise.all(Array.from({ length: 4 }, call));
    return fingerprints;
  }

  /** Uses tokens all the time, several callers at once. */
  async load({ forMs, callers }: { forMs: number; callers: number }): Promise<TokenUse[]> {
    const uses = new Map<string, TokenUse>();
    const end = performance.now() + forMs;
    const call = async (): Promise<void> => {
      while (performance.now() < end) {
        // Before the call: afterwards a process may wait for a core before it can look at the clock.
        const began = Date.now();
        const { fingerprint } = await this.#open.getToken();
        const { firstGot = Date.now(), lastCall = began } = uses.get(fingerprint) ?? {};
        uses.set(fingerprint, { fingerprint, firstGot, lastCall: Math.max(lastCall, began) });
        await new Promise((resolve) => {
          setTimeout(resolve, 10);
        });
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    return [...uses.values()];
  }

  /** Asks for a token every few milliseconds, as callers do who come all the time, and goes on after errors. */
  async callAllTheTime(plan: { forMs: number; everyMs: number; since?: number }): Promise<LoadRecord> {
    const { forMs, everyMs, since = Infinity } = plan;
    const end = performance.now() + forMs;
    const waits: number[] = [];
    const errors: string[] = [];
    const good: number[] = [];
    const calls: Promise<void>[] = [];
    while (performance.now() < end) {
      const started = performance.now();
      const startedAt = Date.now();
      const call = this.#open.getToken().then(
        () => void (startedAt >= since && good.push(startedAt)),
        (error: unknown) => void errors.push(String(error)),
      );
      calls.push(call.then(() => void waits.push(performance.now() - started)));
      await new Promise((resolve) => {
        setTimeout(resolve, everyMs);
      });
    }
    await Promise.all(calls);
    return {
      calls: calls.length,
      failed: errors.length,
      longestMs: Math.max(...waits),
      errors: [...new Set(errors)],
      firstGoodSince: good.length > 0 ? Math.min(...good) : undefined,
    };
  }

  async record(): Promise<WorkerRecord> {
    return { logs: this.#logs.of('ProviderAuth'), cache: this.#cache };
  }

  #forget(): void {
    this.#provider?.close();
    this.#client?.close();
    this.#token = undefined;
    this.#tokensOfAccounts.clear();
    this.#logs.lines.length = 0;
    this.#cache = {};
  }

  get #open(): Tokens {
    if (this.#provider === undefined) throw new Error('Not open yet.');
    return this.#provider;
  }

  async #report(obtain: () => Promise<AccessToken>): Promise<ReportedToken> {
    const started = performance.now();
    const token = await obtain();
    this.#token = token;
    // A request has succeeded with it: otherwise refusals in a row would pause renewals (B3).
    this.#open.reportSuccess(token);
    const { fingerprint } = token;
    return {
      fingerprint,
      remainingMs: token.remainingMs(this.#clock),
      tookMs: performance.now() - started,
    };
  }
}

async function lazyClient(port: number): Promise<OpenClient> {
  const { Redis } = await import('ioredis');
  const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, enableOfflineQueue: false });
  client.on('error', () => {});
  return { client, close: () => client.disconnect() };
}

/** 64 processes on two cores: a trip to Redis may be slow because a process waits for a core. Redis is healthy then. */
const STARVED_TIMEOUT_MS = 10_000;

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
