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

/** What an argument must be, in words and as a check. What an answer holds is checked when it is sent: the answer then names the mistake. */
type Argument = readonly [words: string, accepts: (value: unknown, provider: ProviderSimulator) => boolean];

const whole = (from: number, to: number): Argument => [
  `a whole number from ${from} to ${to}`,
  (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
];
const oneOf = (...values: readonly unknown[]): Argument => [
  values.map((value) => JSON.stringify(value)).join(' or '),
  (value) => values.includes(value),
];
const nameOf = (member: 'interface' | 'environment'): Argument => [
  `an ${member} of the provider`,
  (value, { pairs }) => pairs.some((pair) => pair[member] === value),
];
const isText = (value: unknown): boolean => typeof value === 'string';
const TEXT: Argument = ['a text', isText];
const OBJECT: Argument = ['an object', isRecord];

/** All arguments of the verbs, by their names. */
const ARGUMENTS: Readonly<Record<string, Argument>> = {
  interface: nameOf('interface'),
  environment: nameOf('environment'),
  count: whole(1, 1_000_000),
  ms: whole(0, 600_000),
  status: whole(200, 999),
  id: whole(1, Number.MAX_SAFE_INTEGER),
  seconds: [
    'a number of seconds above 0, at most 10 years',
    (value) => typeof value === 'number' && value > 0 && value <= 315_360_000,
  ],
  when: ['a number of seconds or a text', (value) => typeof value === 'number' || isText(value)],
  where: oneOf('before-headers', 'mid-body'),
  body: ['a text or an object', (value) => isText(value) || isRecord(value)],
  path: TEXT,
  location: TEXT,
  bytes: TEXT,
  error: TEXT,
  token: TEXT,
  answer: OBJECT,
  members: OBJECT,
  rest: OBJECT,
};

/** A choice says which requests. An answer says what they get. `now` acts at once. */
type Role = 'choice' | 'answer' | 'now';

/** A verb, the names of its arguments, and what it does. An argument with `?` can be left out. */
type Verbs = Readonly<Record<string, readonly [role: Role, takes: string, does: string]>>;

const OF_BOTH: Verbs = {
  for: ['choice', 'interface environment?', 'only requests to this interface and environment'],
  next: ['choice', 'count?', 'only the next requests; without it, all requests until reset'],
  after: ['choice', 'ms', 'waits before the answer'],
};
const OF_API: Verbs = {
  path: ['choice', 'path', 'only requests to this path under the base URL'],
  early: ['choice', '', "answers without reading the request's body"],
  unauthorized: ['answer', '', '401, although the token is valid'],
};
const ANSWERS: Verbs = {
  regular: ['answer', '', 'the regular answer'],
  delay: ['answer', 'ms', 'the regular answer, after a delay'],
  status: ['answer', 'status rest?', 'a status, by default without a body'],
  body: ['answer', 'body rest?', 'a body, by default with status 200'],
  answer: ['answer', 'answer', 'your own answer'],
  retryAfter: ['answer', 'when status?', 'an answer with Retry-After, by default with status 503'],
  redirect: ['answer', 'location status?', 'a redirect, by default with status 302'],
  reset: ['answer', 'where?', 'resets the connection instead of answering'],
  hangUp: ['answer', 'where?', 'closes the connection instead of answering'],
  hang: ['answer', '', 'never answers'],
  garbage: ['answer', 'bytes?', 'bytes that are not HTTP, then closes the connection'],
};
const OF_TOKEN: Verbs = {
  lifetime: [
    'answer',
    'seconds rest?',
    'tokens with this lifetime in seconds; expiresIn changes what the answer says',
  ],
  members: ['answer', 'members', 'the regular answer with these members changed'],
  refuse: ['answer', 'error? rest?', 'an error as in RFC 6749, by default invalid_client'],
  revoke: ['now', 'token', 'revokes this token; the result says whether it was valid'],
  revokeAll: ['now', '', 'revokes all valid tokens, or those of the pair in for; the result is their number'],
};

/**
 * Every verb. The keys, the options of the command, the control address and the page all use these tables. The names are methods of
 * `provider.token` and `provider.api`. Here `reset` of the simulator is `provider.reset()`.
 */
const VERBS: Readonly<Record<Target, Verbs>> = {
  token: { ...OF_BOTH, ...ANSWERS, ...OF_TOKEN },
  api: { ...OF_BOTH, ...OF_API, ...ANSWERS },
  simulator: {
    reset: ['now', '', 'removes all faults; tokens stay valid'],
    takeBack: ['now', 'id', 'removes one fault; the result says whether it still waited'],
    newSession: ['now', '', 'starts over: removes faults, counts and requests; tokens stay valid'],
  },
};

/** The table for people and for programs. `value` is what to write: `true` if the verb takes nothing. */
export function describeVerbs(target: Target) {
  return Object.entries(VERBS[target]).map(([verb, [role, takes, does]]) => {
    const texts = argumentsOf(takes).map(
      ({ name, words, isOptional }) => `${name}: ${words}${isOptional ? ' (optional)' : ''}`,
    );
    const value = texts.length > 1 ? `[${texts.join(', ')}]` : (texts[0] ?? 'true');
    return { verb, role, value, does };
  });
}

/** A chain as code: `token.for("easy").next(2).status(503)`. Objects, long texts and the token of `revoke` are left out (S10). */
export function codeOf(target: Target, chain: Chain): string {
  const names = Object.keys(VERBS[target]);
  const calls = Object.entries(chain)
    .toSorted(([one], [other]) => names.indexOf(one) - names.indexOf(other))
    .map(([name, value]) => {
      const values = name === 'revoke' ? '…' : valuesOf(value).map(shown).join(', ');
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
  const given = Object.entries(chain).map(([name, value]) => {
    if (!Object.hasOwn(VERBS[target], name)) throw new ChainError(unknownVerb(name, target));
    const [role = 'answer', takes = ''] = VERBS[target][name] ?? [];
    checkValues(name, takes, valuesOf(value), provider);
    return { name, role, values: valuesOf(value) };
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

function unknownVerb(name: string, target: Target): string {
  const nearest = nearestName(name, Object.keys(VERBS[target]));
  const shown = /^\w{1,40}$/.test(name) ? ` "${name}"` : '';
  const hint = nearest === undefined ? 'GET this address to list the verbs.' : `Did you mean "${nearest}"?`;
  return `There is no verb${shown} for ${target}. ${hint}`;
}

function valuesOf(value: unknown): readonly unknown[] {
  if (value === true) return [];
  return Array.isArray(value) ? value : [value];
}

function argumentsOf(takes: string) {
  return takes.split(' ').flatMap((text) => {
    const name = text.replace('?', '');
    const [words, accepts] = ARGUMENTS[name] ?? [];
    return words && accepts ? [{ name, words, accepts, isOptional: text.endsWith('?') }] : [];
  });
}

function checkValues(
  name: string,
  takes: string,
  values: readonly unknown[],
  provider: ProviderSimulator,
): void {
  const all = argumentsOf(takes);
  if (values.length > all.length)
    throw new ChainError(
      `"${name}" takes ${all.length === 0 ? 'no value: write true' : `at most ${all.length}`}.`,
    );
  const missing = all.slice(values.length).filter(({ isOptional }) => !isOptional);
  if (missing.length > 0)
    throw new ChainError(`"${name}" needs ${missing.map((argument) => argument.name).join(', ')}.`);
  for (const [index, argument] of all.slice(0, values.length).entries())
    if (!argument.accepts(values[index], provider))
      throw new ChainError(`"${name}": ${argument.name} must be ${argument.words}.`);
}

function call(scripts: unknown, name: string, values: readonly unknown[]): unknown {
  const method: unknown = isObject(scripts) ? Reflect.get(scripts, name) : undefined;
  if (typeof method !== 'function') throw new ChainError(`"${name}" cannot be used here.`);
  return Reflect.apply(method, scripts, values);
}
