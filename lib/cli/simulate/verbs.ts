import { nearestName } from '../../config/rules/names.js';
import type { ProviderSimulator } from '../../testing/index.js';
import { isObject, isRecord } from '../../values/is-object.js';

/** What a chain of verbs acts on: `provider.token`, `provider.api`, or the simulator itself. */
export const TARGETS = ['token', 'api', 'simulator'] as const;

export type Target = (typeof TARGETS)[number];

/** A chain of verbs as JSON, for example `{ "for": ["easy", "sandbox"], "next": 2, "status": 503 }`. */
export type Chain = Readonly<Record<string, unknown>>;

/** In bytes. A chain of verbs is short. */
export const LARGEST_CHAIN = 64 * 1024;

/** A chain that cannot run. The message says what to change. */
export class ChainError extends Error {}

/** One argument of a verb. What an answer holds is checked when it is sent: the answer then names the mistake. */
interface Argument {
  readonly name: string;
  readonly words: string;
  readonly accepts: (value: unknown, provider: ProviderSimulator) => boolean;
  readonly isOptional?: true;
}

const whole = (name: string, from: number, to: number): Argument => ({
  name,
  words: `a whole number from ${from} to ${to}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
});
const oneOf = (name: string, ...values: readonly string[]): Argument => ({
  name,
  words: values.map((value) => `"${value}"`).join(' or '),
  accepts: (value) => typeof value === 'string' && values.includes(value),
});
const text = (name: string): Argument => ({
  name,
  words: 'a text',
  accepts: (value) => typeof value === 'string',
});
const object = (name: string): Argument => ({ name, words: 'an object', accepts: isRecord });
const body: Argument = {
  name: 'body',
  words: 'a text or an object',
  accepts: (value) => typeof value === 'string' || isRecord(value),
};
const when: Argument = {
  name: 'when',
  words: 'a number of seconds or a text',
  accepts: (value) => typeof value === 'number' || typeof value === 'string',
};
const seconds: Argument = {
  name: 'seconds',
  words: 'a number of seconds above 0, at most 10 years',
  accepts: (value) => typeof value === 'number' && value > 0 && value <= 315_360_000,
};
const nameOf = (member: 'interface' | 'environment'): Argument => ({
  name: member,
  words: `an ${member} of the provider`,
  accepts: (value, { pairs }) => pairs.some((pair) => pair[member] === value),
});
const optional = (argument: Argument): Argument => ({ ...argument, isOptional: true });

const status = whole('status', 200, 999);
const ms = whole('ms', 0, 600_000);
const rest = optional(object('rest'));
const where = optional(oneOf('where', 'before-headers', 'mid-body'));

interface Verb {
  /** A choice says which requests. An answer says what they get. `now` acts at once. */
  readonly role: 'choice' | 'answer' | 'now';
  readonly of: readonly Target[];
  readonly takes: readonly Argument[];
  readonly does: string;
}

const verb =
  (role: Verb['role'], ...of: readonly Target[]) =>
  (does: string, ...takes: readonly Argument[]): Verb => ({ role, of, takes, does });
const choice = verb('choice', 'token', 'api');
const answer = verb('answer', 'token', 'api');
const ofToken = verb('answer', 'token');
const nowOfToken = verb('now', 'token');
const ofSimulator = verb('now', 'simulator');

/**
 * Every verb, with its arguments. The keys, the options of the command, the control address and the page all use this table.
 * The names are the methods of `provider.token` and `provider.api`.
 */
const VERBS: Readonly<Record<string, Verb>> = {
  for: choice(
    'only requests to this interface and environment',
    nameOf('interface'),
    optional(nameOf('environment')),
  ),
  next: choice(
    'only the next requests; without it, all requests until reset',
    optional(whole('count', 1, 1_000_000)),
  ),
  after: choice('waits before the answer', ms),
  path: verb('choice', 'api')('only requests to this path under the base URL', text('path')),
  early: verb('choice', 'api')("answers without reading the request's body"),
  regular: answer('the regular answer'),
  delay: answer('the regular answer, after a delay', ms),
  status: answer('a status, by default without a body', status, rest),
  body: answer('a body, by default with status 200', body, rest),
  answer: answer('your own answer', object('answer')),
  retryAfter: answer('an answer with Retry-After, by default with status 503', when, optional(status)),
  redirect: answer('a redirect, by default with status 302', text('location'), optional(status)),
  reset: answer('resets the connection instead of answering', where),
  hangUp: answer('closes the connection instead of answering', where),
  hang: answer('never answers'),
  drip: answer(
    'an endless answer in small steps',
    optional(oneOf('part', 'body', 'headers', 'interim')),
    optional(whole('everyMs', 1, 600_000)),
  ),
  flood: answer('an endless body', rest),
  garbage: answer('bytes that are not HTTP, then closes the connection', optional(text('bytes'))),
  switchProtocols: answer('status 101, although the client did not ask for it', optional(text('protocol'))),
  lifetime: ofToken(
    'tokens with this lifetime in seconds; expiresIn changes what the answer says',
    seconds,
    rest,
  ),
  sameTokenAgain: ofToken("the pair's last token again, valid or not"),
  members: ofToken('the regular answer with these members changed', object('members')),
  refuse: ofToken('an error as in RFC 6749, by default invalid_client', optional(text('error')), rest),
  unauthorized: verb('answer', 'api')('401, although the token is valid'),
  revoke: nowOfToken('revokes this token; the result says whether it was valid', text('token')),
  revokeAll: nowOfToken('revokes all valid tokens, or those of the pair in for; the result is their number'),
};

/** The verbs of the simulator itself. Here `reset` is `provider.reset()`. */
const OF_SIMULATOR: Readonly<Record<string, Verb>> = {
  reset: ofSimulator('removes all faults; tokens stay valid'),
  takeBack: ofSimulator(
    'removes one fault; the result says whether it still waited',
    whole('id', 1, Number.MAX_SAFE_INTEGER),
  ),
  newSession: ofSimulator('starts over: removes faults, counts and requests; tokens stay valid'),
};

interface VerbDescription {
  readonly verb: string;
  readonly role: Verb['role'];
  /** What to write as the value. `true` if the verb takes nothing. */
  readonly value: string;
  readonly does: string;
}

/** The table for people and for programs. */
export function describeVerbs(target: Target): readonly VerbDescription[] {
  return [...verbsOf(target)].map(([verb, { role, takes, does }]) => {
    const texts = takes.map(
      ({ name, words, isOptional }) => `${name}: ${words}${isOptional ? ' (optional)' : ''}`,
    );
    const value = takes.length > 1 ? `[${texts.join(', ')}]` : (texts[0] ?? 'true');
    return { verb, role, value, does };
  });
}

/** A chain as code: `token.for("easy").next(2).status(503)`. Objects, long texts and the token of `revoke` are left out (S10). */
export function codeOf(target: Target, chain: Chain): string {
  const names = [...verbsOf(target).keys()];
  const calls = Object.entries(chain)
    .toSorted(([one], [other]) => names.indexOf(one) - names.indexOf(other))
    .map(([name, value]) => {
      const values = name === 'revoke' ? '…' : argumentsOf(value).map(shown).join(', ');
      return `${name}(${values})`;
    });
  return [target, ...calls].join('.');
}

function shown(value: unknown): string {
  if (isObject(value)) return '{…}';
  return typeof value === 'string' && value.length > 40 ? '"…"' : JSON.stringify(value);
}

/**
 * Runs a chain: first its choices, then its one answer or action. Returns what the action returns. `simulator` has the methods of
 * that target.
 */
export function runChain(
  provider: ProviderSimulator,
  target: Target,
  chain: unknown,
  simulator: object = provider,
): unknown {
  if (!isRecord(chain))
    throw new ChainError(
      `The body must be one JSON object of at most ${LARGEST_CHAIN / 1024} KiB, for example {"next":1,"status":503}.`,
    );
  const verbs = verbsOf(target);
  const given = Object.entries(chain).map(([name, value]) => {
    const verb = verbs.get(name);
    if (verb === undefined) throw new ChainError(unknownVerb(name, target, [...verbs.keys()]));
    const values = argumentsOf(value);
    checkArguments(name, verb, values, provider);
    return { name, role: verb.role, values };
  });
  const choices = given.filter(({ role }) => role === 'choice');
  const [action, ...others] = given.filter(({ role }) => role !== 'choice');
  if (action === undefined || others.length > 0)
    throw new ChainError(
      `Name exactly one answer or action for ${target}, for example "${target === 'simulator' ? 'reset' : 'status'}".`,
    );
  const useless = choices.find(({ name }) => name !== 'for');
  if (action.role === 'now' && useless !== undefined)
    throw new ChainError(`"${action.name}" acts at once. Leave out "${useless.name}".`);
  let scripts: unknown = target === 'simulator' ? simulator : provider[target];
  for (const { name, values } of [...choices, action]) scripts = call(scripts, name, values);
  return scripts;
}

function verbsOf(target: Target): ReadonlyMap<string, Verb> {
  const table = target === 'simulator' ? OF_SIMULATOR : VERBS;
  return new Map(Object.entries(table).filter(([, { of }]) => of.includes(target)));
}

function unknownVerb(name: string, target: Target, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const shown = /^\w{1,40}$/.test(name) ? ` "${name}"` : '';
  const hint = nearest === undefined ? 'GET this address to list the verbs.' : `Did you mean "${nearest}"?`;
  return `There is no verb${shown} for ${target}. ${hint}`;
}

function argumentsOf(value: unknown): readonly unknown[] {
  if (value === true) return [];
  return Array.isArray(value) ? value : [value];
}

function checkArguments(
  name: string,
  { takes }: Verb,
  values: readonly unknown[],
  provider: ProviderSimulator,
): void {
  if (values.length > takes.length)
    throw new ChainError(
      `"${name}" takes ${takes.length === 0 ? 'no value: write true' : `at most ${takes.length}`}.`,
    );
  const missing = takes.slice(values.length).filter(({ isOptional }) => !isOptional);
  if (missing.length > 0)
    throw new ChainError(`"${name}" needs ${missing.map((argument) => argument.name).join(', ')}.`);
  for (const [index, argument] of takes.slice(0, values.length).entries())
    if (!argument.accepts(values[index], provider))
      throw new ChainError(`"${name}": ${argument.name} must be ${argument.words}.`);
}

function call(scripts: unknown, name: string, values: readonly unknown[]): unknown {
  const method: unknown = isObject(scripts) ? Reflect.get(scripts, name) : undefined;
  if (typeof method !== 'function') throw new ChainError(`"${name}" cannot be used here.`);
  return Reflect.apply(method, scripts, values);
}
