import type { Answer } from './answer.js';
import { Exchange } from './exchange.js';
import type { IssueWish } from './token-mint.js';

/** A request to a token endpoint: a script may wish for a token of a special kind. */
export abstract class TokenExchange extends Exchange {
  abstract override regular(wish?: IssueWish): Promise<Answer>;
}
