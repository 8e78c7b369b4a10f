import { Logger } from '@nestjs/common';
import { AXIOS_VERSION } from '../../../lib/wire/wire-request.js';
import { sidesAgainst } from './builds.js';
import type { TransportName } from './clients.js';
import { runFetchPairs } from './fetch-pairs.js';
import { report, runPairs } from './pair-runner.js';
import { numberClassesByShape } from './portrait.js';

/** The calls of two builds with one transport and one axios. */
export interface BuildRow {
  readonly transport: string;
  readonly axios: string;
  /** Calls of axios or `HttpService`. */
  readonly pairs: number;
  readonly fetchPairs: number;
  readonly differences: number;
}

export interface BuildsComparison {
  /** The folder of the other build. */
  readonly against: string;
  /** For each transport, calls of axios or `HttpService`. */
  readonly pairs: number;
  /** For each transport, calls of `fetch`. */
  readonly fetchPairs: number;
  readonly seed: number;
  readonly transports: readonly TransportName[];
  /** Ends after so many kinds of differences. */
  readonly mostFindings: number;
  readonly shrinkingMs?: number | undefined;
}

/**
 * Makes random calls with another build and with the sources of this checkout, and prints what differs. Both use the same
 * packages, and the axios that this process has imported.
 */
export async function compareBuilds(comparison: BuildsComparison): Promise<BuildRow[]> {
  const { against, pairs, fetchPairs, seed, transports, mostFindings, shrinkingMs } = comparison;
  // The library warns about bodies that it cannot send again.
  Logger.overrideLogger(false);
  numberClassesByShape();
  const sides = await sidesAgainst(against);
  const rows: BuildRow[] = [];
  for (const transport of transports) {
    const run = { transport, seed, sides };
    const ofAxios = await runPairs({ ...run, pairs, mostFindings, shrinkingMs });
    const ofFetch = await runFetchPairs({ ...run, pairs: fetchPairs });
    const findings = [...ofAxios.findings.map(report), ...ofFetch.findings];
    for (const finding of findings) console.log(`\n${finding}\n`);
    console.log(
      `${transport}, axios ${AXIOS_VERSION}: ${ofAxios.pairs} pairs with seed ${seed}, ${ofAxios.express} calls on the direct path, ` +
        `${ofAxios.repeated} repeated; ${ofFetch.pairs} pairs of fetch; ${findings.length} kinds of differences`,
    );
    rows.push({
      transport,
      axios: AXIOS_VERSION,
      pairs: ofAxios.pairs,
      fetchPairs: ofFetch.pairs,
      differences: findings.length,
    });
  }
  return rows;
}
