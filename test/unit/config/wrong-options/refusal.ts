import { inspect } from 'node:util';
import type { Tree } from '../../../support/secrets/config-canaries.js';

export const EASY = 'interfaces.easy.sandbox';
export const ORIGINATIONS = 'interfaces.originations';

/** A change that makes correct options wrong, and the problems that the error must contain. */
export interface Refusal {
  readonly name: string;
  readonly changes: Tree;
  /** `path: words of the message`, in the order of the error. */
  readonly expected: readonly string[];
}

export const refused = (name: string, changes: Tree, ...expected: string[]): Refusal => ({
  name,
  changes,
  expected,
});

/** One wrong value, and words of its problem. */
export const row = (path: string, value: unknown, words: string): Refusal =>
  refused(`${inspect(value)} as ${path}`, { [path]: value }, `${path}: ${words}`);
