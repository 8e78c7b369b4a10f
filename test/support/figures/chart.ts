/**
 * Draws the charts of the pages as SVG. A chart is readable in light and in dark surroundings, because it has its own background
 * for both. It has a title and a description for people who cannot see it, and no meaning is only in a colour: each bar has its
 * number, and bars of one group always have the same order.
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

const WIDTH = 720;
const COLORS = { light: ['#047857', '#1d4ed8', '#b45309'], dark: ['#34d399', '#93c5fd', '#fbbf24'] };
const SERIES = COLORS.light.map((_, index) => index);

const STYLE = [
  styleOf({ page: '#ffffff', text: '#1f2937', grid: '#d1d5db', other: '#6b7280' }, COLORS.light),
  `@media (prefers-color-scheme: dark) {${styleOf({ page: '#111827', text: '#e5e7eb', grid: '#374151', other: '#9ca3af' }, COLORS.dark)}}`,
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
  const [left, right, bar, gap] = [300, 64, series.length === 1 ? 18 : 12, series.length === 1 ? 10 : 12];
  const top = series.length === 1 ? 48 : 72;
  const step = bar * series.length + gap;
  const most = Math.max(...rows.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const height = top + step * rows.length + 8;
  const bars = rows.flatMap(({ label, values, isOurs }, index) => {
    const y = top + step * index;
    return [
      text(left - 10, y + (bar * series.length) / 2 + 4, label, 'text-anchor="end"'),
      ...values.flatMap((value, place) => {
        if (value === undefined) return [];
        const length = Math.max(1, Math.round(((WIDTH - left - right) * value) / most));
        const kind = series.length === 1 && !isOurs ? 'other' : `s${place}`;
        const at = y + bar * place;
        return [
          `<rect class="${kind}" x="${left}" y="${at}" width="${length}" height="${bar - 1}"/>`,
          text(
            left + length + 6,
            at + bar - (bar > 12 ? 4 : 2),
            format(value),
            bar > 12 ? '' : 'font-size="11"',
          ),
        ];
      }),
    ];
  });
  const legend = series.length === 1 ? [] : legendOf(series, left);
  return drawn(chart, height, [...legend, ...bars]);
}

function legendOf(series: readonly string[], left: number): string[] {
  return series.flatMap((label, index) => {
    const x = left + index * 140;
    return [`<rect class="s${index}" x="${x}" y="44" width="12" height="12"/>`, text(x + 18, 55, label)];
  });
}

/** Both axes are logarithmic. */
export function lineChart(chart: LineChart): string {
  const [height, left, right, top, bottom] = [400, 80, 30, 50, 60];
  const points = chart.series.flatMap((series) => series.points);
  const xs = [...new Set(points.map(([x]) => x))].toSorted((one, other) => one - other);
  const x = axis(xs, left, WIDTH - right);
  const ys = points.map(([, y]) => y);
  const y = axis(ys, height - bottom, top);
  const grid = ticksOf(ys).map(
    (tick) =>
      `<line class="grid" x1="${left}" x2="${WIDTH - right}" y1="${y(tick)}" y2="${y(tick)}"/>` +
      text(left - 8, y(tick) + 4, tick.toLocaleString('en-US'), 'text-anchor="end"'),
  );
  const lines = chart.series.map((series, index) => {
    const color = SERIES[index % SERIES.length];
    const legendY = top + 8 + 20 * index;
    const label = text(left + 32, legendY + 4, series.label);
    const at = series.points.map(([one, other]) => [x(one), y(other)] as const);
    if (series.marks === 'squares')
      return [square(left + 17, legendY), ...at.map(([one, other]) => square(one, other)), label].join('\n');
    return [
      `<polyline class="l${color}" points="${at.map((point) => point.join(',')).join(' ')}" fill="none" stroke-width="2"/>`,
      ...at.map(([one, other]) => `<circle class="s${color}" cx="${one}" cy="${other}" r="3"/>`),
      `<line class="l${color}" x1="${left + 8}" x2="${left + 26}" y1="${legendY}" y2="${legendY}" stroke-width="3"/>`,
      label,
    ].join('\n');
  });
  return drawn(chart, height, [
    ...grid,
    ...xs.map((value) =>
      text(x(value), height - bottom + 22, value.toLocaleString('en-US'), 'text-anchor="middle"'),
    ),
    text((left + WIDTH - right) / 2, height - 14, chart.xTitle, 'text-anchor="middle"'),
    ...lines,
  ]);
}

function drawn({ name, title, description }: Described, height: number, parts: readonly string[]): string {
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${name}-title ${name}-desc" font-family="system-ui, sans-serif" font-size="13">`,
    `<title id="${name}-title">${escaped(title)}</title>`,
    `<desc id="${name}-desc">${escaped(description)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    text(16, 28, title, 'font-size="16"'),
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
