import { inspect } from 'node:util';
import type { HttpSettings } from './options/profile.js';

type Plain = Pick<HttpSettings, 'timeoutMs' | 'retryUnauthorized' | 'maxRedirects'>;
type Closed = Omit<HttpSettings, keyof Plain>;

/**
 * Nest's container holds the settings, and whoever inspects it sees what they show. A proxy has a password, headers carry
 * keys, an agent the key of a client certificate: those are private fields, given only to who asks by name (S10).
 */
export class ClosedHttpSettings implements HttpSettings {
  readonly timeoutMs: number;
  readonly retryUnauthorized: boolean;
  readonly maxRedirects: number;
  readonly #closed: Closed;

  constructor({ timeoutMs, retryUnauthorized, maxRedirects }: Plain, closed: Closed) {
    this.timeoutMs = timeoutMs;
    this.retryUnauthorized = retryUnauthorized;
    this.maxRedirects = maxRedirects;
    this.#closed = closed;
    Object.freeze(this);
  }

  get httpsAgent(): HttpSettings['httpsAgent'] {
    return this.#closed.httpsAgent;
  }

  get proxy(): HttpSettings['proxy'] {
    return this.#closed.proxy;
  }

  get headers(): HttpSettings['headers'] {
    return this.#closed.headers;
  }

  get transport(): HttpSettings['transport'] {
    return this.#closed.transport;
  }

  /** `inspect` can be told to call getters. */
  [inspect.custom](): Plain {
    const { timeoutMs, retryUnauthorized, maxRedirects } = this;
    return { timeoutMs, retryUnauthorized, maxRedirects };
  }
}
