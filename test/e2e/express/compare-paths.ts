import { Logger } from '@nestjs/common';
import type { TransportName } from './clients.js';
import { report, runPairs } from './pair-runner.js';

export interface ComparisonSettings {
  readonly pairs: number;
  readonly seed: number;
  readonly transports: readonly TransportName[];
  /** Ends after so many kinds of differences. */
  readonly mostFindings: number;
  /** Prints how often each kind of pair occurred. */
  readonly printsKinds?: boolean;
}

/**
 * Makes random calls on both paths with each transport, and prints what differs. Returns the number of kinds of
 * differences.
 */
export async function comparePaths(settings: ComparisonSettings): Promise<number> {
  const { pairs, seed, transports, mostFindings, printsKinds = false } = settings;
  // The library warns about bodies that it cannot send again.
  Logger.overrideLogger(false);
  let found = 0;
  for (const transport of transports) {
    const perTransport = Math.ceil(pairs / transports.length);
    const result = await runPairs({ transport, pairs: perTransport, seed, mostFindings });
    const perSecond = Math.round(result.pairs / result.seconds);
    console.log(
      `${transport}: ${result.pairs} pairs with seed ${seed}, ${perSecond} in a second, ${result.express} calls on ` +
        `the direct path, ${result.repeated} repeated, ${result.findings.length} kinds of differences`,
    );
    if (printsKinds) console.log(`\n  pairs express  kind\n${result.kinds.table}\n`);
    for (const finding of result.findings) console.log(`\n${report(finding)}`);
    found += result.findings.length;
  }
  console.log(`${found} differences`);
  return found;
}
