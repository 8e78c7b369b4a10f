import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import type { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpService } from '@nestjs/axios';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import type { AnyPair } from '../../catalogue/catalogue.js';
import { TokenRequestError } from '../../errors/token-request.error.js';
import {
  type HttpUnauthorizedEvent,
  httpUnauthorizedChannel,
  type TokenRequestEvent,
  tokenRequestChannel,
} from '../../events/provider-auth-events.js';
import { injectionToken } from '../../module/injection-tokens.js';
import type { AnyProvider } from '../../testing/any-provider.js';
import type { ProviderSimulator } from '../../testing/index.js';
import { isRecord } from '../../values/is-object.js';
import { nearestName } from '../../config/rules/names.js';
import { nameOf } from './overview.js';
import { MOST_CALLERS, type Scenario, SCENARIOS, type Stage } from './scenarios.js';
import { Tally } from './tally.js';
import { ChainError, type Chain, type Target } from './verbs.js';
import { type Verdict, verdictOfScenario } from './verdict.js';

/** All callers together make so many calls a second, because they share a process with the simulator. */
const CALLS_PER_SECOND = 300;
const SHORTEST_PAUSE_MS = 250;

const LAST_ANSWERS_MS = 10_000;

/** Less, but enough for what was already sent to arrive before a new session begins, or the simulator ends. */
export const SHORT_LAST_ANSWERS_MS = 1000;

/** A person reads the sentence of a scenario that has ended, also while an application calls. */
const HEADLINE_MS = 5000;

/** A thousand callers need no thousand connections. */
const CONNECTIONS = 64;

/** What the callers see. */
export interface LoadStatus {
  /** How many callers run now. */
  readonly callers: number;
  /** The pair that they call. */
  readonly name: string;
  readonly calls: number;
  /** Calls that failed for a caller. A call that was refused, sent again and answered has not failed. */
  readonly failed: number;
  /** The scenario that runs now. */
  readonly scenario?: string;
  /** The verdict on the last scenario, until another order or a new session. */
  readonly outcome?: Verdict;
  /** Whether the callers are just starting. */
  readonly isStarting?: true;
  /** When the scenario ends. Absent before it begins. Milliseconds since 1970. */
  readonly endsAt?: number;
}

interface Plan {
  readonly callers: number;
  readonly scenario: Scenario | undefined;
}

interface Run extends Plan {
  readonly tally: Tally;
  /** Ends the callers. */
  readonly stop: AbortController;
  /** Ends the calls that are still under way then. */
  readonly last: AbortController;
  endsAt?: number;
}

interface LoadParts {
  readonly provider: ProviderSimulator;
  /** Undefined for the built-in provider. */
  readonly definition: AnyProvider | undefined;
  readonly run: (target: Target, chain: Chain) => unknown;
  /** Called when an application of this pair has started. */
  readonly started: (pair: AnyPair) => void;
  /** Called when the client of this pair has another secret. */
  readonly rotated: (pair: AnyPair) => void;
  /** Called when a call to this pair never left, because there was no token. */
  readonly unsent: (pair: AnyPair) => void;
  readonly changed: () => void;
  /** Called with the last sentence of a scenario. */
  readonly said: (text: string) => void;
}

/** A Nest application with the module of this package. */
interface Application {
  readonly context: INestApplicationContext;
  readonly http: HttpService['axiosRef'];
  /** Undefined for a client without a secret. */
  readonly reader: SecretReader | undefined;
}

/** What the source of a secret gives next. */
interface SecretReader {
  secret: string;
  old?: string;
}

/** Callers in this process. They call the simulator through this package, so that its promise shows without an application. */
export class Load {
  readonly #parts: LoadParts;
  readonly #pair: AnyPair;
  #tally = new Tally();
  /** The scenario that runs, or has just ended. */
  #scenario: Scenario | undefined;
  /** Whether an order ended it before its time. */
  #isStopped = false;
  /** Whether the headline is about it. */
  #isHeadline = false;
  #starting: Plan | undefined;
  #running: Run | undefined;
  #ended: Promise<void> = Promise.resolve();
  #orders: Promise<unknown> = Promise.resolve();
  #agent: Agent | undefined;
  /** For calls one by one. Otherwise, each of them would need another token. */
  #single: Application | undefined;
  /** Ends these calls: before the next one, and the last one. */
  #singleEnd = { stop: new AbortController(), last: new AbortController() };
  /** What runs in here is the work of the callers, and not of another client. */
  readonly #ofCallers = new AsyncLocalStorage<Tally>();

