import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { BaseSequencer, type TestSpecification, type Vitest } from 'vitest/node';

/** Specs that take seconds. */
const SLOW_SPECS = [
  'config/changing-tls.spec.ts',
  'config/process-env/provider-auth-config.spec.ts',
  'config/wrong-options.spec.ts',
  'secrets/signing-key.spec.ts',
  'token/objects-of-callers.spec.ts',
  'token/accounts.spec.ts',
  'wire/body.spec.ts',
  'wire/https-source.spec.ts',
  'wire/upload.spec.ts',
];

/** The file of each mutant, by the number that Stryker wrote into the code. */
const files = new Map(
  readdirSync('lib', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      [...readFileSync(join('lib', name), 'utf8').matchAll(/stryMutAct_\w+\("(\d+)"\)/g)].map(
        ([, id]) => [id, name] as const,
      ),
    ),
);

/** The specs that killed a mutant of a file, the last one first. */
const killers = new Map<string, readonly string[]>();

let mutated = '';

/**
 * Stryker ends the test of a mutant at the first test that fails. A mutant of a constant is tested by all specs of a folder, so
 * their order decides how long that takes: first the specs that killed another mutant of the file, then those named like the
 * file, then quick ones.
 */
export class KillingFirst extends BaseSequencer {
  override sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const { activeMutant = '' } = this.ctx.getRootProject().getProvidedContext() as { activeMutant?: string };
    mutated = files.get(activeMutant) ?? '';
    return Promise.resolve(specs.toSorted((one, other) => rank(one.moduleId) - rank(other.moduleId)));
  }
}

function rank(spec: string): number {
  const killer = killers.get(mutated)?.indexOf(spec) ?? -1;
  if (killer >= 0) return killer;
  const { dir, name } = parse(mutated);
  if (name !== '' && spec.includes(`/test/unit/${dir}/${name}`)) return 1000;
  if (!spec.includes('/test/unit/')) return 4000;
  return SLOW_SPECS.some((slow) => spec.endsWith(`/test/unit/${slow}`)) ? 3000 : 2000;
}

/** Call it after a run. */
export function noteKillers({ state }: Vitest): void {
  const failed = state.getFiles().filter(({ result }) => result?.state === 'fail');
  const found = failed.map(({ filepath }) => filepath);
  if (mutated !== '') killers.set(mutated, [...new Set([...found, ...(killers.get(mutated) ?? [])])]);
}
