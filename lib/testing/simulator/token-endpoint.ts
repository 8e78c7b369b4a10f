import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProviderPair } from '../../catalogue/provider-catalogue.js';
import { TOKEN_TYPE } from '../../catalogue/wire.js';
import type { Addresses, TokenDestination } from './addresses.js';
import { json, type Answer } from './answer.js';
import type { CredentialBook } from './credential-book.js';
import type { Stage } from './exchange.js';
import { perform } from './perform.js';
import { TokenRequestRecord } from './records.js';
import { readBody } from './request-body.js';
import { ScriptQueue } from './script-queue.js';
import { TokenExchange } from './token-exchange.js';
import type { IssueWish, TokenMint } from './token-mint.js';
import { checkTokenRequest, invalidClient } from './token-request-check.js';

/** All token endpoints: who may have a token is decided by the address and the credentials together (S4, S5). */
export class TokenEndpoint {
  readonly scripts = new ScriptQueue<TokenExchange>();
  readonly records: TokenRequestRecord[] = [];

  constructor(
    private readonly addresses: Addresses,
    private readonly credentials: CredentialBook,
    private readonly mint: TokenMint,
    private readonly stage: Stage,
  ) {}

  receive(request: IncomingMessage, response: ServerResponse, at: TokenDestination): void {
    readBody(request, (body) => {
      const record = this.#note(request, body, at);
      const exchange = new ReceivedTokenExchange(request, response, record, this.stage, (wish) =>
        this.#answer(request, record, at, wish),
      );
      perform(exchange, this.scripts.take(exchange));
    });
  }

  reset(): void {
    this.records.length = 0;
    this.scripts.clear();
  }

  #note(request: IncomingMessage, body: Buffer, at: TokenDestination): TokenRequestRecord {
    const clientId = new URLSearchParams(body.toString()).get('client_id');
    const owner = clientId === null ? undefined : this.credentials.ownerOf(clientId);
    const record = new TokenRequestRecord({
      interface: at.interface,
      environment: at.environment ?? (owner?.interface === at.interface ? owner.environment : undefined),
      at: new Date(this.stage.now()),
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body,
    });
    this.records.push(record);
    return record;
  }

  async #answer(
    request: IncomingMessage,
    record: TokenRequestRecord,
    at: TokenDestination,
    wish: IssueWish,
  ): Promise<Answer> {
    const checked = checkTokenRequest(request, record.body);
    if ('refusal' in checked) return checked.refusal;
    const { client_id: clientId, client_secret: clientSecret } = checked.fields;
    const pair = this.credentials.accepts(clientId, clientSecret)
      ? this.credentials.ownerOf(clientId)
      : undefined;
    if (!pair || !serves(at, pair)) return invalidClient().refusal;

    const claims = { iss: this.addresses.origin, aud: this.addresses.baseUrl(pair), sub: clientId };
    const token = this.mint.issue(pair, claims, wish);
    record.issued(token.value);
    return json(
      200,
      { access_token: token.value, token_type: TOKEN_TYPE, expires_in: token.expiresIn },
      { pragma: 'no-cache' },
    );
  }
}

class ReceivedTokenExchange extends TokenExchange {
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    private readonly record: TokenRequestRecord,
    stage: Stage,
    private readonly decide: (wish: IssueWish) => Promise<Answer>,
  ) {
    super(request, response, record.body, record, stage);
  }

  get path(): string {
    return this.record.path;
  }

  regular(wish: IssueWish = {}): Promise<Answer> {
    return this.decide(wish);
  }

  protected answered(status: number): void {
    this.record.status = status;
  }
}

function serves(at: TokenDestination, pair: ProviderPair): boolean {
  return at.interface === pair.interface && (at.environment ?? pair.environment) === pair.environment;
}
