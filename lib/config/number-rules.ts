import { ValidatorRule } from './validator.js';

/** Ten minutes. A longer timeout is probably a wrong unit. */
export const LONGEST_TIMEOUT_MS = 600_000;

/** A whole number within bounds. Every violation has the same message. */
export function WholeNumber(least: number, most: number, unit = ''): PropertyDecorator {
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`;
  const message = `must be a whole number${unit}${range}.`;
  return ValidatorRule(({ IsInt, Max, Min }) => (target, member) => {
    for (const rule of [IsInt({ message }), Min(least, { message }), Max(most, { message })])
      rule(target, member);
  });
}
