import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import { pathOf } from './addresses.js';
import type { ApiExchange } from './api-exchange.js';
import type { Scope, ScriptQueue } from './script-queue.js';
import { Scripts } from './scripts.js';

/**
 * Scripts what the addresses under the base URLs answer. Scripts apply only to requests with a valid token. Any other request
 * gets the usual 401, and doesn't use up a script.
 *
 * @example
 * provider.api.for('easy').path('/payments/42').body({ id: 42, state: 'paid' });
 * provider.api.next(3).unauthorized();
 * provider.api.after(50).status(500);
 */
export class ApiScripts<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends Scripts<ApiExchange<Interface, Environment>, Interface, Environment> {
  /** The scripts that answer before the body is read. */
  readonly #earlyQueue: ScriptQueue<ApiExchange<Interface, Environment>>;

  /** @hidden */
  constructor(
    queue: ScriptQueue<ApiExchange<Interface, Environment>>,
    earlyQueue: ScriptQueue<ApiExchange<Interface, Environment>>,
    scope?: Scope,
  ) {
    super(queue, scope);
    this.#earlyQueue = earlyQueue;
  }

  /**
   * Answers as soon as the headers have arrived, without reading the body, like a server that refuses an upload.
   *
   * @example
   * provider.api.early().next().unauthorized();
   */
  early(): this {
    return this.#create(this.#earlyQueue, this.scope);
  }

  /** Only requests to this path under the base URL, with any query. A regular expression also sees the query. */
  path(path: string | RegExp): this {
    return this.withScope({ path: typeof path === 'string' ? pathOf(path) : path });
  }

  /** Answers as if the token were invalid: 401, or the definition's `refusedWith`. */
  unauthorized(): void {
    this.addScript((exchange) => exchange.send(exchange.invalidToken));
  }

  /** @hidden */
  protected withScope(scope: Scope): this {
    return this.#create(this.queue, { ...this.scope, ...scope });
  }

  #create(queue: ScriptQueue<ApiExchange<Interface, Environment>>, scope: Scope): this {
    return new ApiScripts<Interface, Environment>(queue, this.#earlyQueue, scope) as this;
  }
}
