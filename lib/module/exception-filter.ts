import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { throwError } from 'rxjs';
import { TokenRequestError } from '../errors/token-request.error.js';
import { systemClock } from '../time/clock.js';

/** What Express and Fastify have in common. */
interface HttpReply {
  status(code: number): this;
  header(name: string, value: string): this;
  send(body: object): unknown;
}

interface WsClient {
  emit(event: string, data: object): unknown;
}

const UNAVAILABLE = { statusCode: 503, message: 'Service Unavailable' } as const;
/** In the form in which Nest reports an error to a client of a gateway. */
const UNANSWERED = { status: 'error', message: UNAVAILABLE.message } as const;
/** If it is not known when the next token request is made: a cool-down begins with this time. */
const SOON_S = 5;

/**
 * Answers 503 with `Retry-After` instead of 500 if no token is available. The body contains no details: the module's log names
 * the cause. Register it once, for the whole app.
 *
 * A client of a WebSocket gateway gets an `exception` event with as little. Elsewhere, for example in a microservice or GraphQL,
 * the error is passed on unchanged.
 *
 * @example
 * app.useGlobalFilters(new ProviderAuthExceptionFilter());
 */
@Catch(TokenRequestError)
export class ProviderAuthExceptionFilter implements ExceptionFilter<TokenRequestError> {
  /** Called by Nest. */
  catch(error: TokenRequestError, host: ArgumentsHost): unknown {
    const kind = host.getType<string>();
    if (kind === 'rpc') return throwError(() => error);
    // Nest ignores what a filter of a gateway returns, and a client would wait for ever.
    if (kind === 'ws') return void host.switchToWs().getClient<WsClient>().emit('exception', UNANSWERED);
    if (kind !== 'http') return error;
    const waitMs = error.retryAt && error.retryAt.getTime() - systemClock.wall();
    const seconds = waitMs === undefined ? SOON_S : Math.max(1, Math.ceil(waitMs / 1_000));
    const reply = host.switchToHttp().getResponse<HttpReply>();
    return void reply.status(UNAVAILABLE.statusCode).header('Retry-After', String(seconds)).send(UNAVAILABLE);
  }
}
