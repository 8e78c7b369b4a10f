import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Catalogue, refusalsOf } from '../../catalogue/catalogue.js';
import { SCHEME } from '../../catalogue/wire.js';
import type { Addresses, ApiDestination } from './addresses.js';
import { type Answer, invalidToken, json } from './answer.js';
import type { ClientCheck } from './client-check.js';
import { Exchange, type ExchangeContext } from './exchange.js';
import type { IssuedToken, IssuedTokens } from './issued-tokens.js';
import type { ProviderSimulatorOptions } from './provider-simulator-options.js';
import { ApiRequestRecord, bearerOf } from './records.js';
import type { ScriptQueue } from './script-queue.js';
import { NO_BODY, readBody } from './server.js';

/** What both kinds of endpoints use. */
export interface EndpointParts extends ExchangeContext {
  readonly addresses: Addresses;
  readonly catalogue: Catalogue;
  readonly clients: ClientCheck;
  readonly tokens: IssuedTokens;
  readonly scripts: ScriptQueue;
  readonly now: () => number;
}

const NOT_FOUND = json(404, {
  error: 'not_found',
  error_description: 'The provider documents no such address.',
});

const NO_BODY_SHA256 = createHash('sha256').digest('hex');

/**
 * All addresses except the token endpoints. Requests to undocumented addresses are recorded too, so that a test sees a
 * request that went to a wrong address.
 */
export class ApiEndpoint {
  readonly records: ApiRequestRecord[] = [];

  constructor(
    private readonly parts: EndpointParts,
    private readonly options: ProviderSimulatorOptions<string>,
  ) {}

  receive(request: IncomingMessage, response: ServerResponse, destination: ApiDestination | undefined): void {
    const answer = (body: Buffer, early?: true): boolean =>
      this.#answer(request, response, destination, body, early);
    if (this.parts.scripts.hasEarly && answer(NO_BODY, true)) return;
    readBody(request, (body) => answer(body));
  }

  /** Returns false if no early script answers the request. */
  #answer(
    request: IncomingMessage,
    response: ServerResponse,
    destination: ApiDestination | undefined,
    body: Buffer,
    early?: true,
  ): boolean {
    const { catalogue, clients, now, scripts, tokens } = this.parts;
    const terms = destination && catalogue.entryOf(destination.interface);
    const token = tokens.find(bearerOf(request.headers, terms?.scheme) ?? '');
    // A token is valid only for the addresses of its interface and environment (S5).
    const isOfPair =
      token?.claims.interface === destination?.interface &&
      token?.claims.environment === destination?.environment;
    const claims = token?.state === 'valid' && isOfPair ? token.claims : undefined;
    const refusal =
      destination === undefined ? NOT_FOUND : claims === undefined ? invalidToken(terms) : undefined;
    const account = clients.ownerOf(token?.claims.sub)?.account;
    const facts = {
      kind: 'api' as const,
      interface: destination?.interface,
      environment: destination?.environment,
      account,
      at: new Date(now()),
      path: destination?.path ?? request.url ?? '',
      body,
    };
    const record = new ApiRequestRecord(request, facts, claims, terms?.scheme);
    const regular = (): Answer => refusal ?? description(record);
    const exchange = new Exchange({ request, response, record, context: this.parts, terms, regular });
    // A request without a valid token uses up no script.
    const script = refusal === undefined ? scripts.take(exchange, early) : undefined;
    if (early && script === undefined) return false;
    record.findings.reason =
      destination === undefined
        ? 'no such address'
        : claims === undefined
          ? reasonOfInvalidToken(request.headers, token, terms?.scheme)
          : 'valid token';
    record.findings.refusedWith = refusalsOf(terms);
    record.findings.tokenOf = token?.claims;
    if (this.options.recordApiRequests !== false) this.records.push(record);
    exchange.answerWith(script);
    return true;
  }
}

/** Why an API request has no valid token for its pair. A token that is valid is that of another pair. */
function reasonOfInvalidToken(
  headers: IncomingHttpHeaders,
  token: IssuedToken | undefined,
  scheme: string = SCHEME,
): string {
  if (headers.authorization === undefined) return 'no token';
  if (bearerOf(headers, scheme) === undefined) return `the Authorization header is not "${scheme} <token>"`;
  if (token === undefined) return 'token was not issued since the start';
  const { state, claims } = token;
  return state === 'valid' ? `token of ${claims.interface} ${claims.environment}` : `token ${state}`;
}

/** Describes a request, so that a test can compare what arrived with what was sent. It repeats no header. */
function description({ interface: name, environment, method, path, body }: ApiRequestRecord): Answer {
  return json(200, {
    interface: name,
    environment,
    method,
    path,
    bodyLength: body.length,
    bodySha256: body.length === 0 ? NO_BODY_SHA256 : createHash('sha256').update(body).digest('hex'),
  });
}
