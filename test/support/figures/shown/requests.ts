import { barChart } from '../chart.js';
import type { FigureFile } from '../figure-file.js';
import { paragraph, table } from '../markdown.js';
import type { Shown } from './shown.js';

/** The medians of one number of callers. The ratios are to the client that the row is compared with. */
export interface AtCallers {
  readonly callers: number;
  readonly rate: number;
  readonly ratio: number;
  readonly cpuUs: number;
  readonly cpuRatio: number;
}

export interface RequestRow {
  readonly protocol: 'h1' | 'h2';
  readonly client: string;
  readonly against: string;
  readonly at: readonly AtCallers[];
}

export interface RequestFigures {
  readonly runs: number;
  readonly rounds: number;
  readonly sliceMs: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly rows: readonly RequestRow[];
}

export interface Goal {
  readonly rule: string;
  readonly protocol: 'h1' | 'h2';
  readonly client: string;
  /** The least ratio of the requests per second, for each number of callers. */
  readonly least: Readonly<Record<number, number>>;
  /** The greatest ratio of the CPU time, with 32 callers. */
  readonly mostCpu?: number;
}

/** What the rules promise. With interceptors, the promise of B16 is 0.8 of the figures without them. */
export const GOALS: readonly Goal[] = [
  goal('B16', 'axiosRef on undici', [3, 5, 4.5], 0.2),
  goal('B16', 'axiosRef on undici, interceptors', [2.4, 4, 3.6], 0.25),
  goal('B16', 'axiosRef by default', [2, 2.2, 2], 0.35),
  goal('B16', 'axiosRef by default, interceptors', [1.6, 1.76, 1.6], 0.4375),
  { ...goal('B16', 'axiosRef on undici', [1, 2, 2]), protocol: 'h2' },
  goal('B14', 'HttpService by default', [0.97, 0.97, 0.97]),
  goal('B21', 'fetch by default', [1, 1, 1]),
  goal('B21', 'fetch on undici', [1.3, 1.3, 1.3]),
];

function goal(
  rule: string,
  client: string,
  least: readonly [number, number, number],
  mostCpu?: number,
): Goal {
  const [one, many, most] = least;
  const all = { rule, protocol: 'h1' as const, client, least: { 1: one, 32: many, 256: most } };
  return mostCpu === undefined ? all : { ...all, mostCpu };
}

const CALLERS = [1, 32, 256];
const CPU_CALLERS = 32;

export const requests: Shown<RequestFigures> = {
  blocks({ figures }) {
    const { runs, rounds, sliceMs, versions } = figures;
    const several = runs === 1 ? 'One run' : `The median of ${runs} runs`;
    const all = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
    return {
      method: paragraph(
        `${several} with ${rounds} rounds each. In a round, each client sends requests for about ${sliceMs} ms. Versions: ${all.join(', ')}.`,
      ),
      choices: choicesTable(figures),
      goals: goalsTable(figures),
      'http-1': ratiosTable(figures, 'h1'),
      'http-2': ratiosTable(figures, 'h2'),
    };
  },
  charts: (file) => ({ requests: chartOf(file) }),
};

/** The goals that a run did not reach, in words. Goals of rows that were not measured count too. */
export function missedGoals({ rows }: Pick<RequestFigures, 'rows'>): string[] {
  return GOALS.flatMap((goal) => {
    const row = rowOf(rows, goal);
    if (row === undefined) return [`${goal.client}: not measured`];
    const missed = CALLERS.filter((callers) => !((ratioOf(row, callers) ?? 0) >= (goal.least[callers] ?? 0)));
    const isCpuMissed = goal.mostCpu !== undefined && !((cpuOf(row) ?? Infinity) <= goal.mostCpu);
    return [
      ...missed.map((callers) => `${goal.protocol}, ${goal.client}, ${callers} callers: requests per second`),
      ...(isCpuMissed ? [`${goal.protocol}, ${goal.client}: CPU`] : []),
    ];
  });
}

function rowOf(rows: readonly RequestRow[], { protocol, client }: Goal): RequestRow | undefined {
  return rows.find((row) => row.protocol === protocol && row.client === client);
}

/** Requests per second over HTTP/1.1, compared with the client that the row names. */
export function ratioAt({ rows }: RequestFigures, client: string, callers: number): number {
  const row = rows.find((one) => one.protocol === 'h1' && one.client === client);
  return (row && ratioOf(row, callers)) ?? NaN;
}

function ratioOf({ at }: RequestRow, callers: number): number | undefined {
  return at.find((one) => one.callers === callers)?.ratio;
}

