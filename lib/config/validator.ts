type Validator = typeof import('class-validator');

/**
 * class-validator is loaded when options are validated, because it takes longer to load than all other imports together
 * (B14). Most tests import only a service and validate nothing. No file of this package is loaded later: after
 * `jest.resetModules()` it would import second copies of the other files.
 */
let loaded: Validator | undefined;

/** The rules of the form classes, until class-validator is loaded. */
const rules: ((validator: Validator) => void)[] = [];

/** `validateOptions` calls this before any other code calls `validator()`. */
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
