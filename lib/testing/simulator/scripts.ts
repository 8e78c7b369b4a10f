import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { Secret } from '../../secrets/secret.js';
import { pathOf } from './addresses.js';
import { invalidToken, json, type ScriptedAnswer } from './answer.js';
import type { Action, BreakPoint, Exchange, Scope } from './exchange.js';
import type { Simulation } from './simulation.js';

/** Writes your own answer. `exchange` contains the request's body and the regular answer. */
// The type of a method: so the scripts of a definition fit where code takes those of any definition.
export type ScriptHandler<Interface extends string, Environment extends string> = {
  /** Answers the request. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange<Interface, Environment>,
  ): void | Promise<void>;
}['handle'];

/** Answers that wait until a test releases them. */
export interface HeldAnswers {
  /** Resolves when the first held request has arrived. */
  readonly arrived: Promise<void>;
  /** Sends the regular answer to the held requests. Later requests are not held. */
  release(): void;
}

/**
 * Scripts what an address answers. First choose the requests, then the answer:
 *
 * @example
 * provider.token.status(503);                                  // every token request from now on
 * provider.token.next(2).reset();                              // the next two; comes before the line above
 * provider.token.for('easy', 'sandbox').after(200).regular();  // late, for one interface and environment
 * provider.reset();                                            // removes all scripts
 */
export abstract class Scripts<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> {
  /** @internal */
  constructor(
    /** @internal */
    protected readonly scope: Scope,
    /** @internal */
    protected readonly simulation: Pick<Simulation, 'scripts' | 'tokens'>,
  ) {}

  /** Applies only to requests to this interface and, if given, this environment. */
  for(name: Interface, environment?: Environment): this {
    return this.withScope({ interface: name, ...(environment !== undefined && { environment }) });
  }

  /** Applies only to the next `count` requests, one by default. Otherwise, a script applies until `provider.reset()`. */
  next(count = 1): this {
    return this.withScope({ times: count });
  }

  /** Waits this many milliseconds before the answer. */
  after(ms: number): this {
    return this.withScope({ afterMs: ms });
  }

  /** Sends the regular answer, for example late with `after(ms)`, or between two other scripts. */
  regular(): void {
    this.addScript((exchange) => exchange.sendRegular());
  }

  /** Sends the regular answer after this many milliseconds. */
  delay(ms: number): void {
    this.after(ms).regular();
  }

  /**
   * Holds the regular answer until `release()`, for tests that do something while a request is under way.
   *
   * @example
   * const held = provider.token.next().hold();
   * const call = lastValueFrom(easy.get('/payments'));
   * await held.arrived;
   * held.release();
   */
  hold(): HeldAnswers {
    const events = new EventEmitter();
    const arrived = once(events, 'arrived').then(() => undefined);
    const released = once(events, 'released');
    this.addScript(async (exchange) => {
      events.emit('arrived');
      await released;
      await exchange.sendRegular();
    });
    return { arrived, release: () => void events.emit('released') };
  }

  /**
   * Your own answer.
   *
   * @example
   * provider.token.answer({ status: 418, reason: 'Teapot', headers: { 'x-mood': 'tea' }, body: { short: 'stout' } });
   */
  answer(answer: ScriptedAnswer): void {
    this.addScript(async (exchange) => {
      const { status, reason, headers = {}, body = '' } = answer;
      const write = typeof body === 'function' ? (body as (regular: string) => string | Buffer) : undefined;
      const basis = write ? await exchange.regular() : json(200, {});
      const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
      exchange.send({
        status: status ?? basis.status,
        reason,
        headers: { ...basis.headers, ...Object.fromEntries(own) },
        body: write ? write(basis.body.toString()) : bytesOf(body),
      });
    });
  }

  /** Answers with this status, and an empty body unless `rest` has one. */
  status(status: number, rest: Omit<ScriptedAnswer, 'status'> = {}): void {
    this.answer({ ...rest, status });
  }

  /**
   * Answers with this body, and status 200 unless `rest` has one.
   *
   * @example provider.token.body((regular) => '\ufeff' + regular); // after a byte order mark
   */
  body(body: NonNullable<ScriptedAnswer['body']>, rest: Omit<ScriptedAnswer, 'body'> = {}): void {
    this.answer({ ...rest, body });
  }

  /**
   * Answers with `Retry-After`: seconds, a date or any text. The status is 503 by default. @example
   * provider.token.retryAfter(2, 429);
   */
  retryAfter(when: number | string | Date, status = 503): void {
    this.status(status, {
      headers: { 'retry-after': when instanceof Date ? when.toUTCString() : String(when) },
    });
  }

  /** Answers with a redirect, 302 by default. @example provider.api.next().redirect('https://elsewhere.example/', 307); */
  redirect(location: string, status = 302): void {
    this.status(status, { headers: { location } });
  }

  /** Resets the TCP connection instead of answering. */
  reset(where: BreakPoint = 'before-headers'): void {
    this.addScript((exchange) => exchange.breakOff('reset', where));
  }

  /** Closes the connection normally, before or in the middle of the answer. */
  hangUp(where: BreakPoint = 'before-headers'): void {
    this.addScript((exchange) => exchange.breakOff('end', where));
  }

  /** Never answers. */
  hang(): void {
    this.addScript(() => undefined);
  }

  /**
   * Sends bytes that aren't HTTP, then closes the connection.
   *
   * @example
   * provider.token.garbage('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}');
   */
  garbage(bytes: string | Buffer = 'This is not HTTP.\r\n\r\n'): void {
    this.addScript(({ socket }) => void socket.end(bytes));
  }

  /**
   * Any other answer, written by you.
   *
   * @example
   * provider.api.next().handler((request, response) => {
   *   response.writeHead(500, String(request.headers.authorization)).end();   // a server that repeats the token
   * });
   */
  handler(handler: ScriptHandler<Interface, Environment>): void {
    this.addScript((exchange) => handler(exchange.request, exchange.response, exchange));
  }

  /** @internal */
  protected addScript(action: Action<Interface, Environment>): void {
    this.simulation.scripts.add(this.scope, action);
  }

  /** The same scripts for fewer requests. @internal */
  protected withScope(scope: Partial<Scope>): this {
    const Kind = this.constructor as new (...made: ConstructorParameters<typeof Scripts>) => this;
    return new Kind({ ...this.scope, ...scope }, this.simulation);
  }
}

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
> extends Scripts<Interface, Environment> {
  /**
   * Answers as soon as the headers have arrived, without reading the body, like a server that refuses an upload.
   *
   * @example
   * provider.api.early().next().unauthorized();
   */
  early(): this {
    return this.withScope({ early: true });
  }

  /** Only requests to this path under the base URL, with any query. A regular expression also sees the query. */
  path(path: string | RegExp): this {
    return this.withScope({ path: typeof path === 'string' ? pathOf(path) : path });
  }

  /** Answers as if the token were invalid: 401, or the definition's `refusedWith`. */
  unauthorized(): void {
    this.addScript((exchange) => exchange.send(invalidToken(exchange.record.findings.terms)));
  }
}

/**
 * Scripts what the token endpoints answer, with the members of {@link Scripts} and special tokens. `revoke` and `revokeAll`
 * take effect at once.
 *
 * @example
 * provider.token.next().refuse('invalid_client');
 * provider.token.lifetime(2);                              // tokens live for two seconds from now on
 * provider.token.next().members({ expires_in: 'soon' });   // one answer with one wrong member
 * provider.token.for('easy', 'sandbox').revokeAll();
 */
export class TokenScripts<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends Scripts<Interface, Environment> {
  /**
   * Issues tokens that live for this many seconds; fractions are allowed. Set `expiresIn`, the answer's `expires_in`, to play a
   * provider that reports a wrong lifetime.
   */
  lifetime(seconds: number, { expiresIn = seconds }: { expiresIn?: number } = {}): void {
    this.addScript(async (exchange) => exchange.send(await exchange.regular({ seconds, expiresIn })));
  }

  /** Sends the regular answer with these members changed. `undefined` removes a member. */
  members(members: Record<string, unknown>): void {
    this.body((regular) => JSON.stringify({ ...(JSON.parse(regular) as object), ...members }));
  }

  /** Answers with an error, as in RFC 6749 section 5.2. */
  refuse(
    error = 'invalid_client',
    { status = error === 'invalid_client' ? 401 : 400, description = '' } = {},
  ): void {
    const { body, headers } = json(
      status,
      { error, ...(description !== '' && { error_description: description }) },
      status === 401 ? { 'www-authenticate': 'Basic realm="token"' } : {},
    );
    this.answer({ status, headers, body });
  }

  /** Revokes this token: from now on, the API refuses it. Returns whether it was valid. */
  revoke(token: string | Secret): boolean {
    return this.simulation.tokens.revoke(typeof token === 'string' ? token : token.reveal());
  }

  /** Revokes all valid tokens, or those of the pair in `for()`. Returns how many. */
  revokeAll(): number {
    return this.simulation.tokens.revokeAll(this.scope);
  }
}

function bytesOf(body: string | object): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}
