type Validator = typeof import('class-validator');

/**
 * class-validator is loaded when options are validated and not before: it takes longer than all the rest together, and
 * who merely imports a service, as most tests do, validates nothing (B14). By itself, and no module of ours with it: one
 * that came later might find itself beside a second copy of the others, as with `jest.resetModules()`.
 */
let loaded: Validator | undefined;

/** What the classes of the forms have said of their members, until class-validator hears it. */
const rules: ((validator: Validator) => void)[] = [];

/** Comes before anything that asks for `validator()`. */
export async function loadValidator(): Promise<void> {
  loaded = await import('class-validator');
}

export function validator(): Validator {
  if (loaded === undefined) throw new Error('class-validator has not been loaded.');
  for (const rule of rules.splice(0)) rule(loaded);
  return loaded;
}

/** A rule of class-validator on a member of a form. */
export function ValidatorRule(rule: (validator: Validator) => PropertyDecorator): PropertyDecorator {
  return (target, member) => void rules.push((validator) => rule(validator)(target, member));
}
