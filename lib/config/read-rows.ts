import type { SecretSource } from '../secrets/client-credential.js';
import { revealed } from '../secrets/secret.js';
import { oncePer } from '../values/once-per.js';
import { safely } from '../values/safely.js';
import { OptionsNode, UNREADABLE } from './options-node.js';
import { ProblemList } from './problem-list.js';
import type { Flaw } from './rules/text-rules.js';
import { type SecretKind, sourceOf } from './secret-sources/secret-sources.js';
import { type Need, needOf, type Place, type SettingRows, type ValuesOf } from './table/setting.js';

type Flaws = readonly (readonly [name: string, flaw: string])[];

/**
 * Loaded when options are validated, because it takes longer to load than all other imports together (B14). No file of this
 * package is loaded later: after `jest.resetModules()` it would import second copies of the other files.
 */
let validator: typeof import('class-validator') | undefined;

/** `validateOptions` calls this before any other code calls `readSettings`. */
export async function loadValidator(): Promise<void> {
  validator = await import('class-validator');
}

function loadedValidator() {
  if (validator === undefined) throw new Error('class-validator has not been loaded.');
  return validator;
}

/** class-validator looks up names of members in plain objects. No member of a polluted `Object.prototype` begins like this (B36). */
const PREFIX = 'option ';

/**
 * One object of the options, for class-validator. The rows of the table are the rules of its members, and check their values.
 * It has no values, because class-validator could read what is in them, and its errors contain them (S10).
 */
class OptionShape {
  constructor(readonly flawOf: (name: string) => Flaw) {}
}

/** A class with the rules of these rows. There is one for each object of the table. */
const shapeOf = oncePer((rows: SettingRows) => {
  const Shape = class extends OptionShape {};
  for (const name of Object.keys(rows)) {
    const flawIn = (given?: { object: object }): Flaw =>
      given?.object instanceof OptionShape ? given.object.flawOf(name) : undefined;
    const rule = loadedValidator().ValidateBy({
      name: 'rule',
      validator: {
        validate: (_value, given) => flawIn(given) === undefined,
        defaultMessage: (given) => flawIn(given) ?? 'changed while it was checked. Start again.',
      },
    });
    rule(Shape.prototype, PREFIX + name);
  }
  return Shape;
});

function validated(rows: SettingRows, flawOf: (name: string) => Flaw): Flaws {
  const Shape = shapeOf(rows);
  const { validateSync } = loadedValidator();
  // Only the name of the member and our own message are used.
  return validateSync(new Shape(flawOf)).flatMap(({ property, constraints = {} }) =>
    Object.values(constraints).map((message) => [property.slice(PREFIX.length), message] as const),
  );
}

interface Reading<Rows> {
  /** The values without a flaw, and the defaults. */
  readonly values: ValuesOf<Rows>;
  /** Whether nothing is wrong with any value. */
  readonly isRight: boolean;
}

/**
 * Reads one object of the options. The first flaw of each member becomes a problem, and so does each member that is not known.
 *
 * @param more members that other code reads.
 */
export function readSettings<Rows extends SettingRows>(
  node: OptionsNode,
  rows: Rows,
  place: Place,
  more: readonly string[] = [],
): Reading<Rows> {
  const needIn = (name: string): Need => needOf(rows[name] ?? {}, place);
  const names = Object.keys(rows).filter((name) => needIn(name) !== 'absent');
  const reading = readObject(node, rows, names, (given) =>
    validated(rows, (name) => {
      const value = given.get(name);
      if (value === undefined && needIn(name) !== 'required') return undefined;
      return safely(
        () => rows[name]?.flawOf?.(value, place),
        'cannot be inspected: it throws when it is touched. Pass a plain value.',
      );
    }),
  );
  node.refuseUnknown([...names, ...more], 'an option', (name) =>
    Object.hasOwn(rows, name) ? rows[name]?.refusal?.(place) : undefined,
  );
  return reading;
}

/**
 * Reads one object at once: a definition, or the options of a transport or a store. class-validator is not loaded then (B14),
 * so the rows check the members directly.
 */
export function readAtOnce<Rows extends SettingRows<void>>(node: OptionsNode, rows: Rows): ValuesOf<Rows> {
  return readObject(node, rows, Object.keys(rows), (given) =>
    [...given].flatMap(([name, value]) => {
      const flaw = value === undefined ? undefined : rows[name]?.flawOf?.(value);
      return flaw === undefined ? [] : [[name, flaw] as const];
    }),
  ).values;
}

/** @param flawsIn checks the values of all members that can be read. */
function readObject<Rows extends SettingRows<never>>(
  node: OptionsNode,
  rows: Rows,
  names: readonly string[],
  flawsIn: (given: ReadonlyMap<string, unknown>) => Flaws,
): Reading<Rows> {
  const given = new Map(names.map((name) => [name, plain(node.read(name))]));
  for (const [name, value] of given) if (value === UNREADABLE) given.delete(name);
  for (const [name, flaw] of flawsIn(given)) if (given.delete(name)) node.refuse(name, flaw);
  // Without a prototype: a polluted `Object.prototype` gives no value to a setting that this place does not have (B36).
  const values = Object.create(null) as ValuesOf<Rows>;
  for (const name of names) Reflect.set(values, name, given.get(name) ?? rows[name]?.default);
  return { values, isRight: given.size === names.length };
}

/** Reads an object of names and texts: headers, or the fields of a form. */
export function readTexts(
  node: OptionsNode,
  flawOf: (name: string, value: unknown) => Flaw,
): Readonly<Record<string, string>> {
  const texts = node.keys().flatMap((name) => {
    const value = node.read(name);
    const flaw = value === UNREADABLE ? undefined : flawOf(name, value);
    if (flaw !== undefined) node.refuse(name, flaw);
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.freeze(Object.fromEntries(texts));
}

function plain(value: unknown): unknown {
  const text = safely(() => revealed(value), undefined);
  return typeof text === 'string' ? text : value;
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
  if (typeof source !== 'string') return source;
  node.refuse(member, source);
  return undefined;
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
