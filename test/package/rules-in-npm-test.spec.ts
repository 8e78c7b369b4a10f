import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SPECS_ONLY_IN_ALL } from '../only-in-all.js';
import { importsOf, isRelative } from '../support/package/module-graph.js';
import { manifest, ROOT } from '../support/package/packed-package.js';
import { testNamesIn } from '../support/package/test-names.js';

/** The number of rules of each letter, including rules that are not built yet. */
const RULES = { S: 11, C: 7, B: 37 };

/** Rules of the second wave that no code implements yet. Delete a line when its rule is built. */
const NOT_BUILT_YET: Readonly<Record<string, string>> = {};

/** The suites that `npm test` runs, read from its command. */
const SUITES = [...(manifest.scripts['test'] ?? '').matchAll(/--project (\S+)/g)].map(
  ([, name = '']) => name,
);

const all = Object.entries(RULES).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
);
const page = readFileSync(join(ROOT, 'test/RULES.md'), 'utf8');
const built = all.filter((rule) => new RegExp(`^\\| ${rule} +\\|`, 'm').test(page));

describe('what npm test proves', () => {
  it('B20: every rule is in the page of the rules or in the list of those that are not built yet', () => {
    expect(all.filter((rule) => !built.includes(rule) && !(rule in NOT_BUILT_YET))).toEqual([]);
    expect(
      built.filter((rule) => rule in NOT_BUILT_YET),
      'to be deleted from NOT_BUILT_YET',
    ).toEqual([]);
  });

  it('B20: every rule that is built is in the name of a test', async () => {
    const names = (await Promise.all((await filesOfNpmTest()).map(testNamesIn))).flat();
    expect(names.length).toBeGreaterThan(500);
    const proven = new Set(names.flatMap((name) => name.match(/\b[SCB]\d+\b/g) ?? []));
    expect(built.filter((rule) => !proven.has(rule))).toEqual([]);
  });

  it('B20: every suite runs, except for the suite that needs software of the operating system', () => {
    const folders = readdirSync(join(ROOT, 'test'), { withFileTypes: true });
    const suites = folders
      .filter((folder) => folder.isDirectory() && specsOf(folder.name).length > 0)
      .map(({ name }) => name);
    expect([...SUITES, 'foreign'].toSorted()).toEqual(suites.toSorted());
  });

  it('B20: every spec that only npm run test:all runs exists', () => {
    const specs = SUITES.flatMap(specsOf);
    expect(Object.keys(SPECS_ONLY_IN_ALL).filter((file) => !specs.includes(file))).toEqual([]);
  });
});

function specsOf(suite: string): string[] {
  const files = readdirSync(join(ROOT, 'test', suite), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.spec.ts'))
    .map((file) => `test/${suite}/${file}`)
    .filter((file) => !file.startsWith('test/package/apps/'));
}

/** The specs, and the files next to them with some of their tests. */
async function filesOfNpmTest(): Promise<string[]> {
  const specs = SUITES.flatMap(specsOf).filter((file) => !(file in SPECS_ONLY_IN_ALL));
  const files = new Set(specs.map((file) => join(ROOT, file)));
  for (const file of files)
    for (const specifier of (await importsOf(file)).filter(isRelative)) {
      const imported = join(file, '..', specifier.replace(/\.js$/, '.ts'));
      if (SUITES.some((suite) => imported.startsWith(join(ROOT, 'test', suite)))) files.add(imported);
    }
  return [...files];
}
