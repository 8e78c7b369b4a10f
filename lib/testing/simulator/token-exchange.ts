import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { Answer } from './answer.js';
import { Exchange, type ReceivedRequestParts } from './exchange.js';
import type { IssueOptions } from './token-mint.js';

/** @hidden */
export interface TokenExchangeParts extends ReceivedRequestParts {
  /** Creates the regular answer, which may issue a token. */
  readonly createAnswer: (options: IssueOptions) => Promise<Answer>;
}

/** A request to a token endpoint. A script can choose the token that the regular answer issues. */
export class TokenExchange<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends Exchange<Interface, Environment> {
  readonly #createAnswer: TokenExchangeParts['createAnswer'];

  /** @hidden */
  constructor({ createAnswer, ...received }: TokenExchangeParts) {
    super(received);
    this.#createAnswer = createAnswer;
  }

  /** The answer that the simulator would give without a script. */
  regular(options: IssueOptions = {}): Promise<Answer> {
    return this.#createAnswer(options);
  }
}
