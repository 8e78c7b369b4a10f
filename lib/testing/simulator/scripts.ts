import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import { worded, type ScriptedAnswer } from './answer.js';
import type { Exchange } from './exchange.js';
import { breakOff, drip, flood, raw, type BreakPoint, type DripPart } from './faults.js';
import { Held } from './held.js';
import type { Action, Scope, ScriptQueue } from './script-queue.js';

/** Answers yourself; `exchange` knows the request's body and what the regular answer would be. */
export type ScriptHandler<Kind extends Exchange> = (
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Kind,
) => void | Promise<void>;

/**
 * What an address answers instead of its regular answer. First say which requests are meant, then what happens to them:
 *
 * @example
 * provider.token.status(503);                                  // every token request from now on
 * provider.token.next(2).reset();                              // the next two, before anything that stands
 * provider.token.for('easy', 'sandbox').after(200).regular();  // late, for one interface and environment
 * provider.reset();                                            // all is forgotten
 */
export abstract class Scripts<Kind extends Exchange> {
  /** @hidden */
  constructor(
    /** @hidden */
    protected readonly queue: ScriptQueue<Kind>,
    /** @hidden */
    protected readonly scope: Scope = {},
  ) {}

  /** Only requests of this interface and, if given, this environment. */
  for(name: ProviderInterface, environment?: ProviderEnvironment): this {
    return this.scoped({ interface: name, ...(environment !== undefined && { environment }) });
  }

  /** Only the next requests; without it a script stands until `provider.reset()`. */
  next(count = 1): this {
    return this.scoped({ times: count });
  }

  /** Waits before what follows happens. */
  after(ms: number): this {
    return this.scoped({ afterMs: ms });
  }

  /** The regular answer: for a late one after `after(ms)`, or between two other scripts. */
  regular(): void {
    this.act((exchange) => exchange.sendRegular());
  }

  /** The regular answer, late. */
  delay(ms: number): void {
    this.after(ms).regular();
  }

  /**
   * Holds the regular answer back until `release()`: for tests that act while a request is under way.
   *
   * @example
   * const held = provider.token.next().hold();
   * const call = lastValueFrom(easy.get('/payments'));
   * await held.arrived;
   * held.release();
   */
  hold(): Held {
    const held = new Held();
    this.act(async (exchange) => {
      await held.pass();
      await exchange.sendRegular();
    });
    return held;
  }

  /**
   * An answer of your own.
   *
   * @example
   * provider.token.answer({ status: 418, reason: 'Teapot', headers: { 'x-mood': 'tea' }, body: { short: 'stout' } });
   */
  answer(answer: ScriptedAnswer): void {
    this.act(async (exchange) => exchange.send(await worded(answer, () => exchange.regular())));
  }

  /** A status, with an empty body unless one is given. */
  status(status: number, rest: Omit<ScriptedAnswer, 'status'> = {}): void {
    this.answer({ ...rest, status });
  }

  /**
   * A body as it is, with status 200 unless another is given.
   *
   * @example provider.token.body((regular) => '\ufeff' + regular); // behind a byte order mark
   */
  body(body: NonNullable<ScriptedAnswer['body']>, rest: Omit<ScriptedAnswer, 'body'> = {}): void {
    this.answer({ ...rest, body });
  }

  /** Asks the client to come back later: seconds, a date or text that is neither. @example provider.token.retryAfter(2, 429); */
  retryAfter(when: number | string | Date, status = 503): void {
    this.status(status, {
      headers: { 'retry-after': when instanceof Date ? when.toUTCString() : String(when) },
    });
  }

  /** @example provider.api.next().redirect('https://elsewhere.example/', 307); */
  redirect(location: string, status = 302): void {
    this.status(status, { headers: { location } });
  }

  /** A TCP reset. */
  reset(where: BreakPoint = 'before-headers'): void {
    this.act((exchange) => breakOff(exchange, 'reset', where));
  }

  /** The connection ends in good order, but the answer has not been given or not been finished. */
  hangUp(where: BreakPoint = 'before-headers'): void {
    this.act((exchange) => breakOff(exchange, 'end', where));
  }

  /** No answer, ever. */
  hang(): void {
    this.act(() => undefined);
  }

  /** Little by little and without end: the regular body, headers, or interim (1xx) answers. */
  drip(part: DripPart = 'body', everyMs = 20): void {
    this.act((exchange) => drip(exchange, part, everyMs));
  }

  /** A body without end, as fast as the client takes it. */
  flood({ status = 200, headers = {} }: { status?: number; headers?: OutgoingHttpHeaders } = {}): void {
    this.act((exchange) => flood(exchange, status, headers));
  }

  /**
   * Bytes straight into the TLS stream, then its end; bytes that are not HTTP unless others are given.
   *
   * @example
   * provider.token.garbage('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}');
   */
  garbage(bytes: string | Buffer = 'This is not HTTP.\r\n\r\n'): void {
    this.act((exchange) => raw(exchange, bytes, 'end'));
  }

  /** A `101 Switching Protocols` that nobody asked for; the connection stays open. */
  switchProtocols(protocol = 'something-else'): void {
    const head = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
    this.act((exchange) => raw(exchange, head, 'stay'));
  }

  /**
   * Whatever else can be thought of.
   *
   * @example
   * provider.api.next().handler((request, response) => {
   *   response.writeHead(500, String(request.headers.authorization)).end();   // a server that tells the token
   * });
   */
  handler(handler: ScriptHandler<Kind>): void {
    this.act((exchange) => handler(exchange.request, exchange.response, exchange));
  }

  /** @hidden */
  protected act(action: Action<Kind>): void {
    this.queue.add({ scope: this.scope, action });
  }

  /** @hidden */
  protected scoped(scope: Scope): this {
    const copy = Object.create(Object.getPrototypeOf(this) as object) as this; // of the subclass, whichever it is
    return Object.assign(copy, this, { scope: { ...this.scope, ...scope } });
  }
}
