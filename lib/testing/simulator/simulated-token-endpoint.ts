import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyPair, Catalogue } from '../../catalogue/catalogue.js';
import { TOKEN_TYPE } from '../../catalogue/wire.js';
import type { Addresses, TokenDestination } from './addresses.js';
import { json, type Answer } from './answer.js';
import { claimedId } from './client-check.js';
import type { CredentialBook } from './credential-book.js';
import type { ExchangeContext } from './exchange.js';
import { TokenRequestRecord } from './records.js';
import { reasonOfInvalidClient } from './refusal-reasons.js';
import { readBody } from './request-body.js';
import { runScript } from './run-script.js';
import { ScriptQueue } from './script-queue.js';
import { TokenExchange } from './token-exchange.js';
import type { IssueOptions, TokenMint } from './token-mint.js';
import {
  checkTokenRequest,
  entryOfRequest,
  type GrantedTerms,
  invalidClient,
} from './token-request-check.js';

const USUAL_SECONDS = 3600;

/** The start of a token of visible characters. A client that decodes or escapes it breaks the token. */
const ODD_CHARACTERS = String.raw`v^1%2B\&lt;"#!`;

interface TokenEndpointParts {
  readonly catalogue: Catalogue;
  readonly addresses: Addresses;
  readonly credentials: CredentialBook;
  readonly mint: TokenMint;
  readonly context: ExchangeContext;
  readonly recordRequests: boolean;
  /** @default that of the definition, or an hour */
  readonly lifetimeSeconds: number | undefined;
  /** Terms that are granted besides those of the definition. */
  readonly grants: readonly GrantedTerms[];
}

interface Received {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly destination: TokenDestination;
}

/** All token endpoints. The address and the credentials together decide whether a request gets a token (S4, S5). */
export class SimulatedTokenEndpoint {
  readonly scripts = new ScriptQueue<TokenExchange<string, string>>();
  readonly records: TokenRequestRecord[] = [];
  readonly #parts: TokenEndpointParts;

  constructor(parts: TokenEndpointParts) {
    this.#parts = parts;
  }

  receive({ request, response, destination }: Received): void {
    readBody(request, (body) => {
      const record = this.#addRecord(request, body, destination);
      const exchange = new TokenExchange<string, string>({
        request,
        response,
        record,
        context: this.#parts.context,
        createAnswer: (options) => this.#createAnswer(request, record, destination, options),
      });
      runScript(exchange, this.scripts.take(exchange));
    });
  }

  reset(): void {
    this.records.length = 0;
    this.scripts.clear();
  }

  #addRecord(request: IncomingMessage, body: Buffer, destination: TokenDestination): TokenRequestRecord {
    const { credentials, context } = this.#parts;
    const form = new URLSearchParams(body.toString());
    const clientId = claimedId(request, form);
    const owner = clientId === undefined ? undefined : credentials.ownerOf(clientId);
    const ownEnvironment = owner?.interface === destination.interface ? owner.environment : undefined;
    const record = new TokenRequestRecord({
      interface: destination.interface,
      environment: destination.environment ?? ownEnvironment,
      account: owner?.account,
      at: new Date(context.now()),
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body,
    });
    context.observers.note(request, { environment: record.environment, account: record.account });
    if (this.#parts.recordRequests) this.records.push(record);
    return record;
  }

  async #createAnswer(
    request: IncomingMessage,
    record: TokenRequestRecord,
    destination: TokenDestination,
    options: IssueOptions,
  ): Promise<Answer> {
    const { addresses, catalogue, context, credentials, grants, lifetimeSeconds, mint } = this.#parts;
    const entry = entryOfRequest(record.body, catalogue.entryOf(destination.interface), grants);
    const checked = checkTokenRequest(request, record.body, entry);
    if ('refusal' in checked) {
      context.observers.note(request, { reason: checked.reason });
      return checked.refusal;
    }
    const { clientId } = checked.client;
    const owner = credentials.ownerOf(clientId);
    const isAccepted = credentials.accepts(checked.client);
    const pair = isAccepted ? owner : undefined;
    if (!pair || !serves(destination, pair)) {
      const reason = reasonOfInvalidClient(checked.client, owner, isAccepted);
      context.observers.note(request, { reason });
      return invalidClient().refusal;
    }

    const { expiresIn, tokenTypes, tokenCharacters } = entry;
    const prefix = tokenCharacters === 'visible' ? ODD_CHARACTERS : '';
    const claims = { iss: addresses.origin, aud: addresses.baseUrl(pair), sub: clientId };
    const newest = mint.newestOf(pair);
    const isEarly =
      newest?.state === 'valid' && newest.expiresAt - context.now() > newest.lifetimeMs / 2 && !options.again;
    const { seconds = lifetimeSeconds ?? expiresIn ?? USUAL_SECONDS } = options;
    const token = mint.issue(pair, claims, { ...options, seconds }, prefix);
    const reason = `token issued, lives ${token.expiresIn} s`;
    context.observers.note(request, { reason, isEarly });
    record.issued(token.value);
    return json(
      200,
      {
        access_token: token.value,
        token_type: tokenTypes === 'any' ? undefined : (tokenTypes?.[0] ?? TOKEN_TYPE),
        expires_in: expiresIn === undefined || options.expiresIn !== undefined ? token.expiresIn : undefined,
      },
      { pragma: 'no-cache' },
    );
  }
}

function serves(destination: TokenDestination, pair: AnyPair): boolean {
  const { interface: name, environment = pair.environment } = destination;
  return name === pair.interface && environment === pair.environment;
}
