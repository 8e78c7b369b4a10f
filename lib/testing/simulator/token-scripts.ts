import type { Secret } from '../../secrets/secret.js';
import { json } from './answer.js';
import type { ScriptQueue } from './script-queue.js';
import { Scripts } from './scripts.js';
import type { TokenExchange } from './token-exchange.js';
import type { TokenMint } from './token-mint.js';

/**
 * What the token endpoints do: the scripts of {@link Scripts}, tokens of a special kind, and revoking, which happens at once.
 *
 * @example
 * provider.token.next().refuse('invalid_client');
 * provider.token.lifetime(2);                              // tokens live for two seconds from now on
 * provider.token.next().members({ expires_in: 'soon' });   // one answer with one wrong member
 * provider.token.for('easy', 'sandbox').revokeAll();
 */
export class TokenScripts extends Scripts<TokenExchange> {
  /** @hidden */
  constructor(
    queue: ScriptQueue<TokenExchange>,
    private readonly mint: TokenMint,
  ) {
    super(queue);
  }

  /**
   * Tokens that live this long; fractions of a second are welcome. `expiresIn` is what the answer says as `expires_in`, for
   * a provider that is wrong about its own tokens.
   */
  lifetime(seconds: number, { expiresIn = seconds }: { expiresIn?: number } = {}): void {
    this.act(async (exchange) => exchange.send(await exchange.regular({ seconds, expiresIn })));
  }

  /** The token that the credentials got last, once more, alive or not. */
  sameTokenAgain(): void {
    this.act(async (exchange) => exchange.send(await exchange.regular({ again: true })));
  }

  /** The regular answer with other members; `undefined` takes one away. */
  members(members: Record<string, unknown>): void {
    this.body((regular) => JSON.stringify({ ...(JSON.parse(regular) as object), ...members }));
  }

  /** An error answer as RFC 6749 section 5.2 words it. */
  refuse(
    error = 'invalid_client',
    { status = error === 'invalid_client' ? 401 : 400, description = '' } = {},
  ): void {
    const { body, headers } = json(
      status,
      { error, ...(description !== '' && { error_description: description }) },
      status === 401 ? { 'www-authenticate': 'Basic realm="token"' } : {},
    );
    this.answer({ status, headers, body });
  }

  /** From now on the API addresses refuse this token. Says whether it was alive. */
  revoke(token: string | Secret): boolean {
    return this.mint.revoke(typeof token === 'string' ? token : token.reveal());
  }

  /** Revokes all living tokens, or those that `for()` names. Says how many there were. */
  revokeAll(): number {
    return this.mint.revokeAll(this.scope);
  }
}
