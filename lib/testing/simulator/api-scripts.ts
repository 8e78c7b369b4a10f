import type { ApiExchange } from './api-exchange.js';
import { INVALID_TOKEN } from './answer.js';
import type { ScriptQueue } from './script-queue.js';
import { Scripts } from './scripts.js';

/**
 * What the addresses under the base URLs answer. A script speaks to requests that carry a valid token; any other gets its
 * 401 as ever and uses no script up.
 *
 * @example
 * provider.api.for('easy').path('/payments/42').body({ id: 42, state: 'paid' });
 * provider.api.next(3).unauthorized();
 * provider.api.after(50).status(500);
 */
export class ApiScripts extends Scripts<ApiExchange> {
  /** @hidden */
  constructor(
    queue: ScriptQueue<ApiExchange>,
    private readonly earlyQueue: ScriptQueue<ApiExchange>,
  ) {
    super(queue);
  }

  /**
   * Acts as soon as the headers have arrived and leaves the body unread, as a server that refuses an upload does.
   *
   * @example
   * provider.api.early().next().unauthorized();
   */
  early(): this {
    return Object.assign(this.scoped({}), { queue: this.earlyQueue });
  }

  /** Only requests to this path under the base URL, whatever their query; an expression is matched with the query. */
  path(path: string | RegExp): this {
    return this.scoped({ path });
  }

  /** 401 as for an invalid token, although the token is valid. */
  unauthorized(): void {
    this.answer(INVALID_TOKEN);
  }
}
