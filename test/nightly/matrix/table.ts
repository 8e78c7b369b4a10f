import type { Cell, Outcome } from './cell.js';
import type { DependencySet } from './dependency-sets.js';

/** A cell of the table with its row, its column and its outcome. */
export type Result = Cell & Outcome;

const shown = (outcome: Outcome | undefined): string =>
  outcome && outcome.trouble === undefined ? '✔' : '✘';

/** A row for each Node and module system, a column for each set of dependencies, and the notes below. */
export function table(results: readonly Result[]): string {
  const notes = [...new Set(results.flatMap((result) => result.notes))];
  const sets = [...new Map(results.map(({ app }) => [app.set.name, app.set])).values()];
  const rows = [...new Set(results.map(rowOf))];
  const lines = rows.map((title) => {
    const cells = sets.map(({ name }) => {
      const result = results.find((found) => rowOf(found) === title && found.app.set.name === name);
      const marks = result?.notes.map((note) => `[${notes.indexOf(note) + 1}]`) ?? [];
      return [shown(result), ...new Set(marks)].join(' ');
    });
    return [title, ...cells];
  });
  const head = ['', ...sets.map(titleOf)];
  const all = [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
  return [
    ...all,
    '',
    ...notes.map((note, index) => `[${index + 1}] ${note}`),
    '',
    ...sets.map((set) => versionsOf(results, set)),
  ].join('\n');
}

export function rowOf({ row, kind }: Cell): string {
  const pair = row.warnsOfUndici8 === true ? ` with undici ${row.undici}` : '';
  return `Node ${row.version}${pair}, ${kind}`;
}

export function titleOf({ dependencies }: DependencySet): string {
  return `NestJS ${dependencies['@nestjs/core']}, axios ${dependencies['axios']}`;
}

/** The versions of one set. A set can have two versions of undici, because Nodes support different ones. */
function versionsOf(results: readonly Result[], { name }: DependencySet): string {
  const sets = results.map(({ app }) => app.set).filter((set) => set.name === name);
  const all = sets.flatMap((set) => Object.entries({ ...set.dependencies, ...set.devDependencies }));
  const names = [...new Set(all.map(([dependency]) => dependency))];
  const versions = names.map((dependency) => {
    const found = all.filter(([other]) => other === dependency).map(([, version]) => version);
    return `${dependency} ${[...new Set(found)].join(' or ')}`;
  });
  return `- ${versions.join(', ')}`;
}
