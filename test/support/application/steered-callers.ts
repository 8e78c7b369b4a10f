import { EventEmitter } from 'node:events';
import promised from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
// The callers import these when they start. No test has to wait for that.
import '@nestjs/core';
import '../../../lib/module/module.js';
import type { Scenario } from '../../../lib/cli/simulate/scenarios.js';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import { injectionToken } from '../../../lib/module/injection-tokens.js';
import type { AnyProvider } from '../../../lib/testing/any-provider.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { replaceBuiltIn } from './replaced-builtin.js';

/** A pair of the built-in provider. */
export const EASY = { interface: 'easy', environment: 'sandbox' };

/** The client secret at the start. */
export const FIRST_SECRET = 'canary-of-the-first-secret';

/** Time that the test moves, also for `node:timers/promises`, which vitest does not fake. Until the test ends. */
export function useFakeTime(now: number): void {
  vi.useFakeTimers({ now, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  replaceBuiltIn(promised, {
    setTimeout: (ms, value, { signal } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(new Error('The signal has been aborted.'));
        const timer = setTimeout(() => resolve(value as never), ms);
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(new Error('The signal was aborted.'));
        });
      }),
  });
  onTestFinished(() => void vi.useRealTimers());
}

/** A scenario whose sentences contain its counts. */
export const scenarioOf = (changes: Partial<Scenario> = {}): Scenario => ({
  name: 'own',
  label: '',
  does: '',
  callers: 2,
  steps: [],
  before: 'before',
  during: ({ calls, failed }) => `during ${calls} ${failed}`,
  after: ({ calls, failed, unsent, recovered, tokenRequests, failedTokenRequests }) =>
    `after ${calls} ${failed} ${unsent} ${recovered} ${tokenRequests} ${failedTokenRequests}`,
  held: () => true,
  ...changes,
});

/** The error of a call that was not sent. */
export const noToken = (): TokenRequestError =>
  new TokenRequestError(
    { ...EASY },
    {
      code: 'TOKEN_UNAVAILABLE',
      reason: 'the endpoint answered 503',
      remedy: 'Wait.',
      transient: true,
    },
  );

const LONGEST_WAIT_MS = 20_000;

/** Before a test replaces it. */
const realTimeout = setTimeout;

/** Waits until this assertion holds, and leaves the fake time as it is. `expect.poll` would move it. */
export async function happens(assertion: () => void): Promise<void> {
  const begun = performance.now();
  for (;;) {
    try {
      return assertion();
    } catch (error) {
      if (performance.now() - begun > LONGEST_WAIT_MS) throw error;
    }
    // In real time, and without keeping a core busy.
    await new Promise((resolve) => realTimeout(resolve, 1));
  }
}

/** A call that a caller has made. */
export type CallerGet = (path: string, options: { readonly signal: AbortSignal }) => Promise<unknown>;

/** The applications of the callers, without a network: the test answers each call. */
export class SteeredApplications {
  /** The options of each application that was started. */
  readonly options: any[] = []; // oxlint-disable-line typescript/no-explicit-any
  /** How many have been closed. */
  closed = 0;
  /** Replaces the start of the next applications. */
  beforeStart: () => Promise<void> = () => Promise.resolve();
  readonly get = vi.fn<CallerGet>(() => Promise.resolve({ status: 200 }));
  readonly #random = vi.spyOn(Math, 'random');

  /** @param random what `Math.random()` returns once an application has started. To start, Nest needs random names. */
  constructor(private readonly random = 0) {}

  /** A definition whose module starts such an application. */
  get definition(): AnyProvider {
    const name = 'depot';
    const token = injectionToken(name, 'HTTP', EASY.interface, EASY.environment);
    const onModuleDestroy = (): void => void (this.closed += 1);
    const provider = {
      provide: token,
      useFactory: async () => {
        await this.beforeStart();
        this.#random.mockReturnValue(this.random);
        return { axiosRef: { get: this.get }, onModuleDestroy };
      },
    };
    const forRoot = (options: object): object => {
      this.options.push(options);
      this.#random.mockReset();
      return { module: class SteeredModule {}, providers: [provider], exports: [token] };
    };
    return { name, pairs: [], config: () => ({}), Module: { forRoot } } as AnyProvider;
  }

  /** The paths of the calls so far. */
  get paths(): string[] {
    return this.get.mock.calls.map(([path]) => path);
  }
}

interface Script {
  readonly id: number;
  readonly scope: object;
  readonly left?: number;
}

/** A simulator without a server: it only knows what a session asks of it. */
export class SteeredSimulator extends EventEmitter {
  readonly origin = 'https://localhost:4000';
  readonly pairs = [
    { ...EASY, account: undefined },
    { interface: 'easy', environment: 'production' },
  ];
  waitingScripts: Script[] = [];
  secret: string | undefined = FIRST_SECRET;
  /** What the options of a client have in addition. */
  http: object | undefined;
  readonly agent = vi.fn<(options: object) => object>((options) => ({ agent: options }));

  #newestSecret = 0;

  readonly rotateSecret = vi.fn<(name: string, environment: string, secret?: string) => string>(
    (_name, _environment, secret = `canary-number-${(this.#newestSecret += 1)}`) => (this.secret = secret),
  );

  readonly takeBack = vi.fn<(id: number) => boolean>((id) => {
    const before = this.waitingScripts.length;
    this.waitingScripts = this.waitingScripts.filter((script) => script.id !== id);
    return this.waitingScripts.length < before;
  });

  readonly reset = vi.fn<() => void>(() => void (this.waitingScripts = []));

  #newestId = 0;

  get double(): ProviderSimulator {
    return this as unknown as ProviderSimulator;
  }

  readonly newestToken = (): undefined => undefined;

  readonly credentials = (): object => ({ clientSecret: this.secret });

  readonly options = (overrides: object = {}): object => ({
    interfaces: { easy: { sandbox: { ...(this.secret !== undefined && { clientSecret: this.secret }) } } },
    ...(this.http !== undefined && { http: this.http }),
    ...overrides,
  });

  readonly onRequest = (observer: (request: unknown) => void): void => void this.on('request', observer);

  /** A fault that waits for requests. Returns its id. */
  arm(left?: number): number {
    this.#newestId += 1;
    const script = { id: this.#newestId, scope: {}, ...(left !== undefined && { left }) };
    this.waitingScripts = [...this.waitingScripts, script];
    return script.id;
  }
}
