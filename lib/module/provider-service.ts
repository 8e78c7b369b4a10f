import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { AnyPair } from '../catalogue/catalogue.js';
import type { ProviderEnvironment, ProviderInterface } from '../catalogue/provider-catalogue.js';
import type { Settings, TokenSettings } from '../config/options/profile.js';
import {
  type ClientParts,
  type InjectedClient,
  type ProviderClient,
  type ProviderStatus,
  connect,
  unconfigured,
} from './client.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import { systemClock } from '../time/clock.js';
import { TokenOrigins } from '../token/token-origins.js';
import type { TokenProvider } from '../token/token-provider.js';

/**
 * Gives you one provider's token providers, and the status of their tokens. `defineProvider` creates such a class for each
 * definition.
 */
@Injectable()
export class ProviderService<Interface extends string = string, Environment extends string = string>
  implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  readonly #settings: Settings;
  readonly #configured: readonly ProviderClient[];
  readonly #clients: readonly InjectedClient[];
  // Nest calls a hook once for each token that leads to this service. The work is done once.
  #tokensAtBoot: Promise<void> | undefined;
  #closed: Promise<unknown> | undefined;
  #bootFailed = false;

  /** @hidden */
  constructor(settings: Settings, given?: ClientParts) {
    const parts = { ...given, origins: given?.origins ?? new TokenOrigins(systemClock) };
    this.#settings = settings;
    this.#configured = settings.profiles.map((profile) => connect(profile, settings, systemClock, parts));
    this.#clients = settings.catalogue.pairs.map(
      (pair) => this.#configured.find((one) => isOf(one, pair)) ?? unconfigured(pair, settings, parts),
    );
  }

  /** The token providers of all configured interfaces and environments. */
  providers(): readonly TokenProvider<Interface, Environment>[] {
    return this.#configured.map(({ tokens }) => tokens as TokenProvider<Interface, Environment>);
  }

  /** The status of each token and of its API. It contains no secret, and reading it waits for no request. */
  status(): readonly ProviderStatus<Interface, Environment>[] {
    return this.#configured.map((client) => client.status() as ProviderStatus<Interface, Environment>);
  }

  /** The configured pairs for health and metrics. None after a boot that failed: nothing would ever end their failures. @internal */
  get askedPairs(): readonly ProviderClient[] {
    return this.#bootFailed ? [] : this.#configured;
  }

  /**
   * The client of one pair. Without an environment it is the client of the active environment. An interface without
   * settings has no active environment: it gets the environment of the first active client.
   *
   * @internal
   */
  client(name: string, environment?: string): InjectedClient {
    const active = this.#configured.filter((one) => one.active);
    const [first] = active;
    const chosen = active.find((one) => one.interface === name) ?? first;
    const place = { interface: name, environment: environment ?? chosen?.environment ?? '' };
    const found = this.#clients.find((one) => isOf(one, place));
    if (found === undefined)
      throw new TypeError('The catalogue of the provider has no such interface or environment.');
    return found;
  }

  /**
   * Called by Nest. Requests tokens if `token.atBoot` says so. By now, all modules are initialised, and the secret or the store
   * may need one of them. Nest listens only after this hook, so a boot that fails here serves no request. Code that then tries
   * another boot may never close this application, so its background work ends here.
   */
  onApplicationBootstrap(): Promise<void> {
    return (this.#tokensAtBoot ??= obtainTokensAtBoot(this.providers(), this.#settings.token.atBoot).catch(
      (error: unknown) => {
        this.#bootFailed = true;
        this.onModuleDestroy();
        throw error;
      },
    ));
  }

  /**
   * Called by Nest. Ends work that no caller waits for. Calls under way go on, and other modules can still make calls while
   * they close.
   */
  onModuleDestroy(): void {
    for (const one of this.#configured) one.endBackgroundWork();
  }

  /** Called by Nest. Closes the module's idle connections. Calls that are under way may end; undici waits for them, but not for ever. */
  async onApplicationShutdown(): Promise<void> {
    await (this.#closed ??= Promise.all(this.#configured.map((one) => one.close())));
  }
}

/**
 * Gives you the built-in provider's token providers, and the status of their tokens.
 *
 * @example
 * const failing = auth.status().filter(({ active, state }) => active && state === 'failing');
 */
@Injectable()
export class ProviderAuthService extends ProviderService<ProviderInterface, ProviderEnvironment> {}

/**
 * Asks for a token of each active pair while the application boots, for all pairs at the same time. The log has a line for
 * each pair that fails. With `require` this rejects with the error of the first pair among them, once all have ended.
 */
export async function obtainTokensAtBoot(
  providers: readonly TokenProvider<string, string>[],
  atBoot: TokenSettings['atBoot'],
): Promise<void> {
  if (atBoot === 'no') return;
  const active = providers.filter((one) => one.active);
  const results = await Promise.allSettled(active.map((provider) => provider.getToken()));
  for (const result of results) {
    if (result.status === 'fulfilled') continue;
    const reason: unknown = result.reason;
    if (atBoot === 'require' || !(reason instanceof TokenRequestError)) throw reason;
  }
}

function isOf(client: InjectedClient, pair: AnyPair): boolean {
  return client.interface === pair.interface && client.environment === pair.environment;
}
