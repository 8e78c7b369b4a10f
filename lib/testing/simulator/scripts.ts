import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import { createScriptedAnswer, type ScriptedAnswer } from './answer.js';
import type { Exchange } from './exchange.js';
import { breakOff, drip, flood, raw, type BreakPoint, type DripPart } from './faults.js';
import { HeldAnswers } from './held-answers.js';
import type { Action, Scope, ScriptQueue } from './script-queue.js';

/** Writes your own answer. `exchange` contains the request's body and the regular answer. */
// The type of a method: so the scripts of a definition fit where code takes those of any definition.
export type ScriptHandler<Kind extends Exchange<string, string>> = {
  /** Answers the request. */
  handle(request: IncomingMessage, response: ServerResponse, exchange: Kind): void | Promise<void>;
}['handle'];

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
  Kind extends Exchange<string, string>,
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> {
  /** @hidden */
  constructor(
    /** @hidden */
    protected readonly queue: ScriptQueue<Kind>,
    /** @hidden */
    protected readonly scope: Scope = {},
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
    const held = new HeldAnswers();
    this.addScript(async (exchange) => {
      await held.waitForRelease();
      await exchange.sendRegular();
    });
    return held;
  }

  /**
   * Your own answer.
   *
   * @example
   * provider.token.answer({ status: 418, reason: 'Teapot', headers: { 'x-mood': 'tea' }, body: { short: 'stout' } });
   */
  answer(answer: ScriptedAnswer): void {
    this.addScript(async (exchange) =>
      exchange.send(await createScriptedAnswer(answer, () => exchange.regular())),
    );
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
    this.addScript((exchange) => breakOff(exchange, 'reset', where));
  }

  /** Closes the connection normally, before or in the middle of the answer. */
  hangUp(where: BreakPoint = 'before-headers'): void {
    this.addScript((exchange) => breakOff(exchange, 'end', where));
  }

  /** Never answers. */
  hang(): void {
    this.addScript(() => undefined);
  }

  /** Sends the body, headers or interim (1xx) answers in small steps, endlessly. */
  drip(part: DripPart = 'body', everyMs = 20): void {
    this.addScript((exchange) => drip(exchange, part, everyMs));
  }

  /** Sends an endless body, as fast as the client reads it. */
  flood({ status = 200, headers = {} }: { status?: number; headers?: OutgoingHttpHeaders } = {}): void {
    this.addScript((exchange) => flood(exchange, status, headers));
  }

  /**
   * Sends bytes that aren't HTTP, then closes the connection.
   *
   * @example
   * provider.token.garbage('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}');
   */
  garbage(bytes: string | Buffer = 'This is not HTTP.\r\n\r\n'): void {
    this.addScript((exchange) => raw(exchange, bytes, 'end'));
  }

  /** Answers `101 Switching Protocols`, although the client didn't ask for it. The connection stays open. */
  switchProtocols(protocol = 'something-else'): void {
    const head = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
    this.addScript((exchange) => raw(exchange, head, 'stay'));
  }

  /**
   * Any other answer, written by you.
   *
   * @example
   * provider.api.next().handler((request, response) => {
   *   response.writeHead(500, String(request.headers.authorization)).end();   // a server that repeats the token
   * });
   */
  handler(handler: ScriptHandler<Kind>): void {
    this.addScript((exchange) => handler(exchange.request, exchange.response, exchange));
  }

  /** @hidden */
  protected addScript(action: Action<Kind>): void {
    this.queue.add({ scope: this.scope, action });
  }

  /** The same scripts for fewer requests. @hidden */
  protected abstract withScope(scope: Scope): this;
}
