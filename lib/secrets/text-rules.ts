import { issuerOf } from '../catalogue/catalogue.js';
import { revealed } from './secret.js';
import { isPlaceholder } from './placeholder.js';

/** What is wrong with a value and how to fix it, or undefined. It never contains the value. */
export type Flaw = string | undefined;

/** Thrown while a credential is read. The message is the flaw. @param code of Node, if a file could not be read. */
export class UnusableValue extends Error {
  constructor(
    flaw: string,
    readonly code?: string,
  ) {
    super(flaw);
  }
}

export function refuse(flaw: Flaw): void {
  if (flaw !== undefined) throw new UnusableValue(flaw);
}

/** Says where the value is that `read` finds unusable. */
export function inWords<Result>(words: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnusableValue ? new UnusableValue(`${words} ${error.message}`) : error;
  }
}

/** Includes no-break and zero-width characters, which a value may have after it was copied from a page. */
const EDGE_SPACE = /^[\s\u200b-\u200d\u2060\ufeff]|[\s\u200b-\u200d\u2060\ufeff]$/;

/** Includes half of a surrogate pair, which cannot be percent-encoded (S2). */
const CONTROL = /[\p{Cc}\p{Cs}]/u;

export function flawOfMissing(value: unknown, remedy: string): Flaw {
  if (value === undefined) return `is missing. ${remedy}`;
  if (value === '') return `is empty. ${remedy}`;
  return typeof value === 'string' && value.trim() === ''
    ? `contains nothing but white space. ${remedy}`
    : undefined;
}

/** The checks of every text: its type, that it is not empty, and that it has no invisible characters. */
export function flawOfText(value: unknown, remedy = 'Set it.'): Flaw {
  const flaw = flawOfMissing(value, remedy);
  if (flaw !== undefined) return flaw;
  if (typeof value !== 'string') return `must be a string, not ${kindOf(value)}.`;
  if (EDGE_SPACE.test(value)) return 'has white space or a line break around it. Remove that.';
  if (CONTROL.test(value)) return 'contains a control character. Copy it again, as plain text on one line.';
  return undefined;
}

/** @param provider the provider that gave the credential. Undefined for the built-in provider. */
export function flawOfCredential(value: unknown, remedy?: string, provider?: string): Flaw {
  const flaw = flawOfText(value, remedy);
  if (flaw !== undefined || typeof value !== 'string') return flaw;
  return isPlaceholder(value)
    ? `is still a placeholder. Replace it with the value that ${issuerOf({ provider })} gave you.`
    : undefined;
}

/** The kind of a value. The value itself is never shown. */
export function kindOf(value: unknown): string {
  // A `Secret` of a variable that is not set holds undefined.
  if (revealed(value) === undefined) return 'undefined';
  if (value === null) return 'null';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}

/** Two settings that exclude each other. */
export function flawOfTwo(other: string): string {
  return `is set together with ${other}. Keep only one of them.`;
}
