import { table, whole } from '../markdown.js';
import type { Shown } from './shown.js';

/** The counts of one folder. Folders can be tested in different runs, so each has its date. */
export interface MutationRow {
  readonly folder: string;
  readonly date: string;
  /** Missing for runs before the commit was stored. */
  readonly commit?: string;
  readonly mutants: number;
  readonly killed: number;
  readonly timeout: number;
  readonly survived: number;
  readonly uncovered: number;
}

export interface MutationFigures {
  readonly rows: readonly MutationRow[];
}

export function scoreOf({
  mutants,
  killed,
  timeout,
}: Pick<MutationRow, 'mutants' | 'killed' | 'timeout'>): number {
  return (100 * (killed + timeout)) / mutants;
}

export const mutation: Shown<MutationFigures> = {
  blocks: ({ figures: { rows } }) => ({
    scores: table(
      ['folder', 'date', 'commit', 'mutants', 'killed', 'timeout', 'survived', 'no coverage', 'score'],
      rows.map((row) => [
        `\`${row.folder}\``,
        row.date,
        row.commit === undefined ? '–' : `\`${row.commit}\``,
        whole(row.mutants),
        whole(row.killed),
        row.timeout,
        row.survived,
        row.uncovered,
        `${scoreOf(row).toFixed(1)} %`,
      ]),
    ),
  }),
};
