import { remedyOf } from '../errors/remedies.js';
import type { NamedPair } from '../errors/setting-names.js';
import type { TokenRequestError } from '../errors/token-request.error.js';
import { providerStateChannel } from '../events/provider-auth-events.js';
import { SafeLogger } from '../logging/safe-logger.js';

/** Logs one line when a provider starts to fail and one line when it works again. An outage must not fill the log. */
export class TroubleReport {
  readonly #pair: NamedPair;
  readonly #logger: Pick<SafeLogger, 'error' | 'warn' | 'log'>;
  #failing = false;
  /** With `token.atBoot: 'try'` the application starts without a token, so the failure of the boot is only a warning. */
  #isTryingAtBoot: boolean;

  constructor(
    pair: NamedPair,
    logger: Pick<SafeLogger, 'error' | 'warn' | 'log'> = new SafeLogger(),
    { isTriedAtBoot = false }: { readonly isTriedAtBoot?: boolean } = {},
  ) {
    this.#pair = pair;
    this.#logger = logger;
    this.#isTryingAtBoot = isTriedAtBoot;
  }

  failed(error: TokenRequestError): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#logger[this.#isTryingAtBoot ? 'warn' : 'error'](error.message);
    this.#isTryingAtBoot = false;
    this.#publish({ state: 'failing', code: error.code, retryAt: error.retryAt });
  }

  obtained(): void {
    this.#isTryingAtBoot = false;
    if (!this.#failing) return;
    this.#failing = false;
    this.#logger.log(`Access tokens for ${this.#name} are available again.`);
    this.#publish({ state: 'recovered' });
  }

  /** The API refuses tokens that the token endpoint has just issued (B3). */
  renewalsPaused(): void {
    this.#logger.warn(
      `The API of ${this.#name} refuses tokens that were just obtained. Renewals after a 401 pause, longer each ` +
        `time, until a request succeeds. ${remedyOf('refused-token', this.#pair, 'baseUrl')}`,
    );
  }

  renewalsResumed(): void {
    this.#logger.log(`The API of ${this.#name} accepts tokens again.`);
  }

  get #name(): string {
    return `${this.#pair.interface} ${this.#pair.environment}`;
  }

  #publish(event: { state: 'failing' | 'recovered'; code?: string; retryAt?: Date | undefined }): void {
    if (!providerStateChannel.hasSubscribers) return;
    const { interface: name, environment } = this.#pair;
    providerStateChannel.publish({ interface: name, environment, ...event });
  }
}
