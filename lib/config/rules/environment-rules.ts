import { nearestName } from './nearest-name.js';
import { type Flaw, kindOf } from './text-rules.js';

/** Checks the name of an environment: sandbox or production. */
export function flawOfEnvironment(value: unknown, environments: readonly string[]): Flaw {
  const choices = environments.join(' or ');
  if (value === undefined || value === '') return `is missing. Set it to ${choices}.`;
  if (isEnvironment(value, environments)) return undefined;
  if (typeof value !== 'string') return `must be ${choices}, not ${kindOf(value)}.`;
  const nearest = nearestName(value, environments);
  return `must be ${choices}.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
}

export function isEnvironment(value: unknown, environments: readonly string[]): value is string {
  return environments.some((environment) => environment === value);
}
