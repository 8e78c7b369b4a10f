import { safely } from '../values/safely.js';
import type { OptionsNode } from './options-node.js';
import { readObject, type Reading } from './read-rows.js';
import type { Flaw } from './rules/text-rules.js';
import { needOf, type Place, type Settings } from './table/setting.js';

type Validator = typeof import('class-validator');

/**
 * class-validator is loaded when options are validated, because it takes longer to load than all other imports together
 * (B14). Most tests import only a service and validate nothing. No file of this package is loaded later: after
 * `jest.resetModules()` it would import second copies of the other files.
 */
let validator: Validator | undefined;

/** `validateOptions` calls this before any other code calls `readSettings`. */
export async function loadValidator(): Promise<void> {
  validator = await import('class-validator');
}

/** Hides an object or a function from class-validator, which could read its members. */
class Opaque {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  static of(value: unknown): unknown {
    return typeof value === 'object' || typeof value === 'function' ? new Opaque(value) : value;
  }

  static open(value: unknown): unknown {
    return value instanceof Opaque ? value.#value : value;
  }
}

/** class-validator looks up names of members in plain objects. No member of a polluted `Object.prototype` begins like this (B36). */
const PREFIX = 'option ';

/** One object of the options, for class-validator. Its members are the values, and the rows of the table are its rules. */
class OptionShape {
  readonly #settings: Settings;
  readonly #place: Place;

  constructor(settings: Settings, place: Place) {
    this.#settings = settings;
    this.#place = place;
  }

  flawOf(name: string, value: unknown): Flaw {
    const setting = this.#settings[name];
    const need = setting === undefined ? 'absent' : needOf(setting, this.#place);
    if (need === 'absent' || (value === undefined && need === 'optional')) return undefined;
    return safely(
      () => setting?.flawOf?.(Opaque.open(value), this.#place),
      'cannot be inspected: it throws when it is touched. Pass a plain value.',
    );
  }
}

/** A class with the rules of these rows. There is one for each object of the table. */
const shapes = new Map<Settings, typeof OptionShape>();

function shapeOf(settings: Settings, { ValidateBy }: Validator): typeof OptionShape {
  const known = shapes.get(settings);
  if (known !== undefined) return known;
  class Shape extends OptionShape {}
  for (const name of Object.keys(settings)) {
    const flawOf = (given: { object: object; value: unknown } | undefined): Flaw =>
      given?.object instanceof Shape ? given.object.flawOf(name, given.value) : undefined;
    const rule = ValidateBy({
      name: 'rule',
      validator: {
        validate: (_value: unknown, given) => flawOf(given) === undefined,
        defaultMessage: (given) => flawOf(given) ?? 'changed while it was checked. Start again.',
      },
    });
    rule(Shape.prototype, PREFIX + name);
  }
  shapes.set(settings, Shape);
  return Shape;
}

/**
 * Reads and checks one object of the options. The first flaw of each member becomes a problem, and so does each member that
 * is not known.
 *
 * @param more members that other code reads.
 */
export function readSettings<Rows extends Settings>(
  node: OptionsNode,
  rows: Rows,
  place: Place,
  more: readonly string[] = [],
): Reading<Rows> {
  if (validator === undefined) throw new Error('class-validator has not been loaded.');
  const known = Object.entries<Settings[string]>(rows).filter(
    ([, setting]) => needOf(setting, place) !== 'absent',
  );
  const names = known.map(([name]) => name);
  const { validateSync } = validator;
  const shape = new (shapeOf(rows, validator))(rows, place);
  const reading = readObject(node, rows, names, (given) => {
    for (const [name, value] of given)
      if (value !== undefined) Reflect.set(shape, PREFIX + name, Opaque.of(value));
    // An error of class-validator contains the values (S10). Only the name of the member and our own message are used.
    return validateSync(shape).flatMap(({ property, constraints = {} }) =>
      Object.values(constraints).map((message) => [property.slice(PREFIX.length), message] as const),
    );
  });
  node.refuseUnknown([...names, ...more], (name) =>
    Object.hasOwn(rows, name) ? rows[name]?.refusal?.(place) : undefined,
  );
  return reading;
}
