import type { ValidationArguments } from 'class-validator';
import { UNREADABLE } from './object-reader.js';
import type { OptionsNode } from './options-node.js';
import { safely } from '../values/safely.js';
import { revealed } from './secret-sources/secret-sources.js';
import type { Flaw } from './rules/text-rules.js';
import { validator, ValidatorRule } from './validator.js';

/*
 * A form is a class. Its members have rules of class-validator, and their initial values are the defaults. The code below
 * fills forms itself, because class-transformer would copy every value of the options.
 */

/** Hides an object or a function from class-validator, which could read its members. */
export class Given {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  open(): unknown {
    return this.#value;
  }
}

/** A rule with the messages of this package. `flawOf` returns what is wrong, or undefined. */
export function Rule(flawOf: (value: unknown, form: object) => Flaw): PropertyDecorator {
  const flawFor = (given: ValidationArguments | undefined): Flaw =>
    safely(
      () => given && flawOf(opened(given.value), given.object),
      'cannot be inspected: it throws when it is touched. Pass a plain value.',
    );
  return ValidatorRule(({ ValidateBy }) =>
    ValidateBy({
      name: 'rule',
      validator: {
        validate: (_value: unknown, given) => flawFor(given) === undefined,
        defaultMessage: (given) => flawFor(given) ?? 'changed while it was checked. Start again.',
      },
    }),
  );
}

/** The members of a form class that have rules. */
export function membersOf(form: Function): string[] {
  const rules = validator().getMetadataStorage().getTargetValidationMetadatas(form, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

/**
 * Fills a form with options and checks it. The first flaw of each member becomes a problem. A missing member keeps its
 * default. Returns whether the form has no flaw.
 */
export function fillForm(form: object, node: OptionsNode): boolean {
  const members = membersOf(form.constructor);
  const unreadable = members.filter((member) => node.read(member) === UNREADABLE);
  for (const member of members) {
    const value = node.read(member);
    if (value !== undefined) Reflect.set(form, member, closed(value));
  }
  const flaws = validator().validateSync(form);
  // An error of class-validator contains the values (S10). Only the name of the member and our own message are used.
  for (const { property, constraints = {} } of flaws) {
    const [message] = Object.values(constraints);
    if (message !== undefined && !unreadable.includes(property)) node.refuse(property, message);
  }
  return flaws.length === 0;
}

/** Opens a `Secret`, and hides every other object or function in a `Given`. */
function closed(value: unknown): unknown {
  if (typeof value !== 'object' && typeof value !== 'function') return value;
  const text = safely(() => revealed(value), undefined);
  return typeof text === 'string' ? text : new Given(value);
}

function opened(value: unknown): unknown {
  return value instanceof Given ? value.open() : value;
}
