import { barChart } from '../chart.js';
import type { FigureFile } from '../figure-file.js';
import { paragraph, table } from '../markdown.js';
import type { Shown } from './shown.js';

/** Requests per second, and CPU time for each, divided by those of another client. */
export interface Ratios {
  readonly ratio: number;
  readonly cpuRatio: number;
}

/** The medians of one number of callers. The ratios are to the client that the row is compared with. */
export interface AtCallers extends Ratios {
  readonly callers: number;
  readonly rate: number;
  readonly cpuUs: number;
  readonly ofLimit?: Ratios;
}

export interface RequestRow {
  readonly protocol: 'h1' | 'h2';
  readonly client: string;
  readonly against: string;
  /** The client that shows what is possible, if the row has one. */
  readonly limit?: string;
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
  /** Whether the goal is a part of what is possible. Other goals are ratios to the client that the row is compared with. */
  readonly isOfLimit: boolean;
  /** The least ratio of the requests per second, for each number of callers. */
  readonly least: number;
  /** The greatest ratio of the CPU time, with 32 callers. */
  readonly mostCpu?: number;
}

/** What the rules promise. */
export const GOALS: readonly Goal[] = [
  { ...ofLimit('axiosRef on undici', 0.85), mostCpu: 1.15 },
  ofLimit('axiosRef on undici, interceptors', 0.85),
  ofLimit('axiosRef by default', 0.85),
  ofLimit('axiosRef by default, interceptors', 0.85),
  ofLimit('HttpService on undici', 0.8),
  ofLimit('HttpService by default', 0.8),
  ofLimit('fetch on undici', 0.8),
  { ...ofLimit('axiosRef on undici', 1), protocol: 'h2' },
  ofPlain('B14', 'axiosRef by default', 0.97),
  ofPlain('B14', 'HttpService by default', 0.97),
  ofPlain('B21', 'fetch by default', 1),
  ofPlain('B21', 'fetch on undici', 1.3),
];

function ofLimit(client: string, least: number): Goal {
  return { rule: 'B16', protocol: 'h1', client, isOfLimit: true, least };
}

function ofPlain(rule: string, client: string, least: number): Goal {
  return { rule, protocol: 'h1', client, isOfLimit: false, least };
}

const CALLERS = [1, 32, 256];
const CPU_CALLERS = 32;
const HEAD_FOR_USERS = [
  'client',
  'compared with',
  ...CALLERS.map(callersHead),
  `CPU time, ${CPU_CALLERS} callers`,
];

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
      limits: limitsTable(figures),
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
    const missed = CALLERS.filter((callers) => !((ratiosAt(row, callers, goal)?.ratio ?? 0) >= goal.least));
    const isCpuMissed = goal.mostCpu !== undefined && !((cpuOf(row, goal) ?? Infinity) <= goal.mostCpu);
    return [
      ...missed.map((callers) => `${goal.protocol}, ${goal.client}, ${callers} callers: requests per second`),
      ...(isCpuMissed ? [`${goal.protocol}, ${goal.client}: CPU`] : []),
    ];
  });
}

function rowOf(rows: readonly RequestRow[], { protocol, client }: Pick<Goal, 'protocol' | 'client'>) {
  return rows.find((row) => row.protocol === protocol && row.client === client);
}

/** Requests per second over HTTP/1.1, compared with the client that the row names. */
export function ratioAt({ rows }: RequestFigures, client: string, callers: number): number {
  const row = rowOf(rows, { protocol: 'h1', client });
  return (row && ratiosAt(row, callers)?.ratio) ?? NaN;
}

/** To the client that the row is compared with, or to what is possible. */
type Scale = Pick<Goal, 'isOfLimit'>;
const TO_PLAIN: Scale = { isOfLimit: false };
const TO_LIMIT: Scale = { isOfLimit: true };

function ratiosAt({ at }: RequestRow, callers: number, { isOfLimit } = TO_PLAIN): Ratios | undefined {
  const found = at.find((one) => one.callers === callers);
  return isOfLimit ? found?.ofLimit : found;
}

function cpuOf(row: RequestRow, scale = TO_PLAIN): number | undefined {
  return ratiosAt(row, CPU_CALLERS, scale)?.cpuRatio;
}

function goalsTable({ rows }: RequestFigures): string {
  const lines = GOALS.map((goal) => {
    const row = rowOf(rows, goal);
    const name = `${titleOf(goal)} (${goal.rule})`;
    if (row === undefined) return [name, '', ...Array<string>(4).fill('not measured')];
    const rates = CALLERS.map((callers) => atLeastCell(ratiosAt(row, callers, goal)?.ratio, goal.least));
    const cpu = goal.mostCpu === undefined ? '' : atMostCell(cpuOf(row, goal), goal.mostCpu);
    return [name, nameOf((goal.isOfLimit ? row.limit : row.against) ?? ''), ...rates, cpu];
  });
  return table(['', 'compared with', ...CALLERS.map(callersHead), `CPU, ${CPU_CALLERS} callers`], lines);
}

/** The two ways of a call with the least on top, and what is possible there. */
function limitsTable({ rows }: RequestFigures): string {
  const shown = rows.filter(
    ({ client, limit = '' }) => /^axiosRef (by default|on undici)$/.test(client) && limit !== '',
  );
  return table(
    HEAD_FOR_USERS,
    shown.map((row) => [titleOf(row), nameOf(row.limit ?? ''), ...ratiosOf(row, TO_LIMIT)]),
  );
}

function titleOf({ client, protocol }: Pick<RequestRow, 'client' | 'protocol'>): string {
  return `${nameOf(client)}${protocol === 'h2' ? ', HTTP/2' : ''}`;
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
    HEAD_FOR_USERS,
    shown.map((row) => [nameOf(row.client), nameOf(row.against), ...ratiosOf(row)]),
  );
}

function ratiosOf(row: RequestRow, scale = TO_PLAIN): string[] {
  return [...CALLERS.map((callers) => ratiosAt(row, callers, scale)?.ratio), cpuOf(row, scale)].map(
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
          `${row.client}: ${CALLERS.map((callers) => ratiosAt(row, callers)?.ratio.toFixed(2) ?? 'none').join(', ')}.`,
      )
      .join(' ')}`,
    series: CALLERS.map(callersHead),
    rows: shown.map((row) => ({
      label: row.client,
      values: CALLERS.map((callers) => ratiosAt(row, callers)?.ratio),
      isOurs: /^(axiosRef|HttpService|fetch)/.test(row.client),
    })),
    format: (value) => value.toFixed(2),
  });
}
