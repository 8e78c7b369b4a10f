import { Logger } from '@nestjs/common';
import { onTestFinished } from 'vitest';
import type { ProviderEnvironment, ProviderInterface } from '../../../lib/catalogue/provider-catalogue.js';
import type { Profile } from '../../../lib/config/options/profile.js';
import type { HttpOptions, TokenOptions } from '../../../lib/config/options/provider-auth-options.js';
import { validateOptions } from '../../../lib/config/validate-options.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import type { ProviderSimulator, ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import { type Clock, systemClock } from '../../../lib/time/clock.js';
import type { Tokens } from '../../../lib/token/tokens.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import { BUILT_IN_PROVIDER, type ProviderUnderTest } from '../application/every-term.js';
import { CanaryScanner, type Leak } from '../secrets/canary-scanner.js';
import { canariesOf } from '../secrets/simulated-canaries.js';
import { redirected } from '../secrets/captured-output.js';
import { eventsOf } from './events.js';

interface TrialOptions {
  /** @default the built-in provider */
  readonly provider?: ProviderUnderTest;
  readonly simulator?: ProviderSimulatorOptions;
  readonly token?: Partial<TokenOptions>;
  readonly http?: Partial<HttpOptions>;
  readonly pair?: readonly [ProviderInterface, ProviderEnvironment];
  /** The profile with something changed. */
  readonly profile?: (profile: Profile) => Profile;
  readonly random?: () => number;
  /** @default the clock of the system */
  readonly clock?: Clock;
}

const CHANNELS = ['token-request', 'token-cache', 'http-unauthorized', 'provider-state'];

/**
 * A real token provider against a simulated one over HTTPS. Everything that is thrown, logged or published while the
 * test runs is kept, to be searched for the client id, the secret and every token that was issued.
 */
export class TokenTrial {
  /** Of each channel. */
  readonly events = Object.fromEntries(CHANNELS.map((name) => [name, eventsOf(name)]));
  readonly logged: { readonly level: string; readonly said: readonly unknown[] }[] = [];
  readonly thrown: unknown[] = [];
  readonly #written: string[] = [];
  readonly #pair: readonly [ProviderInterface, ProviderEnvironment];

  private constructor(
    readonly provider: ProviderSimulator,
    readonly tokens: Tokens,
    pair: readonly [ProviderInterface, ProviderEnvironment],
  ) {
    this.#pair = pair;
    this.#listen();
  }

  static async start(options: TrialOptions = {}): Promise<TokenTrial> {
    const { pair = ['easy', 'sandbox'], provider = BUILT_IN_PROVIDER } = options;
    const simulated = await provider.simulate(options.simulator);
    onTestFinished(() => simulated.close());
    return new TokenTrial(simulated, await createTokens(simulated, { ...options, pair }), pair);
  }

  /** Another token provider against the same simulator, as another process would have one. */
  another(options: TrialOptions = {}): Promise<Tokens> {
    return createTokens(this.provider, { pair: this.#pair, ...options });
  }

  /** Asks for a token and returns the outcome. Does not throw. */
  async ask(tokens = this.tokens): Promise<{ token?: AccessToken; error?: unknown }> {
    try {
      return { token: await tokens.getToken() };
    } catch (error) {
      this.thrown.push(error);
      return { error };
    }
  }

  /** The log lines so far, as `level text`. */
  get lines(): string[] {
    return this.logged.map(({ level, said }) => `${level} ${String(said[0])}`);
  }

  /** Every secret in everything that could be seen so far; none is an empty list. */
  leaks(): Leak[] {
    const canaries = canariesOf(this.provider.credentials(...this.#pair), this.provider.tokenRequests);
    const scanner = new CanaryScanner(Object.fromEntries(canaries));
    const { thrown, logged, events, tokens } = this;
    return [
      ...scanner.scan(thrown, 'thrown'),
      ...thrown.flatMap((error, index) => scanner.scan(error, `thrown[${index}]`)),
      ...scanner.scan(logged, 'logged'),
      ...scanner.scanText(this.#written.join(''), 'written'),
      ...scanner.scan(events, 'events'),
      ...scanner.scan(tokens.status(), 'status'),
      ...scanner.scan(tokens, 'provider'),
    ];
  }

  #listen(): void {
    const keep =
      (level: string) =>
      (...said: unknown[]): void => {
        this.logged.push({ level, said });
      };
    const levels = ['log', 'error', 'warn', 'debug', 'verbose', 'fatal'] as const;
    Logger.overrideLogger(Object.fromEntries(levels.map((level) => [level, keep(level)])) as never);
    onTestFinished(() => Logger.overrideLogger(false));
    for (const stream of [process.stdout, process.stderr]) this.#tap(stream);
  }

  #tap(stream: NodeJS.WriteStream): void {
    const write = stream.write.bind(stream);
    const tapped = (chunk: string | Uint8Array, ...rest: []): boolean => {
      this.#written.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
      return write(chunk, ...rest);
    };
    onTestFinished(redirected(stream, tapped));
  }
}

async function createTokens(
  simulated: ProviderSimulator,
  {
    provider: { parts } = BUILT_IN_PROVIDER,
    token,
    http,
    pair: [name, environment],
    profile: change,
    random = Math.random,
    clock = systemClock,
  }: TrialOptions & Required<Pick<TrialOptions, 'pair'>>,
): Promise<Tokens> {
  const settings = await validateOptions(
    parts.catalogue,
    simulated.options({ ...(token && { token }), ...(http && { http }) }),
    {},
  );
  const profile = settings.profiles.find((one) => one.interface === name && one.environment === environment);
  if (profile === undefined) throw new Error(`The simulator has no ${name} ${environment}.`);
  const tokens = createTokenProvider(change?.(profile) ?? profile, settings, clock, random);
  onTestFinished(() => tokens.close());
  return tokens;
}
