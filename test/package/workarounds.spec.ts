import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/package/packed-package.js';

/** A comment that explains a workaround, on one line. */
interface Workaround {
  readonly file: string;
  readonly text: string;
}

const COMMENT = /\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm;
const CITED_SPEC = /test\/[\w./-]+\.spec\.ts/g;

/** Each part that the comment of a workaround must have. */
const PARTS = {
  'the issue or pull request (owner/repository#number), or the words "observed in"':
    /\b[\w-]+\/[\w.-]+#\d+|\bobserved in\b/,
  'the versions': /\b\d+\.\d+/,
  'the path of a spec that shows it': new RegExp(CITED_SPEC.source),
  'when it can be removed': /\bremove\b|\bcan go\b|\bno longer\b/i,
} as const;

function workaroundsIn(file: string, source: string): Workaround[] {
  return (source.match(COMMENT) ?? [])
    .map((comment) =>
      comment.replaceAll(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)[ \t]?/gm, '').replaceAll(/\s+/g, ' '),
    )
    .filter((text) => text.includes('Workaround:'))
    .map((text) => ({ file, text: text.slice(text.indexOf('Workaround:')) }));
}

/** What is missing in the comment; specs that do not exist count as missing. */
function missingIn({ text }: Workaround): string[] {
  const parts = Object.entries(PARTS).flatMap(([part, pattern]) => (pattern.test(text) ? [] : [part]));
  const lost = (text.match(CITED_SPEC) ?? []).filter((path) => !existsSync(join(ROOT, path)));
  return [...parts, ...lost.map((path) => `${path} (does not exist)`)];
}

function workaroundsOfLib(): Workaround[] {
  return readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => workaroundsIn(file, readFileSync(join(ROOT, 'lib', file), 'utf8')));
}

describe('the comment of each workaround in lib', () => {
  it('names an address, versions, a spec and an end', () => {
    const workarounds = workaroundsOfLib();
    expect(workarounds.length).toBeGreaterThan(5);
    const incomplete = workarounds
      .map((workaround) => ({ ...workaround, missing: missingIn(workaround) }))
      .filter(({ missing }) => missing.length > 0);
    expect(incomplete).toEqual([]);
  });
});

describe('this check', () => {
  it('finds comments of both kinds', () => {
    const source = [
      '/**',
      ' * A class.',
      ' *',
      ' * Workaround: one',
      ' */',
      '  // Workaround: two',
      '  // lines',
    ].join('\n');
    const texts = workaroundsIn('a.ts', `${source}\n`).map(({ text }) => text.trim());
    expect(texts).toEqual(['Workaround: one', 'Workaround: two lines']);
  });

  it.each([
    ['Workaround: Node is odd.', Object.keys(PARTS)],
    [
      'Workaround: observed in 1.2.3, shown by test/none.spec.ts. Remove it later.',
      ['test/none.spec.ts (does not exist)'],
    ],
    ['Workaround: nodejs/node#1, in 20.1, shown by test/package/workarounds.spec.ts. Remove it later.', []],
  ])('reads %j', (text, missing) => {
    expect(missingIn({ file: 'a.ts', text })).toEqual(missing);
  });
});
