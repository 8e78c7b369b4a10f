import { safely } from '../values/safely.js';
import { OptionsNode, UNREADABLE } from './options-node.js';
import { ProblemList } from './problem-list.js';
import { revealed } from '../secrets/secret.js';
import type { SecretSource } from '../secrets/client-credential.js';
import { type SecretKind, sourceOf } from './secret-sources/secret-sources.js';
import type { Setting, Settings, ValuesOf } from './table/setting.js';

/** What an object of the options contains. */
export interface Reading<Rows> {
  /** The values without a flaw, and the defaults. */
  readonly values: ValuesOf<Rows>;
  /** Whether nothing is wrong with any value. */
  readonly isRight: boolean;
}

/**
 * Reads one object by rows of the table. The flaw of each member becomes a problem.
 *
 * @param flawsIn checks the values of all members that can be read.
 */
export function readObject<Rows extends Settings<never>>(
  node: OptionsNode,
  rows: Rows,
  names: readonly string[],
  flawsIn: (values: ReadonlyMap<string, unknown>) => Iterable<readonly [name: string, flaw: string]>,
): Reading<Rows> {
  const given = new Map(names.map((name) => [name, plain(node.read(name))]));
  for (const [name, value] of given) if (value === UNREADABLE) given.delete(name);
  for (const [name, flaw] of flawsIn(given)) if (given.delete(name)) node.refuse(name, flaw);
  // Without a prototype: a polluted `Object.prototype` gives no value to a setting that this place does not have (B36).
  const values = Object.create(null) as ValuesOf<Rows>;
  for (const name of names) Reflect.set(values, name, given.get(name) ?? rows[name]?.default);
  return { values, isRight: given.size === names.length };
}

/** The text of a `Secret`. Any other value stays unchanged. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' && typeof value !== 'function') return value;
  const text = safely(() => revealed(value), undefined);
  return typeof text === 'string' ? text : value;
}

/**
 * Reads one object at once: a definition, or the options of a transport or a store. class-validator is not loaded then (B14),
 * so the rows check the members directly.
 */
export function readAtOnce<Rows extends Settings<void>>(node: OptionsNode, rows: Rows): ValuesOf<Rows> {
  return readObject(node, rows, Object.keys(rows), (given) =>
    Object.entries<Setting<unknown, void>>(rows).flatMap(([name, row]) => {
      const value = given.get(name);
      const flaw = value === undefined ? undefined : row.flawOf?.(value);
      return flaw === undefined ? [] : [[name, flaw] as const];
    }),
  ).values;
}

/** The source of a credential among the members of a node. */
export function readSource(
  node: OptionsNode,
  member: string,
  value: unknown,
  kind: SecretKind,
): SecretSource | undefined {
  if (value === undefined) return undefined;
  const source = sourceOf(node.bound(value), node.placeOf(member), kind);
  if (source === undefined) node.refuse(member, 'changed while it was checked. Start again.');
  return source;
}

/** Reads the options of one function or class. Throws one error with all problems (C4). */
export function readOptions<Values>(
  path: string,
  options: unknown,
  read: (node: OptionsNode) => Values,
): Values {
  const problems = new ProblemList();
  const node = OptionsNode.root(options, problems, { label: path, path });
  const values = node && { of: read(node) };
  if (values === undefined || !problems.isEmpty) throw problems.toError();
  return values.of;
}
