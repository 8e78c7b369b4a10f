import { inspect } from 'node:util';
import type { HttpSettings } from './options/profile.js';

type Printable = Pick<HttpSettings, 'timeoutMs' | 'retryUnauthorized' | 'maxRedirects'>;
type Hidden = Omit<HttpSettings, keyof Printable>;

/**
 * Nest's container keeps the settings, and code that prints the container prints them too. A proxy has a password, headers
 * contain API keys, and an agent has the key of a client certificate. So these members are getters of private fields (S10).
 */
export class ClosedHttpSettings implements HttpSettings {
  readonly timeoutMs: number;
  readonly retryUnauthorized: boolean;
  readonly maxRedirects: number;
  readonly #hidden: Hidden;

  constructor({ timeoutMs, retryUnauthorized, maxRedirects }: Printable, hidden: Hidden) {
    this.timeoutMs = timeoutMs;
    this.retryUnauthorized = retryUnauthorized;
    this.maxRedirects = maxRedirects;
    this.#hidden = hidden;
    Object.freeze(this);
  }

  get httpsAgent(): HttpSettings['httpsAgent'] {
    return this.#hidden.httpsAgent;
  }

  get proxy(): HttpSettings['proxy'] {
    return this.#hidden.proxy;
  }

  get headers(): HttpSettings['headers'] {
    return this.#hidden.headers;
  }

  get transport(): HttpSettings['transport'] {
    return this.#hidden.transport;
  }

  /** `inspect` calls getters if its option `getters` is set. */
  [inspect.custom](): Printable {
    const { timeoutMs, retryUnauthorized, maxRedirects } = this;
    return { timeoutMs, retryUnauthorized, maxRedirects };
  }
}
