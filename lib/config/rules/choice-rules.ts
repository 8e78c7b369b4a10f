import { nearestName } from './names.js';
import { type Flaw, kindOf } from '../../secrets/text-rules.js';

export function oneOf(values: readonly unknown[], choices = values.join(' or ')) {
  return (value: unknown): Flaw => (values.includes(value) ? undefined : `must be ${choices}.`);
}

export function listOf(flawOf: (value: unknown) => Flaw) {
  return (value: unknown): Flaw => {
    if (!Array.isArray(value) || value.length === 0) return 'must be a list with one value or more.';
    return value.map(flawOf).find((flaw) => flaw !== undefined);
  };
}

/** One of some words. The message says which word was probably meant. */
export function oneWordOf(words: readonly string[], choices = words.join(' or ')) {
  return (value: unknown): Flaw => {
    if (words.some((word) => word === value)) return undefined;
    if (typeof value !== 'string') return `must be ${choices}, not ${kindOf(value)}.`;
    // A single word is not said twice.
    const nearest = words.length === 1 ? undefined : nearestName(value, words);
    return `must be ${choices}.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
  };
}

export function flawOfEnvironment(value: unknown, environments: readonly string[]): Flaw {
  return value === undefined || value === ''
    ? `is missing. Set it to ${environments.join(' or ')}.`
    : oneWordOf(environments)(value);
}

/** A whole number within bounds. Every violation has the same message. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER, unit = '') {
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`;
  return (value: unknown): Flaw =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `must be a whole number${unit}${range}.`;
}
