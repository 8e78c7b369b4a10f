import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Logger } from '@nestjs/common';
import { onTestFinished } from 'vitest';
import type { ProviderEnvironment, ProviderInterface } from '../../../lib/catalogue/provider-catalogue.js';
import type { Profile } from '../../../lib/config/options/profile.js';
import type { HttpOptions, TokenOptions } from '../../../lib/config/options/provider-auth-options.js';
import { validateOptions } from '../application/built-in.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { ProviderSimulator, type ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import { systemClock } from '../../../lib/time/clock.js';
import type { CachedTokenProvider } from '../../../lib/token/cached-token-provider.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import { CanaryScanner, type Leak } from '../secrets/canary-scanner.js';

interface TrialOptions {
  readonly simulator?: ProviderSimulatorOptions;
  readonly token?: TokenOptions;
  readonly http?: HttpOptions;
  readonly pair?: readonly [ProviderInterface, ProviderEnvironment];
  /** The profile with something changed. */
  readonly profile?: (profile: Profile) => Profile;
  readonly random?: () => number;
}

const CHANNELS = ['token-request', 'token-cache', 'http-unauthorized', 'provider-state'];

/**
 * A real token provider against a simulated one over HTTPS. Everything that is thrown, logged or published while the
 * test runs is kept, to be searched for the client id, the secret and every token that was issued.
 */
export class TokenTrial {
  readonly events: { readonly channel: string; readonly event: unknown }[] = [];
  readonly logged: { readonly level: string; readonly said: readonly unknown[] }[] = [];
  readonly thrown: unknown[] = [];
  readonly #written: string[] = [];
  readonly #pair: readonly [ProviderInterface, ProviderEnvironment];

  private constructor(
    readonly provider: ProviderSimulator,
    readonly tokens: CachedTokenProvider,
    pair: readonly [ProviderInterface, ProviderEnvironment],
  ) {
    this.#pair = pair;
    this.#listen();
  }

  static async start(options: TrialOptions = {}): Promise<TokenTrial> {
    const provider = await ProviderSimulator.start(options.simulator);
    onTestFinished(() => provider.close());
    const { pair = ['easy', 'sandbox'] } = options;
    return new TokenTrial(provider, await createTokens(provider, { ...options, pair }), pair);
  }

  /** Another token provider against the same simulator, as another process would have one. */
  another(options: TrialOptions = {}): Promise<CachedTokenProvider> {
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
    const { clientId, clientSecret } = this.provider.credentials(...this.#pair);
    const scanner = new CanaryScanner({ clientId, secret: clientSecret });
    for (const [index, { token, fields }] of this.provider.tokenRequests.entries()) {
      if (token !== undefined) scanner.add(`token ${index}`, token);
      const sent = fields['client_secret'];
      if (sent !== undefined && sent.length > 7) scanner.add(`secret ${index}`, sent);
    }
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
    Logger.overrideLogger({
      log: keep('log'),
      error: keep('error'),
      warn: keep('warn'),
      debug: keep('debug'),
      verbose: keep('verbose'),
      fatal: keep('fatal'),
    });
    onTestFinished(() => Logger.overrideLogger(false));
    for (const stream of [process.stdout, process.stderr]) this.#tap(stream);
    for (const name of CHANNELS) {
      const channel = `provider-auth:${name}`;
      const listen = (event: unknown): void => {
        this.events.push({ channel, event });
      };
      subscribe(channel, listen);
      onTestFinished(() => void unsubscribe(channel, listen));
    }
  }

  #tap(stream: NodeJS.WriteStream): void {
    const write = stream.write.bind(stream);
    const written = this.#written;
    stream.write = (chunk: string | Uint8Array, ...rest: []): boolean => {
      written.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
      return write(chunk, ...rest);
    };
    onTestFinished(() => {
      stream.write = write;
    });
  }
}

async function createTokens(
  provider: ProviderSimulator,
  {
    token,
    http,
    pair: [name, environment],
    profile: change,
    random = Math.random,
  }: TrialOptions & Required<Pick<TrialOptions, 'pair'>>,
): Promise<CachedTokenProvider> {
  const settings = await validateOptions(
    provider.options({ ...(token && { token }), ...(http && { http }) }),
    {},
  );
  const profile = settings.profiles.find((one) => one.interface === name && one.environment === environment);
  if (profile === undefined) throw new Error(`The simulator has no ${name} ${environment}.`);
  const tokens = createTokenProvider(change?.(profile) ?? profile, settings, systemClock, random);
  onTestFinished(() => tokens.close());
  return tokens;
}
