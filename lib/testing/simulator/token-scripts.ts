import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { Secret } from '../../secrets/secret.js';
import { json } from './answer.js';
import type { Scope, ScriptQueue } from './script-queue.js';
import { Scripts } from './scripts.js';
import type { TokenExchange } from './token-exchange.js';
import type { TokenMint } from './token-mint.js';

/**
 * What the token endpoints answer: the scripts of {@link Scripts} and special tokens. Revoking is not a script: it happens
 * at once.
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
> extends Scripts<TokenExchange, Interface, Environment> {
  readonly #mint: TokenMint;

  /** @hidden */
  constructor(queue: ScriptQueue<TokenExchange>, mint: TokenMint, scope?: Scope) {
    super(queue, scope);
    this.#mint = mint;
  }

  /**
   * Tokens that live for so many seconds; fractions are allowed. `expiresIn` is the `expires_in` of the answer, for a
   * provider that reports a wrong lifetime.
   */
  lifetime(seconds: number, { expiresIn = seconds }: { expiresIn?: number } = {}): void {
    this.addScript(async (exchange) => exchange.send(await exchange.regular({ seconds, expiresIn })));
  }

  /** The last token of the credentials again, valid or not. */
  sameTokenAgain(): void {
    this.addScript(async (exchange) => exchange.send(await exchange.regular({ again: true })));
  }

  /** The regular answer with other members. `undefined` removes a member. */
  members(members: Record<string, unknown>): void {
    this.body((regular) => JSON.stringify({ ...(JSON.parse(regular) as object), ...members }));
  }

  /** An error answer in the form of RFC 6749 section 5.2. */
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

  /** The API addresses refuse this token from now on. Returns whether the token was valid. */
  revoke(token: string | Secret): boolean {
    return this.#mint.revoke(typeof token === 'string' ? token : token.reveal());
  }

  /** Revokes all valid tokens, or the valid tokens of the pair in `for()`. Returns how many it revoked. */
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