function cpuOf({ at }: RequestRow): number | undefined {
  return at.find((one) => one.callers === CPU_CALLERS)?.cpuRatio;
}

function goalsTable({ rows }: RequestFigures): string {
  const lines = GOALS.map((goal) => {
    const row = rowOf(rows, goal);
    const protocol = goal.protocol === 'h2' ? ', HTTP/2' : '';
    const name = `${nameOf(goal.client)}${protocol} (${goal.rule})`;
    if (row === undefined) return [name, ...Array<string>(4).fill('not measured')];
    const rates = CALLERS.map((callers) => atLeastCell(ratioOf(row, callers), goal.least[callers] ?? 0));
    return [name, ...rates, goal.mostCpu === undefined ? '–' : atMostCell(cpuOf(row), goal.mostCpu)];
  });
  return table(['', ...CALLERS.map(callersHead), `CPU, ${CPU_CALLERS} callers`], lines);
}

function atLeastCell(value: number | undefined, least: number): string {
  return value !== undefined && value >= least
    ? `${value.toFixed(2)} of ${least} ✔`
    : `${missedText(value, least)} of ${least} ✘`;
}

function atMostCell(value: number | undefined, most: number): string {
  return value !== undefined && value <= most
    ? `${value.toFixed(2)}, at most ${most} ✔`
    : `${missedText(value, most)}, at most ${most} ✘`;
}

/** With one digit more, if the rounded number would look like the goal. */
function missedText(value: number | undefined, goal: number): string {
  if (value === undefined) return '–';
  return value.toFixed(Number(value.toFixed(2)) === Number(goal.toFixed(2)) ? 3 : 2);
}

function ratiosTable({ rows }: RequestFigures, protocol: RequestRow['protocol']): string {
  const lines = rows
    .filter((row) => row.protocol === protocol)
    .map((row) => [
      nameOf(row.client),
      row.client === row.against ? '–' : nameOf(row.against),
      ...ratiosOf(row),
    ]);
  return table(
    ['client', 'compared with', ...CALLERS.map(callersHead), `CPU, ${CPU_CALLERS} callers`],
    lines,
  );
}

/** What a user chooses between: how to call, and what sends the request. */
const CHOICES = ['axiosRef', 'HttpService', 'fetch'].flatMap((way) => [
  `${way} by default`,
  `${way} on undici`,
]);

function choicesTable({ rows }: RequestFigures): string {
  const shown = CHOICES.flatMap((client) =>
    rows.filter((row) => row.protocol === 'h1' && row.client === client),
  );
  return table(
    ['client', 'compared with', ...CALLERS.map(callersHead), `CPU time, ${CPU_CALLERS} callers`],
    shown.map((row) => [nameOf(row.client), nameOf(row.against), ...ratiosOf(row)]),
  );
}

function ratiosOf(row: RequestRow): string[] {
  return [...CALLERS.map((callers) => ratioOf(row, callers)), cpuOf(row)].map(
    (ratio) => ratio?.toFixed(2) ?? '–',
  );
}

function callersHead(callers: number): string {
  return callers === 1 ? '1 caller' : `${callers} callers`;
}

/** Names of the API and of packages as code. */
function nameOf(client: string): string {
  return client.replace(/^(axiosRef|HttpService|fetch|node:https|@azure\S+)/, '`$1`');
}

/** The clients of the chart: all ways of a GET that are compared with plain axios. */
const IN_CHART = [
  'plain axios',
  '@azure/core-rest-pipeline',
  'axiosRef by default',
  'axiosRef by default, interceptors',
  'node:https',
  'axiosRef on undici',
  'axiosRef on undici, interceptors',
  'HttpService on undici',
  'undici request',
  'undici dispatch',
];

function chartOf({ figures: { rows }, date }: FigureFile<RequestFigures>): string {
  const shown = IN_CHART.flatMap((client) =>
    rows.filter((row) => row.protocol === 'h1' && row.client === client),
  );
  return barChart({
    name: 'requests',
    title: 'Requests per second, compared with plain axios (more is better; ours are marked)',
    description: `Bars for 1, 32 and 256 callers over HTTP/1.1, measured on ${date}. Plain axios has the length 1. ${shown
      .map(
        (row) =>
          `${row.client}: ${CALLERS.map((callers) => ratioOf(row, callers)?.toFixed(2) ?? 'none').join(', ')}.`,
      )
      .join(' ')}`,
    series: CALLERS.map(callersHead),
    rows: shown.map((row) => ({
      label: row.client,
      values: CALLERS.map((callers) => ratioOf(row, callers)),
      isOurs: /^(axiosRef|HttpService|fetch)/.test(row.client),
    })),
    format: (value) => value.toFixed(2),
  });
}
