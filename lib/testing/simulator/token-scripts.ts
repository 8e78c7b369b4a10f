import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { Secret } from '../../secrets/secret.js';
import { json } from './answer.js';
import type { Scope, ScriptQueue } from './script-queue.js';
import { Scripts } from './scripts.js';
import type { TokenExchange } from './token-exchange.js';
import type { TokenMint } from './token-mint.js';

/**
 * Scripts what the token endpoints answer, with the members of {@link Scripts} and special tokens. `revoke` and `revokeAll`
 * take effect at once.
 *
 * @example
 * provider.token.next().refuse('invalid_client');
 * provider.token.lifetime(2);                              // tokens live for two seconds from now on
 * provider.token.next().members({ expires_in: 'soon' });   // one answer with one wrong member
 * provider.token.for('easy', 'sandbox').revokeAll();
 */
export class TokenScripts<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> extends Scripts<TokenExchange<Interface, Environment>, Interface, Environment> {
  readonly #mint: TokenMint;

  /** @hidden */
  constructor(queue: ScriptQueue<TokenExchange<Interface, Environment>>, mint: TokenMint, scope?: Scope) {
    super(queue, scope);
    this.#mint = mint;
  }

  /**
   * Issues tokens that live for this many seconds; fractions are allowed. Set `expiresIn`, the answer's `expires_in`, to play a
   * provider that reports a wrong lifetime.
   */
  lifetime(seconds: number, { expiresIn = seconds }: { expiresIn?: number } = {}): void {
    this.addScript(async (exchange) => exchange.send(await exchange.regular({ seconds, expiresIn })));
  }

  /** Returns the client's last token again, valid or not. */
  sameTokenAgain(): void {
    this.addScript(async (exchange) => exchange.send(await exchange.regular({ again: true })));
  }

  /** Sends the regular answer with these members changed. `undefined` removes a member. */
  members(members: Record<string, unknown>): void {
    this.body((regular) => JSON.stringify({ ...(JSON.parse(regular) as object), ...members }));
  }

  /** Answers with an error, as in RFC 6749 section 5.2. */
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

  /** Revokes this token: from now on, the API refuses it. Returns whether it was valid. */
  revoke(token: string | Secret): boolean {
    return this.#mint.revoke(typeof token === 'string' ? token : token.reveal());
  }

  /** Revokes all valid tokens, or those of the pair in `for()`. Returns how many. */
  revokeAll(): number {
    return this.#mint.revokeAll(this.scope);
  }

  /** @hidden */
  protected withScope(scope: Scope): this {
    return new TokenScripts<Interface, Environment>(this.queue, this.#mint, {
      ...this.scope,
      ...scope,
    }) as this;
  }
}
