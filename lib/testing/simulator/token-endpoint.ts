import type { IncomingMessage, ServerResponse } from 'node:http';
import { DOCTOR_HEADER, TOKEN_TYPE } from '../../catalogue/wire.js';
import { covers, type TokenDestination } from './addresses.js';
import { type Answer, json } from './answer.js';
import type { Client } from './client-check.js';
import { Exchange } from './exchange.js';
import type { IssueOptions } from './issued-tokens.js';
import { TokenRequestRecord } from './records.js';
import { readBody } from './server.js';
import type { Simulation } from './simulation.js';
import { checkTokenRequest, entryOfRequest, invalidClient, type Refused } from './token-request-check.js';

const USUAL_SECONDS = 3600;

/** The start of a token of visible characters. A client that decodes or escapes it breaks the token. */
const ODD_CHARACTERS = String.raw`v^1%2B\&lt;"#!`;

/** Answers a token request. The address and the credentials together decide whether it gets a token. */
export function receiveTokenRequest(
  simulation: Simulation,
  request: IncomingMessage,
  response: ServerResponse,
  destination: TokenDestination,
): void {
  const { clients, now, options, scripts, tokenRequests } = simulation;
  readBody(request, (body) => {
    const form = new URLSearchParams(body.toString());
    const client = clients.named(request.headers, form);
    const { environment } = client && covers(destination, client.pair) ? client.pair : destination;
    const account = client?.pair.account;
    const record = new TokenRequestRecord<string, string>(
      request,
      { ...destination, environment, account, at: new Date(now()), body },
      { reason: '' },
    );
    const refused = ({ reason, refusal }: Refused): Answer => {
      record.findings.reason = reason;
      return refusal;
    };
    const regular = (wish: IssueOptions): Answer => {
      const entry = entryOfRequest(form, destination.entry, options.grants);
      const wrong = checkTokenRequest(request, body, form, entry);
      if (wrong) return refused(wrong);
      const found = clients.check(client, request, form, entry.clientAuth);
      if (typeof found === 'string') return refused(invalidClient(found));
      const { pair } = found;
      if (!covers(destination, pair))
        return refused(invalidClient(`credentials of ${pair.interface} ${pair.environment}`));
      return issue(simulation, request, record, found, wish);
    };
    if (options.recordTokenRequests !== false) tokenRequests.push(record);
    const exchange = new Exchange(request, response, record, simulation, regular);
    exchange.answerWith(scripts.take(exchange));
  });
}

function issue(
  { addresses, options, tokens }: Simulation,
  { headers }: IncomingMessage,
  { findings }: TokenRequestRecord<string, string>,
  { pair, clientId, entry }: Client,
  wish: IssueOptions,
): Answer {
  const { expiresIn, tokenTypes, tokenCharacters } = entry;
  const seconds = wish.seconds ?? options.lifetimeSeconds ?? expiresIn ?? USUAL_SECONDS;
  const reported = wish.expiresIn ?? seconds;
  findings.reason = `token issued, lives ${reported} s`;
  findings.token = tokens.issue(pair, {
    claims: { iss: addresses.origin, aud: addresses.baseUrl(pair), sub: clientId },
    seconds,
    prefix: tokenCharacters === 'visible' ? ODD_CHARACTERS : '',
    // The application goes on with its own token.
    isAside: headers[DOCTOR_HEADER] !== undefined,
  });
  return json(
    200,
    {
      access_token: findings.token,
      token_type: tokenTypes === 'any' ? undefined : (tokenTypes?.[0] ?? TOKEN_TYPE),
      expires_in: expiresIn === undefined || wish.expiresIn !== undefined ? reported : undefined,
    },
    { pragma: 'no-cache' },
  );
}
