import { Readable } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { isAxiosError } from 'axios';
import { isObservable, lastValueFrom, type Observable } from 'rxjs';
import { onTestFinished } from 'vitest';
import {
  EasyHttpService,
  getTokenProviderToken,
  OriginationsHttpService,
  type ProviderAuthOptions,
  ProviderAuthModule,
  ProviderAuthService,
  type TokenProvider,
} from '../../../lib/index.js';
import { ProviderSimulator, type ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { CapturedLogs } from '../secrets/captured-logs.js';

type Script = (provider: ProviderSimulator) => void;
type Options = Partial<ProviderAuthOptions> | ((provider: ProviderSimulator) => ProviderAuthOptions);

/** The transport of the requests of this run: the suites `…-undici` of `vitest.config.ts` repeat specs on undici. */
export const TRANSPORT: 'axios' | 'undici' = process.env['TEST_TRANSPORT'] === 'undici' ? 'undici' : 'axios';

/** A running application, the provider that it talks to, and what it logged. */
export interface RunningApp {
  readonly provider: ProviderSimulator;
  readonly app: INestApplicationContext;
  readonly easy: EasyHttpService;
  readonly originations: OriginationsHttpService;
  /** The token provider of easy in the active environment. */
  readonly tokens: TokenProvider;
  readonly status: ProviderAuthService;
  readonly logs: CapturedLogs;
}

/** How a call ended: with an answer or with an error. */
export interface Outcome<Answer> extends RunningApp {
  readonly answer: Answer | undefined;
  readonly error: unknown;
}

/**
 * Sets up a test case, in the order of a story. Everything that it starts ends with the test.
 *
 * @example
 * const { answer, provider } = await given()
 *   .simulator({ lifetimeSeconds: 2 }, (provider) => provider.api.next().unauthorized())
 *   .app({ http: { timeoutMs: 500 } })
 *   .call(({ easy }) => easy.get('/payments/1'));
 */
export function given(): Given {
  return new Given();
}

class Given {
  #simulator: ProviderSimulatorOptions = {};
  #script: Script = () => {};

  simulator(options: ProviderSimulatorOptions, script: Script = () => {}): this {
    this.#simulator = options;
    this.#script = script;
    return this;
  }

  app(options: Options = {}): GivenApp {
    return new GivenApp(this.#simulator, this.#script, options);
  }
}

class GivenApp {
  #isWarm = false;

  constructor(
    private readonly simulator: ProviderSimulatorOptions,
    private readonly script: Script,
    private readonly options: Options,
  ) {}

  /**
   * The application has a token before its call. For calls with a short time limit: it covers the token request, too, which alone
   * may take as long on a busy machine.
   */
  warm(isWarm = true): this {
    this.#isWarm = isWarm;
    return this;
  }

  /** Starts the application of one test. It ends with the test. */
  async start(): Promise<RunningApp> {
    const { close, ...running } = await this.open();
    onTestFinished(close);
    return running;
  }

  /** Starts an application for all tests of a file, in `beforeAll`, which returns `close`. */
  async open(): Promise<RunningApp & { readonly close: () => Promise<void> }> {
    const provider = await ProviderSimulator.start(this.simulator);
    this.script(provider);
    const options = onTransport(
      provider,
      typeof this.options === 'function'
        ? this.options(provider)
        : activePairs(provider.options(this.options)),
    );
    const logs = new CapturedLogs();
    const app = await NestFactory.createApplicationContext(ProviderAuthModule.forRoot(options), {
      logger: logs,
      abortOnError: false,
    });
    return {
      close: async () => {
        await app.close();
        await provider.close();
      },
      provider,
      app,
      easy: app.get(EasyHttpService),
      originations: app.get(OriginationsHttpService),
      tokens: app.get<TokenProvider>(getTokenProviderToken('easy')),
      status: app.get(ProviderAuthService),
      logs,
    };
  }

  async call<Answer>(
    call: (running: RunningApp) => Observable<Answer> | Promise<Answer>,
  ): Promise<Outcome<Answer>> {
    const running = await this.start();
    if (this.#isWarm) await running.tokens.getToken();
    try {
      const made = call(running);
      const answer = await (isObservable(made) ? lastValueFrom(made) : made);
      endStreamOf(answer);
      return { ...running, answer, error: undefined };
    } catch (error) {
      if (isAxiosError(error)) endStreamOf(error.response);
      return { ...running, answer: undefined, error };
    }
  }
}

/** A streamed answer lasts until it is read or destroyed. A transport that closes waits for such an answer. */
function endStreamOf(answer: unknown): void {
  const data: unknown =
    typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'data') : undefined;
  if (data instanceof Readable) onTestFinished(() => void data.destroy());
}

/** A test that says nothing about environments needs no pair of another one. Each takes as long as the rest of the application. */
function activePairs(options: ProviderAuthOptions): ProviderAuthOptions {
  const { environment, interfaces } = options;
  if (environment !== 'sandbox') return options;
  const active = Object.entries(interfaces).map(([name, one]) => [name, { ...one, production: undefined }]);
  return { ...options, interfaces: Object.fromEntries(active) };
}

function onTransport(provider: ProviderSimulator, options: ProviderAuthOptions): ProviderAuthOptions {
  if (TRANSPORT === 'axios') return options;
  const { httpsAgent, ...http } = options.http ?? {};
  // With an agent, the pairs have no `tls`.
  const trusting = httpsAgent && { interfaces: provider.options().interfaces };
  return { ...options, ...trusting, http: { transport: undiciTransport(), ...http } };
}
