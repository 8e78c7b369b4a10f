import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SCHEME } from '../../catalogue/wire.js';
import { type ApiDestination, covers } from './addresses.js';
import { type Answer, invalidToken, json } from './answer.js';
import { Exchange } from './exchange.js';
import { ApiRequestRecord } from './records.js';
import { NO_BODY, readBody } from './server.js';
import type { Simulation } from './simulation.js';

const NOT_FOUND = json(404, {
  error: 'not_found',
  error_description: 'The provider documents no such address.',
});

const NO_BODY_SHA256 = createHash('sha256').digest('hex');

/**
 * Answers a request to any address except the token endpoints. A request to an undocumented address is recorded too, so that a
 * test sees a request that went to a wrong address.
 */
export function receiveApiRequest(
  simulation: Simulation,
  request: IncomingMessage,
  response: ServerResponse,
  destination: ApiDestination,
): void {
  const { apiRequests, now, options, scripts, tokens } = simulation;
  const { scheme = SCHEME } = destination.entry ?? {};
  const { authorization } = request.headers;
  // The document of the provider allows one form only: `Bearer`, one space, the token (S6). A definition may have another scheme.
  const bearer = authorization?.startsWith(`${scheme} `) ? authorization.slice(scheme.length + 1) : undefined;
  const token = tokens.find(bearer ?? '');

  /** Why the request has no token that is valid here. */
  const flaw = (): string | undefined => {
    if (destination.entry === undefined) return 'no such address';
    if (authorization === undefined) return 'no token';
    if (bearer === undefined) return `the Authorization header is not "${scheme} <token>"`;
    if (token === undefined) return 'token was not issued since the start';
    const state = tokens.stateOf(token);
    if (state !== 'valid') return `token ${state}`;
    // A token is valid only for the addresses of its interface and environment (S5).
    const { pair } = token;
    return covers(destination, pair) ? undefined : `token of ${pair.interface} ${pair.environment}`;
  };

  /** Returns false if no early script answers the request. */
  const answer = (body: Buffer, early?: true): boolean => {
    const wrong = flaw();
    const isAccepted = wrong === undefined;
    const record = new ApiRequestRecord<string, string>(
      request,
      { ...destination, account: token?.pair.account, at: new Date(now()), body },
      { reason: wrong ?? 'valid token', token: bearer, claims: token?.claims, isAccepted },
    );
    const regular = (): Answer => {
      if (isAccepted) return description(record);
      return destination.entry === undefined ? NOT_FOUND : invalidToken(destination.entry);
    };
    const exchange = new Exchange(request, response, record, simulation, regular);
    // A request without a valid token uses up no script.
    const script = isAccepted ? scripts.take(exchange, early) : undefined;
    if (early && script === undefined) return false;
    if (options.recordApiRequests !== false) apiRequests.push(record);
    exchange.answerWith(script);
    return true;
  };
  if (scripts.hasEarly && answer(NO_BODY, true)) return;
  readBody(request, answer);
}

/** Describes a request, so that a test can compare what arrived with what was sent. It repeats no header. */
function description({
  interface: name,
  environment,
  method,
  path,
  body,
}: ApiRequestRecord<string, string>): Answer {
  return json(200, {
    interface: name,
    environment,
    method,
    path,
    bodyLength: body.length,
    bodySha256: body.length === 0 ? NO_BODY_SHA256 : createHash('sha256').update(body).digest('hex'),
  });
}
