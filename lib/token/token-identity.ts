import { isObject, isPlainInAnyRealm, withoutPrototype } from '../values/objects.js';
import { kindOf } from '../secrets/text-rules.js';

/** Selects a token: an account's, or one for another scope, audience or resource. */
export interface TokenTarget {
  /** The account's name, which the option `accounts` receives: 1 to 200 characters. */
  account?: string;
  /** Replaces the definition's scope. */
  scope?: string;
  /** Replaces the definition's audience. */
  audience?: string;
  /** Replaces the definition's resource. */
  resource?: string;
}

type Member = keyof TokenTarget;

const LONGEST: Readonly<Record<Member, number>> = {
  account: 200,
  scope: 4_000,
  audience: 4_000,
  resource: 4_000,
};
const MEMBERS = Object.keys(LONGEST) as Member[];

/** Includes half of a surrogate pair, and characters that turn the text around them: a name stands in errors and log lines. */
const CONTROL_OR_EDGE = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]|^\s|\s$/u;

/**
 * Which token of a pair a call needs. Cache, requests, pauses and stored entries are kept apart by its key and by nothing
 * else. It is part of the config of a call. No code outside of this package can make one, so no text of a user can choose an
 * account by getting into a config.
 */
export class TokenIdentity {
  /** Equal identities have equal keys. */
  readonly #key: string;

  /** @param members those that are set, without a prototype. */
  private constructor(readonly members: Readonly<TokenTarget>) {
    this.#key = JSON.stringify(MEMBERS.map((member) => members[member] ?? null));
    // One identity serves all calls of a client, and each config leads to it.
    Object.freeze(members);
    Object.freeze(this);
  }

  /**
   * Undefined for the pair itself. Throws a `TypeError` for everything that may be a mistake: a lost name must never fall back to the
   * credentials of the pair.
   *
   * @param before what the target adds to.
   */
  static of(target: unknown, before?: TokenIdentity): TokenIdentity | undefined {
    // The members of a class are not in its object: their loss must not give the credentials of the pair.
    if (!isObject(target) || !isPlainInAnyRealm(target))
      throw new TypeError(`for() takes an object literal, not ${kindOf(target)}.`);
    const all: TokenTarget = withoutPrototype(before?.members ?? {});
    for (const name of Reflect.ownKeys(target)) {
      const member = MEMBERS.find((one) => one === name);
      if (member === undefined)
        throw new TypeError(`for() does not know ${String(name)}. Its members are ${MEMBERS.join(', ')}.`);
      const value: unknown = Reflect.get(target, member);
      const flaw = flawOf(value, LONGEST[member]);
      if (flaw !== undefined) throw new TypeError(`${member} of for() ${flaw}`);
      all[member] = value as string;
    }
    return Object.keys(all).length === 0 ? undefined : new TokenIdentity(all);
  }

  static isOne(this: void, value: unknown): value is TokenIdentity {
    return isObject(value) && #key in value;
  }

  get account(): string | undefined {
    return this.members.account;
  }

  get key(): string {
    return this.#key;
  }

  toJSON(): Readonly<TokenTarget> {
    return this.members;
  }
}

function flawOf(value: unknown, longest: number): string | undefined {
  if (typeof value !== 'string') return `must be a string, not ${kindOf(value)}.`;
  if (value === '') return 'is empty.';
  if (value.length > longest) return `has more than ${longest} characters.`;
  return CONTROL_OR_EDGE.test(value) ? 'has a control character, or a space at an end.' : undefined;
}

/**
 * The member of a config that says which token the call needs. A name and no symbol: axios and its companions copy only members
 * with names, and a call that they send again must keep its account.
 */
export const IDENTITY = '_tokenIdentity';

/** A copy of the config of a call, which names the token. */
export function withIdentity(config: unknown, identity: TokenIdentity): Record<string, unknown> {
  // V8 needs microseconds to add a member to a spread object, so the member is there before.
  const copy: Record<string, unknown> = { [IDENTITY]: identity, ...(config as object) };
  copy[IDENTITY] = identity;
  return copy;
}

/** Without the account of its call, a request would get the token of the pair. */
export function assertSameAccount(account: unknown, config: object): void {
  if (account !== undefined && Reflect.get(config, IDENTITY) !== account)
    throw new TypeError(
      `An interceptor or an adapter has made a new config without the account of the call. Copy its members, with ${IDENTITY}.`,
    );
}
