import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
// Not the global timer: a test that replaces it by a fake one must not stop the simulator.
import { setTimeout } from 'node:timers';
import { inspect } from 'node:util';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import { type Answer, json } from './answer.js';
import type { IssueOptions } from './issued-tokens.js';
import type { ProviderSimulatorOptions } from './provider-simulator-options.js';
import type { ReceivedRequest } from './records.js';
import type { LoopbackServer } from './server.js';

/** What all exchanges of a simulator have in common. */
export interface ExchangeContext {
  readonly server: Pick<LoopbackServer, 'sockets'>;
  readonly options: Pick<ProviderSimulatorOptions, 'latencyMs'>;
  /** Get each request when its answer has ended. */
  readonly observers: ((request: ReceivedRequest<string, string>) => void)[];
}

// The type of a method: so an action for a definition fits the queue, which knows no definition.
export type Action<Interface extends string = string, Environment extends string = string> = {
  act(exchange: Exchange<Interface, Environment>): void | Promise<void>;
}['act'];

/** Which requests a script answers, and how long it waits before the answer. */
export interface Scope {
  readonly kind: 'token' | 'api';
  readonly interface?: string;
  readonly environment?: string;
  readonly path?: string | RegExp;
  /** Whether it answers before the body is read. */
  readonly early?: true;
  readonly times?: number;
  readonly afterMs?: number;
}

export interface Script {
  /** Different for each script of this process. */
  readonly id: number;
  readonly scope: Scope;
  readonly action: Action;
  /** For how many more requests. Undefined if it stays until `reset()`. */
  left: number | undefined;
}

/** Where an answer breaks off. */
export type BreakPoint = 'before-headers' | 'mid-body';

/** In this time the first half reaches a client on loopback. A reset that is sent at once would overtake it. */
const FIRST_HALF_MS = 25;

/** A received request and its response, for scripts. */
export class Exchange<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> {
  /** @internal */
  constructor(
    /** The request as Node received it. */
    readonly request: IncomingMessage,
    /** The response that a script writes to. */
    readonly response: ServerResponse,
    /** What is known of the request. It gets the status of the answer. @internal */
    readonly record: ReceivedRequest<Interface, Environment>,
    private readonly context: ExchangeContext,
    /** Creates the answer without a script. The regular answer of a token endpoint may issue a token. */
    private readonly createRegular: (options: IssueOptions) => Answer,
  ) {}

  /** The address's interface, if the address is documented. */
  get interface(): Interface | undefined {
    return this.record.interface;
  }

  /** The address's environment, or the client id's if environments share the token URL. */
  get environment(): Environment | undefined {
    return this.record.environment;
  }

  /** The request's body, already read. */
  get body(): Buffer {
    return this.record.body;
  }

  /** The address under the base URL, with its query. For a token request, the whole path. */
  get path(): string {
    return this.record.path;
  }

  /** The TLS connection. */
  get socket(): Socket {
    return this.request.socket;
  }

  /**
   * The answer that the simulator would give without a script. For a token request, `options` choose the token that it issues. For
   * an API request, it describes the request, so that a test can compare what arrived with what was sent; it repeats no header.
   */
  async regular(options: IssueOptions = {}): Promise<Answer> {
    return this.createRegular(options);
  }

  /** Sends the answer that the simulator would give without a script. */
  async sendRegular(): Promise<void> {
    this.send(await this.regular());
  }

  /** Sends an answer, unless an answer was started before. */
  send(answer: Answer): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    this.#sendHead(answer);
    response.end(answer.body);
  }

  /** Sends the status line and the headers, without the body. */
  #sendHead({ status, reason, headers, body }: Answer): void {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const hasLength = 'content-length' in sent || 'transfer-encoding' in sent || hasNoBody(status);
    if (!hasLength) sent['content-length'] = Buffer.byteLength(body);
    this.record.status = status;
    // Without a reason, Node would take the one of a script that failed.
    this.response.writeHead(status, reason ?? STATUS_CODES[status] ?? 'unknown', sent);
  }

  /** Breaks the answer off with a TCP reset, or with the regular end of the connection. @internal */
  async breakOff(how: 'reset' | 'end', where: BreakPoint): Promise<void> {
    const finish = (): void => {
      if (how === 'reset') this.context.server.sockets.reset(this.socket);
      else this.socket.end();
    };
    if (where === 'before-headers') return finish();
    const answer = await this.regular();
    const bytes = Buffer.from(answer.body);
    this.#sendHead(answer);
    const half = Math.ceil(bytes.length / 2);
    this.response.write(bytes.subarray(0, half), () => afterMs(FIRST_HALF_MS, finish));
  }

  /** Answers after the delay: with the script, or with the regular answer if there is no script. @internal */
  answerWith(script: Script | undefined): void {
    const { response, record, context } = this;
    const { findings } = record;
    const started = performance.now();
    if (script) findings.fault = script.id;
    response.once('close', () => {
      // A script can write an answer without `send`.
      if (response.headersSent) record.status = response.statusCode;
      findings.isComplete = response.writableFinished;
      findings.durationMs = performance.now() - started;
      for (const observer of context.observers) observer(record);
    });
    const delayMs = (context.options.latencyMs ?? 0) + (script?.scope.afterMs ?? 0);
    // The simulator may have closed meanwhile.
    if (delayMs > 0) afterMs(delayMs, () => void (response.destroyed || this.#act(script)));
    else void this.#act(script);
  }

  async #act(script: Script | undefined): Promise<void> {
    const { response } = this;
    try {
      await (script ? script.action(this) : this.sendRegular());
    } catch (error) {
      // The author of a test must see the error of a handler, a key or a header, and must not take it for an answer of the
      // provider.
      if (response.headersSent) return void response.destroy();
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      this.send(json(500, { error: 'simulator_script_failed', error_description: inspect(error) }));
    }
  }
}

/** Keeps no process alive: the server does, until it closes. */
function afterMs(ms: number, callback: () => void): void {
  setTimeout(callback, ms).unref();
}

/** Node drops what is written as the body of such an answer. */
function hasNoBody(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}
