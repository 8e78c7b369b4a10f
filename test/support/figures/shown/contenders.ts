import { barChart } from '../chart.js';
import type { FigureFile } from '../figure-file.js';
import { type Cell, keptTable, whole } from '../markdown.js';
import type { Shown } from './shown.js';

/** Token requests of a scenario. */
export interface Counted {
  readonly requests: number;
  readonly failedCalls: number;
  /** False if the client did not end within the time limit. The requests are those sent until then. */
  readonly isDone: boolean;
}

export interface ContenderRow {
  /** With its version, if it is a package. */
  readonly name: string;
  readonly cold?: Counted;
  readonly refused?: Counted;
  readonly spread?: Counted;
  readonly outageRequests?: number;
  /** Null if no call succeeded within 8 s after the outage. */
  readonly recoveryMs?: number | null;
  readonly rollover?: Waits;
}

export interface Waits {
  readonly requests: number;
  readonly failedCalls?: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface ContenderFigures {
  readonly many: number;
  readonly baseline: Waits;
  readonly clients: readonly ContenderRow[];
}

/** Rows of this module have this name, or begin with it. */
const OURS = 'this module';

export const contenders: Shown<ContenderFigures> = {
  blocks({ figures: { many, baseline, clients } }) {
    const counted = countedOnce(clients);
    return {
      requests: keptTable(
        [
          'token requests for',
          `${whole(many)} cold callers`,
          `${whole(many)} calls refused at once`,
          '200 calls refused over 1 s',
          'an outage of 5 s',
          'served again after',
        ],
        counted.map(({ name, cold, refused, spread, outageRequests, recoveryMs }) => [
          name,
          countedCell(cold),
          countedCell(refused),
          countedCell(spread),
          outageRequests,
          recoveryCell(recoveryMs),
        ]),
      ),
      waits: keptTable(
        ['', 'token requests', 'failed calls', 'median', '99th percentile', 'max'],
        [
          ['plain axios with a fixed token', ...waitCells(baseline)],
          ...clients.map(({ name, rollover }) => [name, ...waitCells(rollover)]),
        ],
      ),
    };
  },
  charts: (file) => ({ outage: chartOf(file) }),
};

/** Each client in one way of use. This module is the first. */
export function countedOnce(clients: readonly ContenderRow[]): readonly ContenderRow[] {
  return clients.filter(({ name }) => name === OURS || !name.startsWith(OURS));
}

function countedCell(counted: Counted | undefined): string {
  if (counted === undefined) return 'not reached';
  const { requests, failedCalls, isDone } = counted;
  if (!isDone) return `${whole(requests)} (not done)`;
  return failedCalls > 0 ? `${whole(requests)} (${whole(failedCalls)} failed)` : whole(requests);
}

function recoveryCell(recoveryMs: number | null | undefined): string | undefined {
  if (recoveryMs === undefined) return undefined;
  return recoveryMs === null ? 'not within 8 s' : `${whole(recoveryMs)} ms`;
}

function waitCells(waits: Waits | undefined): (Cell | undefined)[] {
  if (waits === undefined) return [];
  const { requests, failedCalls, p50, p99, max } = waits;
  return [requests, failedCalls, ...[p50, p99, max].map((wait) => `${whole(wait)} ms`)];
}

function chartOf({ figures: { clients }, date }: FigureFile<ContenderFigures>): string {
  const rows = countedOnce(clients)
    .filter(({ outageRequests }) => outageRequests !== undefined)
    .map(({ name, outageRequests = 0 }) => ({
      label: name,
      values: [outageRequests],
      isOurs: name === OURS,
    }));
  return barChart({
    name: 'outage',
    title: 'Token requests in an outage of 5 seconds (fewer is better)',
    description: `Measured on ${date}. ${rows.map(({ label, values }) => `${label}: ${values[0]}.`).join(' ')}`,
    series: ['token requests'],
    rows,
    format: whole,
  });
}