  constructor(parts: LoadParts) {
    this.#parts = parts;
    const [pair] = parts.provider.pairs;
    if (pair === undefined) throw new TypeError('A provider has at least one pair.');
    this.#pair = { interface: pair.interface, environment: pair.environment };
  }

  get status(): LoadStatus {
    const { callers = 0, scenario }: Partial<Plan> = this.#starting ?? this.#running ?? {};
    const endsAt = this.#running?.endsAt;
    const { calls, failed } = this.#tally.counts;
    return {
      callers,
      name: nameOf(this.#pair),
      calls,
      failed,
      ...(scenario !== undefined && { scenario: scenario.name }),
      ...(this.#starting !== undefined && { isStarting: true }),
      ...(endsAt !== undefined && { endsAt }),
      ...(this.#tally.endedAt !== undefined && this.#verdict && { outcome: this.#verdict }),
    };
  }

  get #verdict(): Verdict | undefined {
    return this.#scenario && verdictOfScenario(this.#scenario, this.#tally, this.#isStopped);
  }

  /** The sentence of the scenario that runs, or has just ended. */
  get headline(): Verdict | undefined {
    return this.#isHeadline ? this.#verdict : undefined;
  }

  /** What comes some time after a scenario has another headline. */
  noteRequest({ at }: { readonly at: Date }): void {
    const { endedAt = Infinity } = this.#tally;
    if (at.getTime() > endedAt + HEADLINE_MS) this.#isHeadline = false;
  }

  /** Forgets what callers have seen. */
  clear(): void {
    this.#tally = new Tally();
    this.#scenario = undefined;
  }

  /** `{"scenario":"revoke"}`, `{"callers":50}`, `{"calls":1}` or `{"stop":true}`. Anything else is a `ChainError`. */
  async control(order: unknown): Promise<unknown> {
    const [[verb, value] = [], ...others] = isRecord(order) ? Object.entries(order) : [];
    if (others.length === 0) {
      if (verb === 'stop' && value === true) return this.stop();
      if (verb === 'callers' && isWhole(value, MOST_CALLERS)) return this.start({ callers: value });
      if (verb === 'calls' && isWhole(value, 1000)) return this.#callOnce(value);
      if (verb === 'scenario') return this.start(scenarioOf(value));
    }
    throw new ChainError(
      'Name one: {"scenario":"revoke"}, {"callers":50} up to 10000, {"calls":1} up to 1000, or {"stop":true}.',
    );
  }

  /** Callers that play a scenario, or call until `stop()`. */
  start(plan: Scenario | { readonly callers: number }): Promise<void> {
    return this.#inTurn(() => this.#start(plan));
  }

  /** Calls that are under way have a moment to get their answers. */
  stop(lastAnswersMs = LAST_ANSWERS_MS): Promise<void> {
    // An order before this one may wait for these answers.
    this.#endLast(lastAnswersMs);
    return this.#inTurn(() => this.#stop(lastAnswersMs));
  }

  #endLast(lastAnswersMs: number): void {
    const ends = [this.#running, this.#singleEnd];
    setTimeout(() => {
      for (const end of ends) end?.last.abort();
    }, lastAnswersMs).unref();
  }

  /** An application takes a moment to start. What is ordered meanwhile waits, so that a load can always be stopped. */
  #inTurn<Result>(order: () => Promise<Result>): Promise<Result> {
    const done = this.#orders.then(order);
    this.#orders = done.catch(() => undefined);
    return done;
  }

  async #stop(lastAnswersMs = LAST_ANSWERS_MS): Promise<void> {
    if (this.#running?.stop.signal.aborted === false) this.#isStopped = true;
    this.#running?.stop.abort();
    this.#singleEnd.stop.abort();
    this.#endLast(lastAnswersMs);
    await this.#ended;
    this.#singleEnd = { stop: new AbortController(), last: new AbortController() };
    const single = this.#single;
    this.#single = undefined;
    await single?.context.close();
  }

  async #start(plan: Scenario | { readonly callers: number }): Promise<void> {
    await this.#stop();
    const scenario = 'steps' in plan ? plan : undefined;
    const stop = new AbortController();
    const last = new AbortController();
    // Each caller listens.
    setMaxListeners(0, stop.signal);
    const tally = new Tally();
    this.#tally = tally;
    this.#scenario = scenario;
    this.#isStopped = false;
    this.#isHeadline = true;
    const shown: Plan = { callers: plan.callers, scenario };
    this.#starting = shown;
    this.#parts.changed();
    const application = await this.#application()
      .catch((error: unknown) => {
        this.clear();
        throw error;
      })
      .finally(() => {
        this.#starting = undefined;
        this.#parts.changed();
      });
    const running = { ...shown, tally, stop, last };
    this.#running = running;
    this.#ended = this.#ofCallers.run(tally, () => this.#play(running, application));
  }

