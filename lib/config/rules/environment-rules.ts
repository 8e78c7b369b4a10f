import { PROVIDER_ENVIRONMENTS, type ProviderEnvironment } from '../../catalogue/provider-catalogue.js';
import { nearestName } from './nearest-name.js';
import { type Flaw, kindOf } from './text-rules.js';

const CHOICES = PROVIDER_ENVIRONMENTS.join(' or ');

/** Checks the name of an environment: sandbox or production. */
export function flawOfEnvironment(value: unknown): Flaw {
  if (value === undefined || value === '') return `is missing. Set it to ${CHOICES}.`;
  if (isEnvironment(value)) return undefined;
  if (typeof value !== 'string') return `must be ${CHOICES}, not ${kindOf(value)}.`;
  const nearest = nearestName(value, PROVIDER_ENVIRONMENTS);
  return `must be ${CHOICES}.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
}

export function isEnvironment(value: unknown): value is ProviderEnvironment {
  return PROVIDER_ENVIRONMENTS.some((environment) => environment === value);
}
