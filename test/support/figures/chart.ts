/**
 * Draws the charts of the pages as SVG. A chart is as narrow as a phone, so that its text stays readable there, and its labels
 * are above its bars. Its background is that of the site, in light and in dark colours. It has a title and a description for
 * people who cannot see it, and no meaning is only in a colour: each bar has its number, bars of one group always have the same
 * order, and our rows are bold behind a line.
 */

interface Described {
  /** The name of the file. */
  readonly name: string;
  readonly title: string;
  /** What the chart shows, in words. */
  readonly description: string;
}

export interface BarChart extends Described {
  /** One bar of each row, from top to bottom. With one series there is no legend. */
  readonly series: readonly string[];
  readonly rows: readonly {
    readonly label: string;
    readonly values: readonly (number | undefined)[];
    /** The row that the chart is about. */
    readonly isOurs: boolean;
  }[];
  readonly format: (value: number) => string;
}

export interface LineChart extends Described {
  readonly xTitle: string;
  /** Each series is a line with dots, or separate squares. */
  readonly series: readonly {
    readonly label: string;
    readonly marks: 'line' | 'squares';
    readonly points: readonly (readonly [x: number, y: number])[];
  }[];
}

const WIDTH = 440;
/** Before it is the line that marks our rows. */
const LEFT = 14;
const COLORS = { light: ['#0d6b64', '#1d4ed8', '#b45309'], dark: ['#2dd4bf', '#93c5fd', '#fbbf24'] };
const SERIES = COLORS.light.map((_, index) => index);

const STYLE = [
  styleOf({ page: '#ffffff', text: '#1f2937', grid: '#d4d4d8', other: '#85858e' }, COLORS.light),
  `@media (prefers-color-scheme: dark) {${styleOf({ page: '#1b1b1f', text: '#e4e4e7', grid: '#3f3f46', other: '#85858e' }, COLORS.dark)}}`,
].join('');

function styleOf(
  { page, text, grid, other }: Record<'page' | 'text' | 'grid' | 'other', string>,
  colors: readonly string[],
): string {
  return [
    `.page{fill:${page}}.text{fill:${text}}.grid{stroke:${grid}}.other{fill:${other}}`,
    ...colors.map((color, index) => `.s${index}{fill:${color}}.l${index}{stroke:${color}}`),
  ].join('');
}

export function barChart(chart: BarChart): string {
  const { series, rows, format } = chart;
  const isGroup = series.length > 1;
  const [label, bar, gap, forNumber] = [20, isGroup ? 14 : 16, isGroup ? 14 : 8, 52];
  const top = isGroup ? 84 : 58;
  const step = label + bar * series.length + gap;
  const most = Math.max(...rows.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const bars = rows.flatMap((row, index) => {
    const y = top + step * index;
    const below = y + label - 4;
    return [
      ...(row.isOurs ? [`<rect class="s0" x="0" y="${y - 2}" width="4" height="${step - gap + 4}"/>`] : []),
      text(LEFT, y + 11, row.label, row.isOurs ? 'font-weight="700"' : ''),
      ...row.values.flatMap((value, place) => {
        if (value === undefined) return [];
        const length = Math.max(1, Math.round(((WIDTH - LEFT - forNumber) * value) / most));
        const kind = isGroup || row.isOurs ? `s${place}` : 'other';
        const at = below + bar * place;
        return [
          `<rect class="${kind}" x="${LEFT}" y="${at}" width="${length}" height="${bar - 2}" rx="2"/>`,
          text(LEFT + length + 6, at + bar - 3, format(value), 'font-size="13"'),
        ];
      }),
    ];
  });
  const legend = isGroup ? legendOf(series) : [];
  return drawn(chart, top + step * rows.length, [...legend, ...bars]);
}

function legendOf(series: readonly string[]): string[] {
  return series.flatMap((label, index) => {
    const x = LEFT + index * 128;
    return [
      `<rect class="s${index}" x="${x}" y="52" width="12" height="12" rx="2"/>`,
      text(x + 18, 63, label),
    ];
  });
}

/** Both axes are logarithmic. */
export function lineChart(chart: LineChart): string {
  const [left, right, bottom] = [68, 26, 56];
  const top = 64 + 22 * chart.series.length;
  const height = top + 300;
  const points = chart.series.flatMap((series) => series.points);
  const xs = [...new Set(points.map(([x]) => x))].toSorted((one, other) => one - other);
  const x = axis(xs, left, WIDTH - right);
  const ys = points.map(([, y]) => y);
  const y = axis(ys, height - bottom, top);
  const grid = ticksOf(ys).map(
    (tick) =>
      `<line class="grid" x1="${left}" x2="${WIDTH - right}" y1="${y(tick)}" y2="${y(tick)}"/>` +
      text(left - 8, y(tick) + 5, tick.toLocaleString('en-US'), 'text-anchor="end"'),
  );
  const lines = chart.series.map((series, index) => {
    const color = SERIES[index % SERIES.length];
    const legendY = 58 + 22 * index;
    const label = text(LEFT + 34, legendY + 5, series.label);
    const at = series.points.map(([one, other]) => [x(one), y(other)] as const);
    if (series.marks === 'squares')
      return [square(LEFT + 13, legendY), ...at.map(([one, other]) => square(one, other)), label].join('\n');
    return [
      `<polyline class="l${color}" points="${at.map((point) => point.join(',')).join(' ')}" fill="none" stroke-width="2"/>`,
      ...at.map(([one, other]) => `<circle class="s${color}" cx="${one}" cy="${other}" r="3"/>`),
      `<line class="l${color}" x1="${LEFT}" x2="${LEFT + 26}" y1="${legendY}" y2="${legendY}" stroke-width="3"/>`,
      label,
    ].join('\n');
  });
  return drawn(chart, height, [
    ...grid,
    ...xs.map((value) =>
      text(x(value), height - bottom + 22, value.toLocaleString('en-US'), 'text-anchor="middle"'),
    ),
    text((left + WIDTH - right) / 2, height - 10, chart.xTitle, 'text-anchor="middle"'),
    ...lines,
  ]);
}

/** The title has two lines: what is in parentheses, for example which direction is better, is the second one. */
function drawn({ name, title, description }: Described, height: number, parts: readonly string[]): string {
  const [, first = title, second = ''] = /^(.+?) ?(?:\((.+)\))?$/.exec(title) ?? [];
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${name}-title ${name}-desc" font-family="system-ui, sans-serif" font-size="14">`,
    `<title id="${name}-title">${escaped(title)}</title>`,
    `<desc id="${name}-desc">${escaped(description)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    text(LEFT, 18, first, 'font-size="15" font-weight="700"'),
    text(LEFT, 38, second, 'font-size="13"'),
    ...parts,
    '</svg>',
  ].join('\n')}\n`;
}

function square(x: number, y: number): string {
  return `<rect class="text" x="${x - 5}" y="${y - 5}" width="10" height="10"/>`;
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text class="text" x="${x}" y="${y}"${attributes === '' ? '' : ` ${attributes}`}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** From the power of ten below the smallest value to the power of ten above the largest. */
function rangeOf(values: readonly number[]): readonly [from: number, to: number] {
  return [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
}

function ticksOf(values: readonly number[]): number[] {
  const [from, to] = rangeOf(values);
  return Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
}

function axis(values: readonly number[], start: number, end: number): (value: number) => number {
  const [from, to] = rangeOf(values);
  return (value) => Math.round(start + ((Math.log10(value) - from) / (to - from)) * (end - start));
}
