import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { Answer, RefusalTerms } from './answer.js';
import type { IssueOptions } from './issued-tokens.js';
import type { OpenSockets } from './server.js';
import type { ReceivedRequest } from './records.js';
import type { Timers } from './timers.js';

/** The parts of the simulator that an exchange uses. */
export interface ExchangeContext {
  readonly sockets: OpenSockets;
  readonly timers: Timers;
  readonly latencyMs: number;
  readonly now: () => number;
  readonly observers: Set<(request: ReceivedRequest<string, string>) => void>;
}

/** @hidden */
export interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What is known of the request. It gets the status of the answer. */
  readonly record: ReceivedRequest<string, string>;
  readonly context: ExchangeContext;
  /** How the API refuses a token. */
  readonly terms?: RefusalTerms | undefined;
  /** Creates the answer without a script. The regular answer of a token endpoint may issue a token. */
  readonly regular: (options: IssueOptions) => Answer | Promise<Answer>;
}

/** A received request and its response, for scripts. */
export class Exchange<
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
  readonly parts: ExchangeParts;

  /** @hidden */
  constructor(parts: ExchangeParts) {
    const { request, response, record } = parts;
    this.request = request;
    this.response = response;
    this.body = record.body;
    this.path = record.path;
    this.interface = record.interface as Interface | undefined;
    this.environment = record.environment as Environment | undefined;
    this.parts = parts;
  }

  /** The answer that the simulator would give without a script. */
  regular(options: IssueOptions = {}): Answer | Promise<Answer> {
    return this.parts.regular(options);
  }

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
    this.parts.record.status = status;
    // Without a reason, Node would take the one of a script that failed.
    this.response.writeHead(status, reason ?? STATUS_CODES[status] ?? 'unknown', sent);
  }
}

/** A request to a token endpoint. A script can choose the token that the regular answer issues. */
export interface TokenExchange<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends Exchange<Interface, Environment> {
  /** The answer that the simulator would give without a script. */
  regular(options?: IssueOptions): Promise<Answer>;
}

/** A request to an address under a base URL, or to an address that is not documented. */
export interface ApiExchange<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends Exchange<Interface, Environment> {
  /** Describes the request, so that a test can compare what arrived with what was sent. It repeats no header. */
  regular(): Answer;
}

/** An exchange of any definition. @hidden */
export type AnyExchange = Exchange<string, string>;

/** Node drops what is written as the body of such an answer. */
export function hasNoBody(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}
