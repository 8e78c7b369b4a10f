import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

function numbersIn(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, number = '']) => number))].toSorted();
}

it('each sentence of the page about the fleet protocol has a test that carries its number, and each number a sentence', () => {
  const page = readFileSync(`${root}docs/fleet-protocol.md`, 'utf8');
  const specs = ['test/unit/token/fleet', 'test/fleet'].flatMap((folder) =>
    readdirSync(`${root}${folder}`)
      .filter((name) => name.endsWith('.spec.ts'))
      .map((name) => `${root}${folder}/${name}`),
  );
  const names = specs.flatMap((spec) => readFileSync(spec, 'utf8').match(NAME) ?? []);
  const sentences = numbersIn(page, /^- \*\*(F\d+)\*\* /gm);
  expect(numbersIn(names.join('\n'), /\b(F\d+)\b/g)).toEqual(sentences);
  expect(sentences).toHaveLength(29);
});

/** The name of a test begins with the numbers of its sentences. */
const NAME = /['"`](?:F\d+[,:] )+/g;
