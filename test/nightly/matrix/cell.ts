import { isDeepStrictEqual } from 'node:util';
import { manifest } from '../../support/package/packed-package.js';
import type { CommandResult } from '../../support/run/run-command.js';
import { expectedReport } from './expected-report.js';
import type { NodeRow } from './node-versions.js';
import type { ModuleKind, WholeWayApp } from './whole-way-app.js';

export interface Cell {
  readonly row: NodeRow;
  readonly kind: ModuleKind;
  readonly app: WholeWayApp;
}

export interface Outcome {
  /** Undefined if the cell passed. A cell that could not run has trouble, too. */
  readonly trouble: string | undefined;
  /** Warnings of Node, npm and the compiler. */
  readonly notes: readonly string[];
}

export async function outcomeOf(cell: Cell): Promise<Outcome> {
  const { row, kind, app } = cell;
  if (row.binary === undefined)
    return { trouble: 'was not run: this Node is not available here.', notes: [] };
  const unready = app.troubleOf(kind);
  if (unready !== undefined) return { trouble: `was not run: ${unready}`, notes: [] };
  const result = await app.run(row.binary, kind);
  const engineNotes = await app.engineNotes(row.binary);
  const unwanted = engineNotes.find((note) => note.includes(`${manifest.name}@`));
  return {
    trouble: unwanted ?? troubleIn(result, expectedReport(cell)),
    notes: [...app.compileNotes(kind), ...engineNotes, ...remarksIn(result)],
  };
}

function troubleIn({ code, stdout, output }: CommandResult, expected: object): string | undefined {
  if (code !== 0) return `ended with ${code}:\n${output}`;
  const report = parsed(stdout);
  if (report === undefined) return `gave no report:\n${output}`;
  const parts = new Set([...Object.keys(expected), ...Object.keys(report)]);
  const wrong = [...parts].filter(
    (part) => !isDeepStrictEqual(Reflect.get(report, part), Reflect.get(expected, part)),
  );
  if (wrong.length === 0) return undefined;
  return wrong.map((part) => `${part}: ${JSON.stringify(Reflect.get(report, part))}`).join('\n');
}

function parsed(text: string): object | undefined {
  try {
    const report: unknown = JSON.parse(text);
    return typeof report === 'object' && report !== null ? report : undefined;
  } catch {
    return undefined;
  }
}

/** The lines that a process wrote besides its report, without process ids and paths, which differ in each run. */
function remarksIn({ stdout, output }: CommandResult): string[] {
  const lines = output.slice(stdout.length).split('\n');
  const remarks = lines.map((line) =>
    line.replace(/^\(node:\d+\) /, '').replace(/\/\S*\/(node_modules|ESM|CommonJS)\//g, ''),
  );
  return remarks.filter((line) => line.trim() !== '' && !line.startsWith('(Use `node --trace'));
}
