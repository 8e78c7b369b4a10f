import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiDestination } from './addresses.js';
import { INVALID_TOKEN, json } from './answer.js';
import { ApiExchange } from './api-exchange.js';
import type { Stage } from './exchange.js';
import { perform } from './perform.js';
import { ApiRequestRecord, bearerOf } from './records.js';
import { NO_BODY, readBody } from './request-body.js';
import { ScriptQueue } from './script-queue.js';
import type { TokenMint } from './token-mint.js';

const NOT_FOUND = json(404, {
  error: 'not_found',
  error_description: 'The provider documents no such address.',
});

/** The addresses under the base URLs, and all those that are nowhere: these are recorded too, for nothing may stray there. */
export class ApiEndpoint {
  readonly scripts = new ScriptQueue<ApiExchange>();
  /** For requests whose body has not been read. */
  readonly earlyScripts = new ScriptQueue<ApiExchange>();
  readonly records: ApiRequestRecord[] = [];

  constructor(
    private readonly mint: TokenMint,
    private readonly stage: Stage,
    private readonly keepRecords: boolean,
  ) {}

  receive(request: IncomingMessage, response: ServerResponse, at: ApiDestination | undefined): void {
    if (!this.earlyScripts.isEmpty && this.#answerEarly(request, response, at)) return;
    readBody(request, (body) => {
      const exchange = this.#open(request, response, body, at);
      exchange.note(this.records);
      perform(exchange, exchange.refused ? undefined : this.scripts.take(exchange));
    });
  }

  #answerEarly(request: IncomingMessage, response: ServerResponse, at: ApiDestination | undefined): boolean {
    const exchange = this.#open(request, response, NO_BODY, at);
    const script = exchange.refused ? undefined : this.earlyScripts.take(exchange);
    if (!script) return false;
    exchange.note(this.records);
    perform(exchange, script);
    return true;
  }

  #open(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    at: ApiDestination | undefined,
  ): ApiExchange {
    const bearer = bearerOf(request.headers);
    const token = bearer === undefined ? undefined : this.mint.find(bearer);
    // A token opens the addresses of its own interface and environment and no others (S5).
    const valid =
      token?.claims.interface === at?.pair.interface && token?.claims.environment === at?.pair.environment
        ? token
        : undefined;
    const record = this.keepRecords
      ? new ApiRequestRecord(
          {
            interface: at?.pair.interface,
            environment: at?.pair.environment,
            at: new Date(this.stage.now()),
            method: request.method ?? '',
            path: at?.path ?? request.url ?? '',
            headers: request.headers,
            body,
          },
          valid?.claims,
        )
      : undefined;
    const refusal = at ? (valid ? undefined : INVALID_TOKEN) : NOT_FOUND;
    return new ApiExchange(request, response, body, at, record, this.stage, refusal);
  }

  reset(): void {
    this.records.length = 0;
    this.scripts.clear();
    this.earlyScripts.clear();
  }
}
