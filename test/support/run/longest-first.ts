import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The specs that take longest. The last spec to start should be short, so that all cores are busy until the end. */
const LONGEST = [
  'test/e2e/operations/doctor-troubles.spec.ts',
  'test/e2e/soak/soak.spec.ts',
  'test/e2e/operations/doctor.spec.ts',
  'test/e2e/token/load.spec.ts',
  'test/e2e/module/closing.spec.ts',
  'test/e2e/token/process.spec.ts',
  'test/leak/',
  'test/e2e/undici/',
  'test/fleet/lease-holder.spec.ts',
  'test/fleet/one-token.spec.ts',
  'test/package/foreign-apps.spec.ts',
  'test/package/samples.spec.ts',
  'test/package/readme.spec.ts',
  'test/package/third-interface.spec.ts',
];

/** Runs the longest files of a group first, from all suites. Specs that share processes come last. */
export class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    // This calls a method of the base class, not of an array. The method returns a sorted copy.
    // oxlint-disable-next-line unicorn/no-array-sort
    const bySize = await super.sort(specs);
    return bySize.toSorted((one, other) => groupOf(one) - groupOf(other) || placeOf(one) - placeOf(other));
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

/** In the order of the list, then all others, then those that share processes. */
function placeOf({ moduleId, project }: TestSpecification): number {
  if (!project.config.isolate) return LONGEST.length + 1;
  const file = relative(project.config.root, moduleId);
  const place = LONGEST.findIndex((long) => file.startsWith(long));
  return place === -1 ? LONGEST.length : place;
}
