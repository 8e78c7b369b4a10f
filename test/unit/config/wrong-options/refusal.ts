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
