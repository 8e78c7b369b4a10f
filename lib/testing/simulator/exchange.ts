import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type {
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../../catalogue/provider-catalogue.js';
import type { Answer } from './answer.js';
import type { Connections } from './connections.js';
import type { Timers } from './timers.js';

/** What an exchange needs of the simulator. */
export interface Stage {
  readonly connections: Connections;
  readonly timers: Timers;
  /** How long every answer takes. */
  readonly latencyMs: number;
  /** The simulator's clock: milliseconds since 1970. */
  readonly now: () => number;
}

/** A received request and the means to answer it: what a script acts upon. */
export abstract class Exchange {
  /** Of the address that was called, if it is a documented one. */
  readonly interface: ProviderInterface | undefined;
  /** Likewise; of a token request, once the credentials have told. */
  readonly environment: ProviderEnvironment | undefined;

  /** @hidden */
  constructor(
    /** The request as Node received it. */
    readonly request: IncomingMessage,
    /** Where an answer is written. */
    readonly response: ServerResponse,
    /** The bytes of the request's body, which has been read already. */
    readonly body: Buffer,
    where: { readonly [Key in keyof ProviderPair]?: ProviderPair[Key] | undefined },
    /** @internal */
    readonly stage: Stage,
  ) {
    this.interface = where.interface;
    this.environment = where.environment;
  }

  /** The address under the base URL, with its query; of a token request the whole path. */
  abstract readonly path: string;

  /** The answer that the simulator would give without a script. */
  abstract regular(): Answer | Promise<Answer>;

  /** Notes what is being answered. @internal */
  protected abstract answered(status: number): void;

  /** The TLS connection. */
  get socket(): Socket {
    return this.request.socket;
  }

  /** Sends the answer that the simulator would give without a script. */
  async sendRegular(): Promise<void> {
    this.send(await this.regular());
  }

  /** Sends an answer, unless one has been begun. */
  send(answer: Answer): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    this.head(answer);
    response.end(answer.body);
  }

  /** The status line and the headers alone. @internal */
  head({ status, reason, headers, body }: Answer): void {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const framed = 'content-length' in sent || 'transfer-encoding' in sent || withoutBody(status);
    if (!framed) sent['content-length'] = Buffer.byteLength(body);
    this.answered(status);
    if (reason === undefined) this.response.writeHead(status, sent);
    else this.response.writeHead(status, reason, sent);
  }

  /** Notes what an answer that was written past `send` turned out to be. @internal */
  noteAnswer(): void {
    if (this.response.headersSent) this.answered(this.response.statusCode);
  }
}

function withoutBody(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}
