import { table } from '../markdown.js';
import type { Shown } from './shown.js';

export interface MatrixFigures {
  /** The combinations of dependencies. */
  readonly sets: readonly { readonly name: string; readonly nest: string; readonly axios: string }[];
  readonly rows: readonly {
    readonly node: string;
    /** Named only where it is not the usual one for this Node. */
    readonly undici?: number;
    /** For each combination, the kinds of modules that failed. */
    readonly failed: Readonly<Record<string, readonly string[]>>;
  }[];
}

export const matrix: Shown<MatrixFigures> = {
  blocks: ({ figures: { sets, rows } }) => ({
    cells: table(
      ['', ...sets.map(({ nest, axios }) => `NestJS ${nest}, axios ${axios}`)],
      rows.map(({ node, undici, failed }) => [
        `Node ${node}${undici === undefined ? '' : ` with undici ${undici}`}`,
        ...sets.map(({ name }) => {
          const kinds = failed[name];
          if (kinds === undefined) return 'not run';
          return kinds.length === 0 ? '✔' : `✘ ${kinds.join(', ')}`;
        }),
      ]),
    ),
  }),
};
