import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of suites that share processes and run for more than a minute: as one of the last files, each would run alone. */
const BEFORE_THEIR_SUITE = [
  'test/unit/token/accounts-interleavings.spec.ts',
  'test/e2e/operations/readiness.spec.ts',
];

/** The specs that take longest. The last spec to start should be short, so that all cores are busy until the end. */
const LONGEST = [
  'test/unit/token/fleet/explorer-depth.spec.ts',
  ...BEFORE_THEIR_SUITE,
  'test/unit/http/many-accounts.spec.ts',
  'test/unit/token/fleet/explorer.spec.ts',
  'test/unit/token/fleet/outage-figures.spec.ts',
  'test/unit/token/outage-figures.spec.ts',
  'test/unit/token/interleavings.spec.ts',
  'test/unit/cli/simulate/live-updates.spec.ts',
  'test/unit/secrets/signing-key.spec.ts',
  'test/e2e/simulator/load.spec.ts',
  'test/e2e/soak/soak.spec.ts',
  'test/e2e/operations/doctor-hostile.spec.ts',
  'test/e2e/simulator/command.spec.ts',
  'test/e2e/own-provider/',
  'test/e2e/express/',
  'test/e2e/token/process.spec.ts',
  'test/e2e/operations/api-trouble.spec.ts',
  'test/e2e/module/closing.spec.ts',
  'test/e2e/token/load.spec.ts',
  'test/e2e/http/tracing.spec.ts',
  'test/e2e/operations/breakages.spec.ts',
  'test/e2e/http/generated-clients.spec.ts',
  'test/hostile/polluted-prototype.spec.ts',
  'test/hostile/api-closing.spec.ts',
  'test/hostile/token-transport.spec.ts',
  'test/hostile/token-refusals.spec.ts',
  'test/leak/api-requests-by-axios.spec.ts',
  'test/leak/token-requests.spec.ts',
  'test/leak/',
  'test/e2e/undici/',
  'test/foreign/site.spec.ts',
  'test/foreign/simulator-timeline.spec.ts',
  'test/foreign/simulator-promise.spec.ts',
  'test/foreign/alerts.spec.ts',
  'test/foreign/',
  'test/package/tutorial.spec.ts',
  'test/fleet/cluster-faults.spec.ts',
  'test/package/foreign-apps.spec.ts',
  'test/package/manual.spec.ts',
  'test/fleet/lease-holder.spec.ts',
  'test/package/declarations.spec.ts',
  'test/fleet/sick-process.spec.ts',
  'test/fleet/outage.spec.ts',
  'test/package/samples.spec.ts',
  'test/fleet/one-token.spec.ts',
  'test/package/floors.spec.ts',
  'test/fleet/clients.spec.ts',
  'test/package/size.spec.ts',
  'test/package/third-interface.spec.ts',
  'test/package/manual-recipes.spec.ts',
  'test/fleet/lazy-client.spec.ts',
  'test/package/generated-clients.spec.ts',
  'test/fleet/accounts.spec.ts',
  'test/package/entries.spec.ts',
  'test/package/installation.spec.ts',
  'test/package/tarball.spec.ts',
  'test/package/bundled.spec.ts',
  'test/fleet/',
];

/**
 * Runs the longest files of a group first. Files that share processes stand together, one suite after the other, because a
 * process serves one suite. The suite `unit` comes last: most of its files are short.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    // This calls a method of the base class, not of an array. The method returns a sorted copy.
    // oxlint-disable-next-line unicorn/no-array-sort
    const bySize = await super.sort(specs);
    return bySize.toSorted(
      (one, other) =>
        groupOf(one) - groupOf(other) ||
        suiteOf(one).localeCompare(suiteOf(other)) ||
        placeOf(one) - placeOf(other),
    );
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

/** The suite whose processes a file shares. Files with a process each come first, from all suites. */
function suiteOf(spec: TestSpecification): string {
  const { isolate } = spec.project.config;
  return isolate || BEFORE_THEIR_SUITE.includes(fileOf(spec)) ? '' : spec.project.name;
}

function fileOf({ moduleId, project }: TestSpecification): string {
  return relative(project.config.root, moduleId);
}

/** In the order of the list, then all others. */
function placeOf(spec: TestSpecification): number {
  const file = fileOf(spec);
  const place = LONGEST.findIndex((long) => file.startsWith(long));
  return place === -1 ? LONGEST.length : place;
}
