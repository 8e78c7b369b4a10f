import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiDestination } from './addresses.js';
import { INVALID_TOKEN, json } from './answer.js';
import { ApiExchange } from './api-exchange.js';
import type { Stage } from './exchange.js';
import { perform } from './perform.js';
import { ApiRequestRecord, bearerOf } from './records.js';
import { ScriptQueue } from './script-queue.js';
import type { TokenMint } from './token-mint.js';

const NOT_FOUND = json(404, {
  error: 'not_found',
  error_description: 'The provider documents no such address.',
});

/** The addresses under the base URLs, and all those that are nowhere: these are recorded too, for nothing may stray there. */
export class ApiEndpoint {
  readonly scripts = new ScriptQueue<ApiExchange>();
  readonly records: ApiRequestRecord[] = [];

  constructor(
    private readonly mint: TokenMint,
    private readonly stage: Stage,
    private readonly keepRecords: boolean,
  ) {}

  receive(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    at: ApiDestination | undefined,
  ): void {
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
    if (record) this.records.push(record);
    const refusal = at ? (valid ? undefined : INVALID_TOKEN) : NOT_FOUND;
    const exchange = new ApiExchange(request, response, body, at, record, this.stage, refusal);
    perform(exchange, refusal ? undefined : this.scripts.take(exchange));
  }

  reset(): void {
    this.records.length = 0;
    this.scripts.clear();
  }
}
