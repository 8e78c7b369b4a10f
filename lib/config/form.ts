import type { ValidationArguments } from 'class-validator';
import { UNREADABLE } from './object-reader.js';
import type { OptionsNode } from './options-node.js';
import { safely } from '../values/safely.js';
import { revealed } from './secret-sources/secret-sources.js';
import type { Flaw } from './rules/text-rules.js';
import { validator, ValidatorRule } from './validator.js';

/**
 * Forms are classes whose members carry the rules of class-validator and whose initial values are the defaults. They are
 * filled by hand: class-transformer would copy whatever the options hold.
 */

/** A value that is no plain text, number or boolean, out of the reach of class-validator, which might touch it. */
export class Given {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  open(): unknown {
    return this.#value;
  }
}

/** A rule in the words of this library: `flawOf` tells what is wrong, or undefined. */
export function Rule(flawOf: (value: unknown, form: object) => Flaw): PropertyDecorator {
  const judge = (given: ValidationArguments | undefined): Flaw =>
    safely(
      () => given && flawOf(opened(given.value), given.object),
      'cannot be inspected: it throws when it is touched. Pass a plain value.',
    );
  return ValidatorRule(({ ValidateBy }) =>
    ValidateBy({
      name: 'rule',
      validator: {
        validate: (_value: unknown, given) => judge(given) === undefined,
        defaultMessage: (given) => judge(given) ?? 'changed while it was checked. Start again.',
      },
    }),
  );
}

/** The members that the class has rules for. */
export function membersOf(form: Function): string[] {
  const rules = validator().getMetadataStorage().getTargetValidationMetadatas(form, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

/**
 * Fills the form from the options and checks it; the first flaw of each member becomes a problem. Members that are
 * absent keep their defaults. Tells whether the form is right.
 */
export function fillForm(form: object, node: OptionsNode): boolean {
  const members = membersOf(form.constructor);
  const unreadable = members.filter((member) => node.read(member) === UNREADABLE);
  for (const member of members) {
    const value = node.read(member);
    if (value !== undefined) Reflect.set(form, member, closed(value));
  }
  const flaws = validator().validateSync(form);
  // What class-validator tells is reduced to the member's name and our own sentence.
  for (const { property, constraints = {} } of flaws) {
    const [message] = Object.values(constraints);
    if (message !== undefined && !unreadable.includes(property)) node.refuse(property, message);
  }
  return flaws.length === 0;
}

/** A `Secret` is opened here, once; every other object or function is closed away. */
function closed(value: unknown): unknown {
  if (typeof value !== 'object' && typeof value !== 'function') return value;
  const text = safely(() => revealed(value), undefined);
  return typeof text === 'string' ? text : new Given(value);
}

function opened(value: unknown): unknown {
  return value instanceof Given ? value.open() : value;
}
