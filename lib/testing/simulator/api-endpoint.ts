import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Catalogue, refusalsOf } from '../../catalogue/catalogue.js';
import type { ApiDestination } from './addresses.js';
import { invalidToken, json } from './answer.js';
import { ApiExchange } from './api-exchange.js';
import type { CredentialBook } from './credential-book.js';
import type { ExchangeContext } from './exchange.js';
import { reasonOfInvalidToken } from './refusal-reasons.js';
import { ApiRequestRecord, bearerOf } from './records.js';
import { NO_BODY, readBody } from './request-body.js';
import { runScript } from './run-script.js';
import { ScriptQueue } from './script-queue.js';
import type { TokenMint } from './token-mint.js';

const NOT_FOUND = json(404, {
  error: 'not_found',
  error_description: 'The provider documents no such address.',
});

interface ApiEndpointParts {
  readonly catalogue: Catalogue;
  readonly credentials: Pick<CredentialBook, 'ownerOf'>;
  readonly mint: TokenMint;
  readonly context: ExchangeContext;
  readonly recordRequests: boolean;
}

interface Received {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly destination: ApiDestination | undefined;
}

/**
 * All addresses except the token endpoints. Requests to undocumented addresses are recorded too, so that a test sees a
 * request that went to a wrong address.
 */
export class ApiEndpoint {
  readonly scripts = new ScriptQueue<ApiExchange<string, string>>();
  /** Scripts that answer before the body is read. */
  readonly earlyScripts = new ScriptQueue<ApiExchange<string, string>>();
  readonly records: ApiRequestRecord[] = [];
  readonly #parts: ApiEndpointParts;

  constructor(parts: ApiEndpointParts) {
    this.#parts = parts;
  }

  receive(received: Received): void {
    if (!this.earlyScripts.isEmpty && this.#answerEarly(received)) return;
    readBody(received.request, (body) => {
      const { exchange, record } = this.#createExchange(received, body);
      this.#add(record);
      runScript(exchange, exchange.isRefused ? undefined : this.scripts.take(exchange));
    });
  }

  #answerEarly(received: Received): boolean {
    const { exchange, record } = this.#createExchange(received, NO_BODY);
    const script = exchange.isRefused ? undefined : this.earlyScripts.take(exchange);
    if (!script) return false;
    this.#add(record);
    runScript(exchange, script);
    return true;
  }

  #add(record: ApiRequestRecord): void {
    if (this.#parts.recordRequests) this.records.push(record);
  }

  #createExchange({ request, response, destination }: Received, body: Buffer) {
    const { catalogue, credentials, mint, context } = this.#parts;
    const terms = destination && catalogue.entryOf(destination.interface);
    const bearer = bearerOf(request.headers, terms?.scheme) ?? '';
    const found = mint.find(bearer)?.claims;
    // A token is valid only for the addresses of its interface and environment (S5).
    const isValid =
      found?.interface === destination?.interface && found?.environment === destination?.environment;
    const claims = isValid ? found : undefined;
    const reason =
      destination === undefined
        ? 'no such address'
        : claims === undefined
          ? reasonOfInvalidToken(request.headers, mint, terms?.scheme)
          : 'valid token';
    const owner = credentials.ownerOf(mint.clientOf(bearer) ?? '');
    context.observers.note(request, { reason, account: owner?.account, refusedWith: refusalsOf(terms) });
    const facts = {
      interface: destination?.interface,
      environment: destination?.environment,
      account: owner?.account,
      at: new Date(context.now()),
      method: request.method ?? '',
      path: destination?.path ?? request.url ?? '',
      headers: request.headers,
      body,
    };
    const record = new ApiRequestRecord(facts, claims, terms?.scheme);
    const refusal =
      destination === undefined ? NOT_FOUND : claims === undefined ? invalidToken(terms) : undefined;
    const parts = { request, response, context, record, refusal, terms };
    return { exchange: new ApiExchange<string, string>(parts), record };
  }

  reset(): void {
    this.records.length = 0;
    this.scripts.clear();
    this.earlyScripts.clear();
  }
}
