/**
 * Draws `docs/compared.svg` from the first table of `docs/compared.md`, so that the figures are in one place.
 *
 *   node test/bench/compared-chart.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const PAGE = new URL('../../docs/compared.md', import.meta.url);
const CHART = new URL('../../docs/compared.svg', import.meta.url);
const COLUMN = 'an outage of 5 s';
const TITLE = 'Token requests in an outage of 5 seconds (fewer is better)';

const [WIDTH, LEFT, RIGHT, TOP, ROW] = [720, 300, 60, 50, 28];

/** The names and numbers of the chart: the first and the last column of the table. */
export function figuresOf(page) {
  const lines = page.split('\n');
  const head = lines.findIndex((line) => line.startsWith('|') && line.includes(COLUMN));
  const rows = lines.slice(head, lines.indexOf('', head)).map(cellsOf);
  const column = rows[0].indexOf(COLUMN);
  return rows
    .slice(2)
    .map((cells) => ({ name: cells[0].replaceAll('`', ''), requests: Number(cells[column]) }));
}

export function chartOf(figures) {
  const most = Math.max(...figures.map(({ requests }) => requests));
  const height = TOP + ROW * figures.length + 16;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${TITLE}" font-family="sans-serif" font-size="13">`,
    `<title>${TITLE}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(16, 28, TITLE, 'font-size="16"'),
    ...figures.flatMap(({ name, requests }, index) => {
      const y = TOP + ROW * index;
      const length = Math.round(((WIDTH - LEFT - RIGHT) * requests) / most);
      const color = index === 0 ? '#059669' : '#6b7280';
      return [
        text(LEFT - 10, y + 15, name, 'text-anchor="end"'),
        `<rect x="${LEFT}" y="${y + 2}" width="${length}" height="18" fill="${color}"/>`,
        text(LEFT + length + 8, y + 15, requests),
      ];
    }),
    '</svg>',
  ].join('\n')}\n`;
}

function cellsOf(line) {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function text(x, y, content, attributes = '') {
  return `<text x="${x}" y="${y}" fill="#111827" ${attributes}>${content}</text>`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync(CHART, chartOf(figuresOf(readFileSync(PAGE, 'utf8'))));
