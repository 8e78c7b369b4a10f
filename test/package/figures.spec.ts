import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { absolute, FIGURES_FOLDER, readFigures } from '../support/figures/figure-file.js';
import { allBlocks, blocksOf, chartsOf, FIGURES, FRONT_NUMBERS } from '../support/figures/figures.js';
import { blocksIn, PAGES, pageText, withBlocks } from '../support/figures/pages.js';
import type { ContenderFigures } from '../support/figures/shown/contenders.js';
import {
  type AtCallers,
  GOALS,
  missedGoals,
  type Ratios,
  type RequestFigures,
} from '../support/figures/shown/requests.js';
import { linksOf } from '../support/package/page-links.js';
import { manifest } from '../support/package/packed-package.js';

const stored = readdirSync(absolute(FIGURES_FOLDER));
const names = stored.filter((file) => file.endsWith('.json')).map((file) => file.replace('.json', ''));
const charts = names.flatMap((name) => Object.entries(chartsOf(name, readFigures(name))));
const pagesWithFigures = PAGES.filter((page) => blocksIn(pageText(page)).length > 0);

describe('the stored figures', () => {
  it('B26: every file has a command that shows it, and every command that writes figures has a file', () => {
    expect(names.filter((name) => !(name in FIGURES))).toEqual([]);
    expect(Object.keys(FIGURES).filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(names)(
    'B26: %s has a date, a machine and a command of the repository, and nothing else',
    (name) => {
      const { date, machine, command, note = '', figures, ...others } = readFigures<object>(name);
      expect(others).toEqual({});
      expect(date).toMatch(/^20\d\d-[01]\d-[0-3]\d$/);
      expect(Object.keys(machine).toSorted()).toEqual(['cores', 'cpu', 'node']);
      expect(machine.cpu).toMatch(/^[\w ()@.-]{3,60}$/);
      expect(machine.cores).toBeGreaterThan(0);
      expect(machine.node).toMatch(/^v\d+\.\d+\.\d+$/);
      const [, script = ''] = /^npm run ([\w:]+)(?: -- .+)?$/.exec(command) ?? [];
      expect(Object.keys(manifest.scripts)).toContain(script);
      expect(note).not.toContain('/');
      expect(Object.keys(figures).length).toBeGreaterThan(0);
    },
  );
});

describe('the pages with figures', () => {
  it.each(pagesWithFigures)('B26: %s shows what the files contain', async (page) => {
    const text = pageText(page);
    expect(await withBlocks(text, allBlocks())).toBe(text);
  });

  it('B26: every block stands on one page, and only once; the front numbers stand on both fronts', () => {
    for (const page of ['README.md', 'docs/index.md'])
      expect(blocksIn(pageText(page)).filter((name) => name === FRONT_NUMBERS)).toHaveLength(1);
    const shown = pagesWithFigures.flatMap((page) => blocksIn(pageText(page)));
    const existing = names.flatMap((name) =>
      Object.keys(blocksOf(name, readFigures(name))).map((block) => `${name}/${block}`),
    );
    expect(shown.filter((name) => name !== FRONT_NUMBERS).toSorted()).toEqual(existing.toSorted());
  });

  it('B37: the front has three numbers, and each is on the page of its figures', () => {
    const lines = allBlocks().get(FRONT_NUMBERS)?.split('\n') ?? [];
    const numbers = lines.map((line) => /^- \*\*([\d.]+)×?\*\* \S/.exec(line)?.[1]);
    const { clients } = readFigures<ContenderFigures>('contenders').figures;
    const { rows } = readFigures<RequestFigures>('requests').figures;
    const [ours] = clients.filter(({ name }) => name === 'this module');
    const [fast] = rows.filter(
      ({ client, protocol }) => client === 'axiosRef on undici' && protocol === 'h1',
    );
    const ratio = fast?.at.find(({ callers }) => callers === 32)?.ratio;
    expect(numbers).toEqual([`${ours?.cold?.requests}`, `${ours?.outageRequests}`, ratio?.toFixed(1)]);
  });

  it('B37: no table has a cell for a figure that was not kept, and no note says how a page was made', () => {
    for (const name of names) {
      const file = readFigures<object>(name);
      expect(file.note ?? '').not.toMatch(/page|by hand/);
    }
    const blocks = blocksOf('contenders', readFigures('contenders'));
    expect(`${blocks['requests']}${blocks['waits']}`).not.toContain('–');
    expect(blocks['waits']?.split('\n').length).toBeGreaterThan(4);
  });

  it('B16, B21: the page compares the figures with each goal, and names a missed goal', () => {
    const file = readFigures<RequestFigures>('requests');
    const goals = blocksOf('requests', file)['goals'] ?? '';
    expect(goals.split('\n')).toHaveLength(GOALS.length + 2);
    const slow = structuredClone(file);
    for (const { at } of slow.figures.rows)
      for (const one of at) setRatios(one, { ratio: 0.01, cpuRatio: 9 });
    const text = blocksOf('requests', slow)['goals'] ?? '';
    expect(text.match(/0\.01 of [\d.]+ ✘/g)).toHaveLength(GOALS.length * 3);
    const withCpu = GOALS.filter(({ mostCpu }) => mostCpu !== undefined);
    expect(text.match(/9\.00, at most [\d.]+ ✘/g)).toHaveLength(withCpu.length);
    // The benchmark ends with 1 if a goal is missed.
    expect(missedGoals(slow.figures)).toHaveLength(GOALS.length * 3 + withCpu.length);
    const fast = structuredClone(file);
    for (const { at } of fast.figures.rows) for (const one of at) setRatios(one, { ratio: 99, cpuRatio: 0 });
    expect(missedGoals(fast.figures)).toEqual([]);
  });
});

describe('the charts', () => {
  it('B26: every chart is drawn from its file, and no other chart is stored', () => {
    expect(charts.length).toBeGreaterThan(2);
    const others = charts.filter(([path, svg]) => readFileSync(absolute(path), 'utf8') !== svg);
    expect(others.map(([path]) => path)).toEqual([]);
    const drawn = charts.map(([path]) => path.replace(`${FIGURES_FOLDER}/`, ''));
    expect(stored.filter((file) => !file.endsWith('.json')).toSorted()).toEqual(drawn.toSorted());
  });

  it('B26: every chart is shown on a page of the package', async () => {
    const pages = PAGES.filter((page) => !page.startsWith('test/'));
    const linked = (await Promise.all(pages.map(linksOf))).flat().map(({ file }) => file?.path);
    expect(charts.map(([path]) => path).filter((path) => !linked.includes(path))).toEqual([]);
    expect((await linksOf('README.md')).map(({ link }) => link)).toContain(`${FIGURES_FOLDER}/outage.svg`);
  });

  it.each(charts)(
    'B26: %s has a title, a description with its numbers, and colours for light and dark',
    (_, svg) => {
      const [, title = '', description = ''] =
        /<title id="[\w-]+">(.+)<\/title>\n<desc id="[\w-]+">(.+)<\/desc>/.exec(svg) ?? [];
      expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="[\w-]+-title [\w-]+-desc"/);
      expect(title.length).toBeGreaterThan(20);
      expect(description.match(/\d+/g)?.length ?? 0).toBeGreaterThan(5);
      expect(svg).toContain('@media (prefers-color-scheme: dark)');
      expect(svg).not.toMatch(/(?:href|src|url\()/);
      expect(coloursOf(svg).filter(({ text, page }) => contrast(text, page) < 7)).toEqual([]);
      expect(
        coloursOf(svg).flatMap(({ marks, page }) => marks.filter((mark) => contrast(mark, page) < 3)),
      ).toEqual([]);
    },
  );

  it.each(charts)('B26: %s has no text below 10 px on a phone, and no text outside', (_, svg) => {
    const [, width = '0'] = /^<svg [^>]*width="(\d+)"/.exec(svg) ?? [];
    const sizes = [...svg.matchAll(/font-size="(\d+)"/g)].map(([, size]) => Number(size));
    expect((Math.min(...sizes) * PHONE_WIDTH) / Number(width)).toBeGreaterThan(10);
    // Bold letters of 15 px are 8.5 px wide on average.
    const texts = [...svg.matchAll(/<text class="text" x="(\d+)" [^>]*>([^<]+)</g)];
    const starting = texts.filter(([tag]) => !tag.includes('text-anchor'));
    expect(starting.filter(([, x, text = '']) => Number(x) + 8.5 * text.length > Number(width))).toEqual([]);
  });

  it('B26: marks our rows with a line and bold letters, and no others', () => {
    const outage = charts.find(([path]) => path.endsWith('outage.svg'))?.[1] ?? '';
    expect(outage.match(/<text [^>]*font-weight="700">[^<]+/g)?.slice(1)).toEqual([
      expect.stringMatching(/>this module$/),
    ]);
    expect(outage.match(/<rect class="s0" x="0"/g)).toHaveLength(1);
  });
});

/** The width of the text of a page on a phone of 390 px. */
const PHONE_WIDTH = 342;

/** Sets what a row has. A row without a limit stays without one. */
function setRatios(at: AtCallers, ratios: Ratios): void {
  Object.assign(at, ratios, at.ofLimit && { ofLimit: ratios });
}

interface Colours {
  readonly page: string;
  readonly text: string;
  readonly marks: readonly string[];
}

/** The colours in light and in dark surroundings. */
function coloursOf(svg: string): Colours[] {
  const [light = '', dark = ''] = svg.split('@media (prefers-color-scheme: dark)');
  return [light, dark].map((style) => {
    const of = (kind: string) => new RegExp(`\\.${kind}\\{fill:(#[0-9a-f]{6})\\}`).exec(style)?.[1] ?? '';
    return { page: of('page'), text: of('text'), marks: ['other', 's0', 's1', 's2'].map(of) };
  });
}

/** The contrast ratio of WCAG 2. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(luminance).toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[0-9a-f]{2}/g) ?? [])
    .map((part) => Number.parseInt(part, 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
