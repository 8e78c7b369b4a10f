/** The tables and the chart of `docs/fleet-scale.md`, made of `docs/fleet-scale.json`. */
import { row } from './paired-slices.mjs';

const number = (value) => Math.round(value).toLocaleString('en-US');
const kib = (bytes) => number(bytes / 1024);
const seconds = (ms) => (ms === 0 ? 'at once' : `within ${ms / 1_000} s`);

const HEADS = [
  'commands',
  'KiB to Redis',
  'KiB from Redis',
  'looks of a process',
  'token requests',
  'longest wait, ms',
];

const costs = ({ commands, bytesToRedis, bytesFromRedis, looks, tokenRequests, longestWaitMs }) => [
  number(commands),
  kib(bytesToRedis),
  kib(bytesFromRedis),
  looks.toFixed(1),
  number(tokenRequests),
  number(longestWaitMs),
];

export function tablesOf({
  measured,
  computed,
  limit,
  regions,
  scriptMs,
  roundTripMs,
  endpointMs,
  date,
  machine,
}) {
  return {
    measured: table(
      ['processes', ...HEADS],
      measured.map((one) => [number(one.size), ...costs(one)]),
    ),
    computed: table(
      ['processes', 'calls come', ...HEADS],
      computed.map((one) => [number(one.size), seconds(one.spreadMs), ...costs(one)]),
    ),
    limit: table(
      ['processes', '`timeoutMs`', 'ms of a script', ...HEADS],
      limit.map((one) => [number(one.size), one.timeoutMs, one.scriptMs.toFixed(3), ...costs(one)]),
    ),
    regions: table(
      ['Redis servers', ...HEADS],
      regions.map((one) => [one.regions, ...costs(one)]),
    ),
    settings: [
      `Written on ${date} by \`npm run bench:fleet\`, on ${machine}. The token endpoint answers after ${endpointMs} ms. In the`,
      `computed figures, a message to Redis and its answer need ${roundTripMs} ms, and Redis needs ${scriptMs} ms for each script, as`,
      'measured on this machine.',
    ].join('\n'),
  };
}

function table(heads, rows) {
  return [row(heads), row(heads.map(() => '--:')), ...rows.map(row)].join('\n');
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 400, 80, 30, 50, 60];
const COLORS = ['#2563eb', '#d97706', '#059669'];

/** Commands for each renewal by the size of the fleet. Both axes are logarithmic. */
export function chartOf({ measured, computed }) {
  const all = [...measured, ...computed];
  const x = axis(
    all.map(({ size }) => size),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = axis(
    all.map(({ commands }) => commands),
    HEIGHT - BOTTOM,
    TOP,
  );
  const spreads = [...new Set(computed.map(({ spreadMs }) => spreadMs))];
  const sizes = [...new Set(all.map(({ size }) => size))].toSorted((one, other) => one - other);
  const lines = spreads.map((spreadMs, index) => {
    const points = computed
      .filter((one) => one.spreadMs === spreadMs)
      .map(({ size, commands }) => `${x(size)},${y(commands)}`);
    const label = `computed, calls come ${seconds(spreadMs)}`;
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${COLORS[index]}" stroke-width="2"/>`,
      ...points.map(
        (point) =>
          `<circle cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3" fill="${COLORS[index]}"/>`,
      ),
      text(LEFT + 32, TOP + 12 + 20 * index, label),
      `<line x1="${LEFT + 8}" x2="${LEFT + 26}" y1="${TOP + 8 + 20 * index}" y2="${TOP + 8 + 20 * index}" stroke="${COLORS[index]}" stroke-width="3"/>`,
    ].join('\n');
  });
  const legendY = TOP + 8 + 20 * spreads.length;
  const title = 'Commands that Redis gets when one token of a fleet is replaced';
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}" font-family="sans-serif" font-size="13">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 28, title, 'font-size="16"'),
    ...ticksOf(all.map(({ commands }) => commands)).map(
      (tick) =>
        `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(tick)}" y2="${y(tick)}" stroke="#d1d5db"/>${text(LEFT - 8, y(tick) + 4, number(tick), 'text-anchor="end"')}`,
    ),
    ...sizes.map((size) => text(x(size), HEIGHT - BOTTOM + 22, number(size), 'text-anchor="middle"')),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, 'processes', 'text-anchor="middle"'),
    ...lines,
    ...measured.map(({ size, commands }) => square(x(size), y(commands))),
    square(LEFT + 17, legendY),
    text(LEFT + 32, legendY + 4, 'measured, calls come at once'),
    '</svg>',
  ].join('\n')}\n`;
}

function square(x, y) {
  return `<rect x="${x - 5}" y="${y - 5}" width="10" height="10" fill="#111827" stroke="#ffffff"/>`;
}

function text(x, y, content, attributes = '') {
  return `<text x="${x}" y="${y}" fill="#111827" ${attributes}>${content}</text>`;
}

/** From the power of ten below the smallest value to the power of ten above the largest. */
function rangeOf(values) {
  return [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
}

function ticksOf(values) {
  const [from, to] = rangeOf(values);
  return Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
}

function axis(values, start, end) {
  const [from, to] = rangeOf(values);
  return (value) => Math.round(start + ((Math.log10(value) - from) / (to - from)) * (end - start));
}
