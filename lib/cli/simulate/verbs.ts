import { nearestName } from '../../config/rules/names.js';
import type { ProviderSimulator } from '../../testing/index.js';
import { isObject, isRecord } from '../../values/objects.js';

/** What a chain of verbs acts on: `provider.token`, `provider.api`, or the simulator itself. */
export const TARGETS = ['token', 'api', 'simulator'] as const;

export type Target = (typeof TARGETS)[number];

/** A chain of verbs as JSON, for example `{ "for": ["easy", "sandbox"], "next": 2, "status": 503 }`. */
export type Chain = Readonly<Record<string, unknown>>;

export class ChainError extends Error {}

/** A choice says which requests. An answer says what they get. `now` acts at once. */
type Role = 'choice' | 'answer' | 'now';

/**
 * A verb, what it takes for example, and what it does. Everything in an answer except its status is checked when it is sent: the answer
 * then names the mistake.
 */
type Verbs = Readonly<Record<string, readonly [role: Role, takes: unknown, does: string]>>;

const OF_BOTH: Verbs = {
  for: ['choice', ['easy', 'sandbox'], 'only requests to this interface and environment'],
  next: ['choice', 2, 'only the next requests; without it, all requests until reset'],
  after: ['choice', 500, 'waits before the answer'],
};
const OF_API: Verbs = {
  path: ['choice', '/payments/1', 'only requests to this path under the base URL'],
  early: ['choice', true, "answers without reading the request's body"],
  unauthorized: ['answer', true, '401, although the token is valid'],
};
const ANSWERS: Verbs = {
  regular: ['answer', true, 'the regular answer'],
  delay: ['answer', 500, 'the regular answer, after a delay'],
  status: ['answer', [503, { body: 'later' }], 'a status, by default without a body'],
  body: ['answer', [{ paid: true }, { status: 201 }], 'a body, by default with status 200'],
  answer: ['answer', { status: 418, headers: { 'x-mood': 'tea' } }, 'your own answer'],
  retryAfter: ['answer', [2, 429], 'an answer with Retry-After, by default with status 503'],
  redirect: ['answer', ['/elsewhere', 307], 'a redirect, by default with status 302'],
  reset: ['answer', 'mid-body', 'resets the connection instead of answering'],
  hangUp: ['answer', 'mid-body', 'closes the connection instead of answering'],
  hang: ['answer', true, 'never answers'],
  garbage: ['answer', true, 'bytes that are not HTTP, then closes the connection'],
};
const OF_TOKEN: Verbs = {
  lifetime: [
    'answer',
    [5, { expiresIn: 3600 }],
    'tokens with this lifetime in seconds; expiresIn changes what the answer says',
  ],
  members: ['answer', { expires_in: 'soon' }, 'the regular answer with these members changed'],
  refuse: ['answer', 'invalid_client', 'an error as in RFC 6749, by default invalid_client'],
  revoke: ['now', 'eyJ…', 'revokes this token; the result says whether it was valid'],
  revokeAll: [
    'now',
    true,
    'revokes all valid tokens, or those of the pair in for; the result is their number',
  ],
};

/**
 * Every verb. The keys, the options of the command, the control address and the page all use these tables. The names are methods of
 * `provider.token` and `provider.api`. Here `reset` of the simulator is `provider.reset()`.
 */
const VERBS: Readonly<Record<Target, Verbs>> = {
  token: { ...OF_BOTH, ...ANSWERS, ...OF_TOKEN },
  api: { ...OF_BOTH, ...OF_API, ...ANSWERS },
  simulator: {
    reset: ['now', true, 'removes all faults; tokens stay valid'],
    takeBack: ['now', 7, 'removes one fault; the result says whether it still waited'],
    newSession: ['now', true, 'starts over: removes faults, counts and requests; tokens stay valid'],
  },
};

/** The table for people and for programs. `example` is what to write: `true` if the verb takes nothing, a list if it takes several values. */
export function describeVerbs(target: Target) {
  return Object.entries(VERBS[target]).map(([verb, [role, example, does]]) => ({
    verb,
    role,
    example,
    does,
  }));
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
  simulator: object,
): unknown {
  if (!isRecord(chain))
    throw new ChainError('The body must be one JSON object, for example {"next":1,"status":503}.');
  const given = Object.entries(chain).map(([name, value]) => {
    if (!Object.hasOwn(VERBS[target], name)) throw new ChainError(unknownVerb(name, target));
    const [role = 'answer'] = VERBS[target][name] ?? [];
    const values = valuesOf(value);
    const wanted = wantedBy(name, values, provider);
    if (wanted !== undefined) throw new ChainError(`"${name}" takes ${wanted}.`);
    return { name, role, values };
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

/** What a verb takes, if it has something else that would not be noticed, or not in time. */
function wantedBy(
  verb: string,
  [first, second]: readonly unknown[],
  { simulation }: ProviderSimulator,
): string | undefined {
  const isFrom = (from: number, to: number): boolean =>
    Number.isInteger(first) && Number(first) >= from && Number(first) <= to;
  const isPair = simulation.catalogue.pairs.some(
    (pair) => pair.interface === first && (second === undefined || pair.environment === second),
  );
  if (verb === 'for' && !isPair) return 'an interface of the provider, and an environment of it if you like';
  if (verb === 'next' && first !== undefined && !(Number(first) >= 1)) return 'a number from 1 on';
  // Compared with the path of each request, where nothing catches an error.
  if (verb === 'path' && typeof first !== 'string') return 'a text, for example "/payments/1"';
  // A timer of Node that is set to more than 24 days ends at once.
  if ((verb === 'after' || verb === 'delay') && !isFrom(0, 600_000)) return 'a whole number from 0 to 600000';
  return verb === 'status' && !isFrom(100, 999) ? 'a whole number from 100 to 999' : undefined;
}

function call(scripts: unknown, name: string, values: readonly unknown[]): unknown {
  try {
    return (scripts as Record<string, (...given: readonly unknown[]) => unknown>)[name]?.(...values);
  } catch (error) {
    throw new ChainError(
      `"${name}" cannot take this: ${error instanceof Error ? error.message : 'it throws'}`,
    );
  }
}
