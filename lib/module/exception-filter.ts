import type { ServerResponse } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { isAxiosError } from 'axios';
import { throwError } from 'rxjs';
import { TokenRequestError } from '../errors/token-request.error.js';
import { systemClock } from '../time/clock.js';
import { safely } from '../values/safely.js';

/** What Express and Fastify have in common. */
interface HttpReply {
  status(code: number): this;
  header(name: string, value: string): this;
  send(body: object): unknown;
  /** Of Fastify. A reply of Express is itself the response of Node. */
  readonly raw?: ServerResponse;
}

/** Of Socket.IO, or of `ws`, whose clients have a state. */
interface WsClient {
  readonly readyState?: number;
  emit(event: string, data: object): unknown;
  send(text: string): unknown;
}

const UNAVAILABLE = { statusCode: 503, message: 'Service Unavailable' } as const;
/** In the form in which Nest reports an error to a client of a gateway or a microservice. */
const UNANSWERED = { status: 'error', message: UNAVAILABLE.message } as const;
/** If it is not known when the next token request is made: a cool-down begins with this time. */
const SOON_S = 5;

/**
 * The refusal of a call whose token could not be renewed. Nest chooses a filter with `instanceof`, so that any other error of axios
 * finds the filters that it finds without this one.
 */
abstract class RefusedWithoutRenewal extends Error {
  static override [Symbol.hasInstance](error: unknown): boolean {
    return safely(() => isAxiosError(error) && error.cause instanceof TokenRequestError, false);
  }
}

/**
 * Answers 503 with `Retry-After` instead of 500 if no token is available, or if the API refused a token that couldn't be renewed.
 * The body contains no details: the module's log names the cause. Register it once, for the whole app.
 *
 * A client of a microservice gets as little, and the `code`, such as `TOKEN_UNAVAILABLE`. A client of a WebSocket gateway gets an
 * `exception` event. Nest applies no global filter to gateways: put `@UseFilters(new ProviderAuthExceptionFilter())` on the gateway.
 * Elsewhere, for example in GraphQL, the error is passed on unchanged.
 *
 * @example
 * app.useGlobalFilters(new ProviderAuthExceptionFilter());
 */
@Catch(TokenRequestError, RefusedWithoutRenewal)
export class ProviderAuthExceptionFilter implements ExceptionFilter<Error> {
  /** Called by Nest. */
  catch(error: Error, host: ArgumentsHost): unknown {
    const kind = host.getType<string>();
    const { code, retryAt } = error instanceof TokenRequestError ? error : (error.cause as TokenRequestError);
    // A transport of Nest sends what is thrown: plain data, as from `BaseRpcExceptionFilter`, and never an error with its members.
    if (kind === 'rpc') return throwError(() => ({ ...UNANSWERED, code }));
    // Nest ignores what a filter of a gateway returns, and a client would wait for ever.
    if (kind === 'ws') return refuse(host.switchToWs().getClient<WsClient>());
    if (kind !== 'http') return error;
    const waitMs = retryAt && retryAt.getTime() - systemClock.wall();
    const seconds = waitMs === undefined ? SOON_S : Math.max(1, Math.ceil(waitMs / 1_000));
    const reply = host.switchToHttp().getResponse<HttpReply & ServerResponse>();
    const response = reply.raw ?? reply;
    // A response that has begun can only end, as with Nest's own filter.
    if (response.headersSent) return void response.end();
    return void reply.status(UNAVAILABLE.statusCode).header('Retry-After', String(seconds)).send(UNAVAILABLE);
  }
}

/** A socket of `ws` sends nothing that it emits, so it gets the text that Nest itself would send (nestjs/nest#16366). */
function refuse(client: WsClient): void {
  if (typeof client.readyState !== 'number') client.emit('exception', UNANSWERED);
  else client.send(JSON.stringify({ event: 'exception', data: UNANSWERED }));
}
