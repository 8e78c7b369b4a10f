import { createHash } from 'node:crypto';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import { invalidToken, json, type Answer, type RefusalTerms } from './answer.js';
import { Exchange, type ReceivedRequestParts } from './exchange.js';

const NO_BODY_SHA256 = createHash('sha256').digest('hex');

/** @hidden */
export interface ApiExchangeParts extends ReceivedRequestParts {
  /** The answer to a request without a valid token, or to an address that is not documented. */
  readonly refusal: Answer | undefined;
  /** How the API refuses a token. Undefined for an address that is not documented. */
  readonly terms: RefusalTerms | undefined;
}

/** A request to an address under a base URL, or to an address that is not documented. */
export class ApiExchange<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends Exchange<Interface, Environment> {
  readonly #refusal: Answer | undefined;
  readonly #terms: RefusalTerms | undefined;

  /** @hidden */
  constructor({ refusal, terms, ...received }: ApiExchangeParts) {
    super(received);
    this.#refusal = refusal;
    this.#terms = terms;
  }

  /** Whether the request is refused. Scripts do not get such a request. @internal */
  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** The answer to a token that is not valid. @internal */
  get invalidToken(): Answer {
    return invalidToken(this.#terms);
  }

  /** Describes the request, so that a test can compare what arrived with what was sent. It repeats no header. */
  regular(): Answer {
    if (this.#refusal) return this.#refusal;
    const { body } = this;
    return json(200, {
      interface: this.interface,
      environment: this.environment,
      method: this.request.method,
      path: this.path,
      bodyLength: body.length,
      bodySha256: body.length === 0 ? NO_BODY_SHA256 : createHash('sha256').update(body).digest('hex'),
    });
  }
}