  /** Never rejects. */
  async #play(run: Run, { context, http, reader }: Application): Promise<void> {
    const { callers, scenario, tally, stop, last } = run;
    const countTokenRequest = (event: unknown): void => {
      if (this.#ofCallers.getStore() === tally)
        tally.noteTokenRequest((event as TokenRequestEvent).outcome === 'ok');
    };
    const countRecovered = (event: unknown): void => {
      const isOwn = this.#ofCallers.getStore() === tally;
      if (isOwn && (event as HttpUnauthorizedEvent).outcome === 'recovered') tally.counts.recovered += 1;
    };
    subscribe(tokenRequestChannel.name, countTokenRequest);
    subscribe(httpUnauthorizedChannel.name, countRecovered);
    const isOnce = scenario !== undefined && scenario.seconds === undefined;
    const stage = this.#stage(reader);
    // A call that is under way when its caller ends has a moment to get its answer.
    stop.signal.addEventListener('abort', () => setTimeout(() => last.abort(), LAST_ANSWERS_MS).unref());
    if (scenario?.steps.length === 0) tally.noteFault();
    scenario?.first?.(stage);
    const begun = beginWhenWarm(run, stage);
    const pause = Math.max(SHORTEST_PAUSE_MS, (callers / CALLS_PER_SECOND) * 1000);
    await Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        if (!isOnce) await pauseOf(pause * Math.random(), stop.signal);
        while (!stop.signal.aborted) {
          await this.#call(http, `/callers/${caller + 1}`, tally, last.signal);
          if (isOnce) return;
          await pauseOf(pause * (0.5 + Math.random()), stop.signal);
        }
      }),
    );
    await begun;
    stage.takeBack();
    await context.close();
    unsubscribe(tokenRequestChannel.name, countTokenRequest);
    unsubscribe(httpUnauthorizedChannel.name, countRecovered);
    // Node 20 and 22 call a hook for every promise of the process while this is in use, which is slow.
    this.#ofCallers.disable();
    this.#running = undefined;
    tally.noteEnd();
    if (scenario !== undefined) this.#parts.said(verdictOfScenario(scenario, tally, this.#isStopped).text);
    this.#parts.changed();
  }

  /** For a first look: one request appears on the page. */
  async #callOnce(calls: number): Promise<void> {
    const tally = new Tally();
    const { done } = await this.#inTurn(async () => {
      const { http } = (this.#single ??= await this.#application());
      if (this.#running === undefined) {
        this.#tally = tally;
        this.#scenario = undefined;
      }
      const { stop, last } = this.#singleEnd;
      const callAll = async (): Promise<void> => {
        for (let call = 0; call < calls && !stop.signal.aborted; call += 1)
          await this.#call(http, '/test-call', tally, last.signal);
      };
      const [others, done] = [this.#ended, callAll()];
      this.#ended = done.then(() => others);
      return { done };
    });
    await done;
    this.#parts.changed();
  }

  async #call(
    http: Application['http'],
    path: string,
    { counts }: Tally,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await http.get(path, { signal });
    } catch (error) {
      // The end of the load is no failure.
      if (signal.aborted) return;
      counts.failed += 1;
      if (error instanceof TokenRequestError) {
        counts.unsent += 1;
        this.#parts.unsent(this.#pair);
      }
    }
    counts.calls += 1;
  }

  async #application(): Promise<Application> {
    const { definition } = this.#parts;
    // Only a load needs an application, so only a load imports Nest.
    const { NestFactory } = await import('@nestjs/core');
    const { ProviderAuthModule } = await import('../../module/module.js');
    const { Module } = (definition ?? { Module: ProviderAuthModule }) as {
      Module: { forRoot(options: object): DynamicModule };
    };
    const options = this.#options();
    const reader = this.#readSecretLate(options);
    const context = await NestFactory.createApplicationContext(Module.forRoot(options), {
      logger: false,
      // Else a problem of the options would end the simulator.
      abortOnError: false,
    }).catch((error: unknown) => {
      throw new ChainError(`The callers cannot start: ${error instanceof Error ? error.message : 'unknown'}`);
    });
    const { interface: name, environment } = this.#pair;
    this.#parts.started(this.#pair);
    const token = injectionToken(definition?.name ?? 'provider', 'HTTP', name, environment);
    return { context, http: context.get<HttpService>(token).axiosRef, reader };
  }

  /** With client certificates, each pair makes its own connections. */
  #options(): object {
    const { provider } = this.#parts;
    const options = provider.options();
    if (!isRecord(options.http) || !('httpsAgent' in options.http)) return options;
    return provider.options({
      http: { httpsAgent: (this.#agent ??= provider.agent({ maxSockets: CONNECTIONS })) },
    });
  }

  /** As a store of secrets that is a moment behind: after a rotation, the first reading is the old secret. */
  #readSecretLate({ interfaces }: object & { interfaces?: unknown }): SecretReader | undefined {
    const { interface: name, environment } = this.#pair;
    const pairs = isRecord(interfaces) ? interfaces[name] : undefined;
    const credentials = isRecord(pairs) ? pairs[environment] : undefined;
    if (!isRecord(credentials) || !('clientSecret' in credentials)) return undefined;
    const reader: SecretReader = { secret: this.#secret() };
    Object.assign(credentials, {
      clientSecret: () => {
        const { old = reader.secret } = reader;
        delete reader.old;
        return old;
      },
    });
    return reader;
  }

  #secret(): string {
    const { interface: name, environment } = this.#pair;
    return this.#parts.provider.credentials(name as 'easy', environment as 'sandbox').clientSecret;
  }

  #stage(reader: SecretReader | undefined): Stage {
    const { provider, run } = this.#parts;
    const { interface: name, environment } = this.#pair;
    const own = new Set<number>();
    const idsOf = (): number[] => provider.waitingScripts.map(({ id }) => id);
    const first = this.#secret();
    const rotate = (secret?: string): string => {
      const given = provider.rotateSecret(name as 'easy', environment as 'sandbox', secret);
      this.#parts.rotated(this.#pair);
      return given;
    };
    return {
      run: (on, chain) => {
        const before = new Set(idsOf());
        run(on, { for: [name, environment], ...chain });
        for (const id of idsOf()) if (!before.has(id)) own.add(id);
      },
      takeBack: () => {
        for (const id of idsOf()) if (own.has(id)) run('simulator', { takeBack: id });
        // Applications with the file of settings have the first secret.
        if (this.#secret() !== first) rotate(first);
      },
      rotateSecret: () => {
        // A client without a secret has nothing to rotate here.
        if (reader === undefined) return;
        reader.old = reader.secret;
        reader.secret = rotate();
      },
    };
  }
}

function isWhole(value: unknown, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;
}

function scenarioOf(name: unknown): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  const names = SCENARIOS.map((scenario) => scenario.name);
  const nearest = typeof name === 'string' ? nearestName(name, names) : undefined;
  throw new ChainError(
    `There is no such scenario. ${nearest === undefined ? `Name one of ${names.join(', ')}.` : `Did you mean "${nearest}"?`}`,
  );
}

/** A scenario begins when there are as many answers as callers, however fast this machine is. */
async function beginWhenWarm(run: Run, stage: Stage): Promise<void> {
  const { callers, scenario, tally, stop } = run;
  if (scenario?.seconds === undefined) return;
  while (tally.counts.calls < callers && !stop.signal.aborted) await pauseOf(50, stop.signal);
  if (stop.signal.aborted) return;
  const after = async (seconds: number, act: () => void): Promise<void> => {
    await pauseOf(seconds * 1000, stop.signal);
    if (!stop.signal.aborted) act();
  };
  for (const [seconds, act] of scenario.steps)
    void after(seconds, () => {
      tally.noteFault();
      act(stage);
    });
  void after(scenario.seconds, () => stop.abort());
  run.endsAt = Date.now() + scenario.seconds * 1000;
}

async function pauseOf(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
