import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { Answer } from './answer.js';
import type { ReceivedRequest } from './records.js';
import type { RequestObservers } from './request-observers.js';
import type { OpenSockets } from './open-sockets.js';
import type { Timers } from './timers.js';

/** The parts of the simulator that an exchange uses. */
export interface ExchangeContext {
  readonly sockets: OpenSockets;
  readonly timers: Timers;
  /** Milliseconds that each answer takes. */
  readonly latencyMs: number;
  /** The simulator's clock: milliseconds since 1970. */
  readonly now: () => number;
  readonly observers: RequestObservers;
}

/** @hidden */
export interface ReceivedRequestParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What is known of the request. It gets the status of the answer. */
  readonly record: Pick<
    ReceivedRequest<string, string>,
    'interface' | 'environment' | 'path' | 'body' | 'status'
  >;
  readonly context: ExchangeContext;
}

/** A received request and its response, for scripts. */
export abstract class Exchange<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> {
  /** The address's interface, if the address is documented. */
  readonly interface: Interface | undefined;
  /** The address's environment, or the client id's if environments share the token URL. */
  readonly environment: Environment | undefined;
  /** The request as Node received it. */
  readonly request: IncomingMessage;
  /** The response that a script writes to. */
  readonly response: ServerResponse;
  /** The request's body, already read. */
  readonly body: Buffer;
  /** The address under the base URL, with its query. For a token request, the whole path. */
  readonly path: string;
  /** @internal */
  readonly context: ExchangeContext;
  /** @internal */
  readonly record: ReceivedRequestParts['record'];

  /** @hidden */
  constructor({ request, response, record, context }: ReceivedRequestParts) {
    this.request = request;
    this.response = response;
    this.body = record.body;
    this.path = record.path;
    this.interface = record.interface as Interface | undefined;
    this.environment = record.environment as Environment | undefined;
    this.context = context;
    this.record = record;
  }

  /** The answer that the simulator would give without a script. */
  abstract regular(): Answer | Promise<Answer>;

  /** The TLS connection. */
  get socket(): Socket {
    return this.request.socket;
  }

  /** Sends the answer that the simulator would give without a script. */
  async sendRegular(): Promise<void> {
    this.send(await this.regular());
  }

  /** Sends an answer, unless an answer was started before. */
  send(answer: Answer): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    this.sendHead(answer);
    response.end(answer.body);
  }

  /** Sends the status line and the headers, without the body. @internal */
  sendHead({ status, reason, headers, body }: Answer): void {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const hasLength = 'content-length' in sent || 'transfer-encoding' in sent || hasNoBody(status);
    if (!hasLength) sent['content-length'] = Buffer.byteLength(body);
    this.record.status = status;
    // Without a reason, Node would take the one of a script that failed.
    this.response.writeHead(status, reason ?? STATUS_CODES[status] ?? 'unknown', sent);
  }

  /** A script can write an answer without `send`. Its status is recorded when the response is closed. @internal */
  recordWrittenStatus(): void {
    if (this.response.headersSent) this.record.status = this.response.statusCode;
  }
}

/** An exchange of any definition. @hidden */
export type AnyExchange = Exchange<string, string>;

/** Node drops what is written as the body of such an answer. */
export function hasNoBody(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}
