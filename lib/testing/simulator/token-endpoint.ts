import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyPair } from '../../catalogue/catalogue.js';
import { DOCTOR_HEADER, TOKEN_TYPE } from '../../catalogue/wire.js';
import type { TokenDestination } from './addresses.js';
import { claimedId } from './client-check.js';
import { json, type Answer } from './answer.js';
import type { EndpointParts } from './api-endpoint.js';
import { Exchange } from './exchange.js';
import type { IssueOptions } from './issued-tokens.js';
import { TokenRequestRecord } from './records.js';
import { readBody } from './server.js';
import type { ProviderSimulatorOptions } from './provider-simulator-options.js';
import { checkTokenRequest, entryOfRequest, invalidClient } from './token-request-check.js';

const USUAL_SECONDS = 3600;

/** The start of a token of visible characters. A client that decodes or escapes it breaks the token. */
const ODD_CHARACTERS = String.raw`v^1%2B\&lt;"#!`;

interface OptionsOfClient extends IssueOptions {
  readonly clientId: string | undefined;
}

/** All token endpoints. The address and the credentials together decide whether a request gets a token. */
export class SimulatedTokenEndpoint {
  readonly records: TokenRequestRecord[] = [];

  constructor(
    private readonly parts: EndpointParts,
    private readonly options: ProviderSimulatorOptions<string>,
  ) {}

  receive(request: IncomingMessage, response: ServerResponse, destination: TokenDestination): void {
    const { clients, now, scripts } = this.parts;
    readBody(request, (body) => {
      const form = new URLSearchParams(body.toString());
      const clientId = claimedId(request.headers, form);
      const owner = clients.ownerOf(clientId);
      const ownEnvironment = owner?.interface === destination.interface ? owner.environment : undefined;
      const record = new TokenRequestRecord(request, {
        kind: 'token',
        interface: destination.interface,
        environment: destination.environment ?? ownEnvironment,
        account: owner?.account,
        at: new Date(now()),
        path: request.url ?? '',
        body,
      });
      if (this.options.recordTokenRequests !== false) this.records.push(record);
      const regular = (options: IssueOptions): Promise<Answer> =>
        this.#regular(request, record, form, destination, { clientId, ...options });
      const parts = { request, response, record, context: this.parts, regular };
      const exchange = new Exchange<string, string>(parts);
      exchange.answerWith(scripts.take(exchange));
    });
  }

  async #regular(
    request: IncomingMessage,
    record: TokenRequestRecord,
    form: URLSearchParams,
    destination: TokenDestination,
    options: OptionsOfClient,
  ): Promise<Answer> {
    const { catalogue, clients } = this.parts;
    const entry = entryOfRequest(form, catalogue.entryOf(destination.interface), this.options.grants);
    const wrong = checkTokenRequest(request, record.body, entry);
    const found = wrong ? undefined : clients.check(request, form, entry.clientAuth);
    if (typeof found === 'object' && serves(destination, found))
      return this.#issue(request, record, found, options);
    const { reason, refusal } =
      wrong ??
      invalidClient(
        typeof found === 'object' ? `credentials of ${found.interface} ${found.environment}` : found,
      );
    record.findings.reason = reason;
    return refusal;
  }

  #issue(
    request: IncomingMessage,
    record: TokenRequestRecord,
    pair: AnyPair,
    { clientId = '', ...options }: OptionsOfClient,
  ): Answer {
    const { addresses, catalogue, tokens } = this.parts;
    const { expiresIn, tokenTypes, tokenCharacters } = catalogue.entryOf(pair.interface);
    const token = tokens.issue(
      pair,
      { iss: addresses.origin, aud: addresses.baseUrl(pair), sub: clientId },
      {
        seconds: this.options.lifetimeSeconds ?? expiresIn ?? USUAL_SECONDS,
        ...options,
        prefix: tokenCharacters === 'visible' ? ODD_CHARACTERS : '',
        // The application goes on with its own token.
        isAside: request.headers[DOCTOR_HEADER] !== undefined,
      },
    );
    record.findings.reason = `token issued, lives ${token.expiresIn} s`;
    record.findings.token = token.value;
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
