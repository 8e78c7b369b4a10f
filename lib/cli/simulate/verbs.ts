import { validateHeaderName, validateHeaderValue } from 'node:http';
import { nearestName } from '../../config/rules/names.js';
import type { ProviderSimulator } from '../../testing/index.js';
import { isObject, isRecord } from '../../values/is-object.js';
import { safely } from '../../values/safely.js';

/** What a chain of verbs acts on: `provider.token`, `provider.api`, or the simulator itself. */
export const TARGETS = ['token', 'api', 'simulator'] as const;

export type Target = (typeof TARGETS)[number];

/** A chain of verbs as JSON, for example `{ "for": ["easy", "sandbox"], "next": 2, "status": 503 }`. */
export type Chain = Readonly<Record<string, unknown>>;

/** In bytes. A chain of verbs is short. */
export const LARGEST_CHAIN = 64 * 1024;

/** A chain that cannot run. The message says what to change. */
export class ChainError extends Error {}

interface Kind {
  readonly words: string;
  accepts(value: unknown, provider: ProviderSimulator): boolean;
}

const whole = (from: number, to: number): Kind => ({
  words: `a whole number from ${from} to ${to}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
});

const oneOf = (...values: readonly string[]): Kind => ({
  words: values.map((value) => `"${value}"`).join(' or '),
  accepts: (value) => typeof value === 'string' && values.includes(value),
});

const TEXT: Kind = { words: 'a text', accepts: (value) => typeof value === 'string' };
/** As for a header's value, Node throws for any other text. */
const REASON: Kind = {
  words: 'a text of Latin-1 characters without control characters',
  accepts: (value) => typeof value === 'string' && isHeader('reason', value),
};
const OBJECT: Kind = { words: 'an object', accepts: isRecord };
const TEXT_OR_OBJECT: Kind = {
  words: 'a text or an object',
  accepts: (value) => typeof value === 'string' || isRecord(value),
};
const MILLISECONDS = whole(0, 600_000);
const STATUS = whole(200, 999);
const SECONDS: Kind = {
  words: 'a number of seconds above 0, at most 10 years',
  accepts: (value) => typeof value === 'number' && value > 0 && value <= 315_360_000,
};
const NUMBER: Kind = { words: 'a number', accepts: (value) => typeof value === 'number' };
const HEADER_VALUE: Kind = {
  words: 'a number of seconds, or a text of Latin-1 characters without control characters',
  accepts: (value) => isHeader('retry-after', value),
};
const BREAK_POINT = oneOf('before-headers', 'mid-body');
const HEADERS: Kind = {
  words: 'an object of header names and values',
  accepts: (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, text]) =>
      (Array.isArray(text) ? text : [text]).every((one) => isHeader(name, one)),
    ),
};

/** An object whose members are checked one by one, and no other members. */
function members(kinds: Readonly<Record<string, Kind>>): Kind {
  const known = new Map(Object.entries(kinds));
  return {
    words: `an object with ${[...known.keys()].join(', ')}`,
    accepts: (value, provider) =>
      isRecord(value) &&
      Object.entries(value).every(([name, member]) => known.get(name)?.accepts(member, provider) ?? false),
  };
}

const nameOf = (member: 'interface' | 'environment'): Kind => ({
  words: `an ${member} of the provider`,
  accepts: (value, { pairs }) => pairs.some((pair) => pair[member] === value),
});

interface Parameter {
  readonly name: string;
  readonly kind: Kind;
  readonly optional?: true;
}

const one = (name: string, kind: Kind): Parameter => ({ name, kind });
const optional = (name: string, kind: Kind): Parameter => ({ name, kind, optional: true });

interface Verb {
  /** A choice says which requests. An answer says what they get. `now` acts at once. */
  readonly role: 'choice' | 'answer' | 'now';
  readonly of: readonly Target[];
  readonly takes: readonly Parameter[];
  readonly does: string;
}

/** A verb with this role. `does` is its text for people. */
const verb =
  (role: Verb['role']) =>
  (of: readonly Target[], does: string, ...takes: readonly Parameter[]): Verb => ({ role, of, takes, does });
const choice = verb('choice');
const answer = verb('answer');
const now = verb('now');

const REQUESTS: readonly Target[] = ['token', 'api'];
const HEAD = { status: STATUS, reason: REASON, headers: HEADERS };

/** Further members of an answer. */
const rest = (kinds: Readonly<Record<string, Kind>>): Parameter => optional('rest', members(kinds));

/**
 * Every verb, with its arguments. The keys, the options of the command, the control address and the page all use this table.
 * The names are the methods of `provider.token` and `provider.api`.
 */
const VERBS: Readonly<Record<string, Verb>> = {
  for: choice(
    REQUESTS,
    'only requests to this interface and environment',
    one('interface', nameOf('interface')),
    optional('environment', nameOf('environment')),
  ),
  next: choice(
    REQUESTS,
    'only the next requests; without it, all requests until reset',
    optional('count', whole(1, 1_000_000)),
  ),
  after: choice(REQUESTS, 'waits before the answer', one('ms', MILLISECONDS)),
  path: choice(['api'], 'only requests to this path under the base URL', one('path', TEXT)),
  early: choice(['api'], "answers without reading the request's body"),
  regular: answer(REQUESTS, 'the regular answer'),
  delay: answer(REQUESTS, 'the regular answer, after a delay', one('ms', MILLISECONDS)),
  status: answer(
    REQUESTS,
    'a status, by default without a body',
    one('status', STATUS),
    rest({ reason: REASON, headers: HEADERS, body: TEXT_OR_OBJECT }),
  ),
  body: answer(REQUESTS, 'a body, by default with status 200', one('body', TEXT_OR_OBJECT), rest(HEAD)),
  answer: answer(REQUESTS, 'your own answer', one('answer', members({ ...HEAD, body: TEXT_OR_OBJECT }))),
  retryAfter: answer(
    REQUESTS,
    'an answer with Retry-After, by default with status 503',
    one('when', HEADER_VALUE),
    optional('status', STATUS),
  ),
  redirect: answer(
    REQUESTS,
    'a redirect, by default with status 302',
    one('location', HEADER_VALUE),
    optional('status', STATUS),
  ),
  reset: answer(REQUESTS, 'resets the connection instead of answering', optional('where', BREAK_POINT)),
  hangUp: answer(REQUESTS, 'closes the connection instead of answering', optional('where', BREAK_POINT)),
  hang: answer(REQUESTS, 'never answers'),
  drip: answer(
    REQUESTS,
    'an endless answer in small steps',
    optional('part', oneOf('body', 'headers', 'interim')),
    optional('everyMs', whole(1, 600_000)),
  ),
  flood: answer(REQUESTS, 'an endless body', rest({ status: STATUS, headers: HEADERS })),
  garbage: answer(REQUESTS, 'bytes that are not HTTP, then closes the connection', optional('bytes', TEXT)),
  switchProtocols: answer(
    REQUESTS,
    'status 101, although the client did not ask for it',
    optional('protocol', HEADER_VALUE),
  ),
  lifetime: answer(
    ['token'],
    'tokens with this lifetime in seconds; expiresIn changes what the answer says',
    one('seconds', SECONDS),
    rest({ expiresIn: NUMBER }),
  ),
  sameTokenAgain: answer(['token'], "the pair's last token again, valid or not"),
  members: answer(['token'], 'the regular answer with these members changed', one('members', OBJECT)),
  refuse: answer(
    ['token'],
    'an error as in RFC 6749, by default invalid_client',
    optional('error', TEXT),
    rest({ status: STATUS, description: TEXT }),
  ),
  unauthorized: answer(['api'], '401, although the token is valid'),
  revoke: now(['token'], 'revokes this token; the result says whether it was valid', one('token', TEXT)),
  revokeAll: now(
    ['token'],
    'revokes all valid tokens, or those of the pair in for; the result is their number',
  ),
};

/** The verbs of the simulator itself. Here `reset` is `provider.reset()`. */
const OF_SIMULATOR: Readonly<Record<string, Verb>> = {
  reset: now(['simulator'], 'removes all faults; tokens stay valid'),
  takeBack: now(
    ['simulator'],
    'removes one fault; the result says whether it still waited',
    one('id', whole(1, Number.MAX_SAFE_INTEGER)),
  ),
  newSession: now(['simulator'], 'starts over: removes faults, counts and requests; tokens stay valid'),
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
      ({ name, kind, optional: left }) => `${name}: ${kind.words}${left ? ' (optional)' : ''}`,
    );
    const value = takes.length === 0 ? 'true' : takes.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
    return { verb, role, value: value ?? '', does };
  });
}

/** A chain as code: `token.for("easy").next(2).status(503)`. */
export function codeOf(target: Target, chain: Chain): string {
  return [target, ...callsOf(target, chain).map(([name, values]) => `${name}(${values})`)].join('.');
}

/** The verbs of a chain in order, each with its arguments as code. */
export function callsOf(target: Target, chain: Chain): readonly (readonly [name: string, values: string])[] {
  const names = [...verbsOf(target).keys()];
  const ordered = Object.entries(chain).toSorted(
    ([one], [other]) => names.indexOf(one) - names.indexOf(other),
  );
  return ordered.map(([name, value]) => {
    // The value of `revoke` is a token.
    return [name, name === 'revoke' ? '…' : argumentsOf(value).map(shown).join(', ')];
  });
}

/** A chain as a line of a test, or as a comment if no method of `ProviderSimulator` does the same. */
export function lineOf(target: Target, chain: Chain): string {
  const code = codeOf(target, chain);
  if (target === 'simulator')
    return 'takeBack' in chain ? `// ${code}: no line of a test does this` : 'provider.reset();';
  return code.includes('…')
    ? `// provider.${code}: fill in what the page does not show`
    : `provider.${code};`;
}

/** Objects and long texts are left out, because each place that shows a chain is short. */
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
    return { name, role: verb.role, values: checkedArguments(name, verb, value, provider) };
  });
  const actions = given.filter(({ role }) => role !== 'choice');
  const [action] = actions;
  if (action === undefined || actions.length > 1)
    throw new ChainError(
      `Name exactly one answer or action for ${target}, for example "${target === 'simulator' ? 'reset' : 'status'}".`,
    );
  const choices = given.filter(({ role }) => role === 'choice');
  const useless = choices.find(({ name }) => name !== 'for');
  if (action.role === 'now' && useless !== undefined)
    throw new ChainError(`"${action.name}" acts at once. Leave out "${useless.name}".`);
  let scripts: unknown = target === 'simulator' ? simulator : provider[target];
  for (const { name, values } of choices) scripts = call(scripts, name, values);
  return call(scripts, action.name, action.values);
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

function checkedArguments(
  name: string,
  { takes }: Verb,
  value: unknown,
  provider: ProviderSimulator,
): readonly unknown[] {
  const values = argumentsOf(value);
  const required = takes.filter(({ optional: left }) => !left);
  if (values.length > takes.length)
    throw new ChainError(
      `"${name}" takes ${takes.length === 0 ? 'no value: write true' : `at most ${takes.length}`}.`,
    );
  if (values.length < required.length)
    throw new ChainError(`"${name}" needs ${required.map((parameter) => parameter.name).join(', ')}.`);
  for (const [index, parameter] of takes.entries()) {
    if (index < values.length && !parameter.kind.accepts(values[index], provider))
      throw new ChainError(`"${name}": ${parameter.name} must be ${parameter.kind.words}.`);
  }
  return values;
}

function call(scripts: unknown, name: string, values: readonly unknown[]): unknown {
  const method: unknown = isObject(scripts) ? Reflect.get(scripts, name) : undefined;
  if (typeof method !== 'function') throw new ChainError(`"${name}" cannot be used here.`);
  return Reflect.apply(method, scripts, values);
}

function isHeader(name: string, value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  return safely(() => {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
    return true;
  }, false);
}
