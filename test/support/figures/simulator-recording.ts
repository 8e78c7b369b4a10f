import type { ShownAction } from '../../../lib/cli/simulate/reporter.js';
import type { ShownRequest } from '../../../lib/cli/simulate/shown.js';

/** What the simulator sent to its page in one update. */
export interface RecordedUpdate {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly headline: { readonly level: string; readonly text: string };
  readonly pairs: readonly {
    readonly name: string;
    readonly tokenRequests: number;
    readonly apiRequests: number;
    readonly recovered: number;
  }[];
  readonly load: { readonly callers: number; readonly name: string; readonly failed: number };
  readonly requests: readonly ShownRequest[];
  readonly actions: readonly ShownAction[];
  readonly stories: readonly {
    readonly refused: number;
    readonly tokenRequests: number;
    readonly sentAgain: number;
    readonly from: number;
    readonly until?: number;
  }[];
}

/** The colours of the page, by the names of its variables. */
export type Palette = Readonly<Record<string, string>>;

/** So much of the run before the fault and after the last refused call was sent again, and so long the end stays. */
const BEFORE_MS = 3500;
const AFTER_MS = 5400;
const PAUSE_MS = 2500;

const WIDTH = 960;
const HEIGHT = 300;
/** The timeline shows so many milliseconds. */
const SPAN_MS = 6000;
const LEFT = 92;
const RIGHT = WIDTH - 24;
const SCALE = (RIGHT - LEFT) / SPAN_MS;
const TOP = 112;
const TOKENS = TOP + 24;
const CALLS = { top: TOP + 44, height: 44 };
const FAILED = { top: TOP + 104, height: 22 };
const AXIS = TOP + 136;

const FIRST_LINE = 30;

/** An event on the timeline. */
type Event = ShownRequest & { readonly time: number };

const heightOf = ({ id, ok }: ShownRequest): number => {
  const { top, height } = ok ? CALLS : FAILED;
  return Math.round(top + ((id * 0.618034) % 1) * height);
};

const shown = (count: number): string => count.toLocaleString('en');
const counted = (count: number, what: string): string => `${shown(count)} ${what}${count === 1 ? '' : 's'}`;

/** Times of a run, as places on the strip of its timeline. The strip begins at the fault. */
class Strip {
  constructor(
    readonly fault: number,
    /** Milliseconds from the fault to the end. */
    readonly afterMs: number,
  ) {}

  get lengthMs(): number {
    return BEFORE_MS + this.afterMs + PAUSE_MS;
  }

  x(time: number): number {
    return Math.round((time - this.fault) * SCALE * 10) / 10;
  }
}

/** Text that changes: each text is one line of a strip that jumps. */
class Texts {
  readonly #lines: { readonly at: number; readonly text: string }[] = [];

  constructor(
    readonly name: string,
    readonly lengthMs: number,
  ) {}

  /** @param at milliseconds since the recording began */
  say(at: number, text: string): void {
    if (at <= 0) this.#lines.length = 0;
    if (this.#lines.at(-1)?.text !== text) this.#lines.push({ at: Math.max(0, at), text });
  }

  /** The last one stays, also for a reader who wants no motion. */
  get style(): string {
    const percent = (at: number): string => `${((100 * at) / this.lengthMs).toFixed(2)}%`;
    const steps = this.#lines.map(
      ({ at }, index) => `${percent(at)}{transform:translateY(${this.#y(index)}px)}`,
    );
    return (
      `@keyframes ${this.name}{0%{transform:translateY(${this.#y(0)}px)}${steps.slice(1).join('')}` +
      `100%{transform:translateY(${this.#y(this.#lines.length - 1)}px)}}` +
      `#${this.name}{transform:translateY(${this.#y(this.#lines.length - 1)}px);animation:${this.name} ${this.lengthMs}ms step-end infinite}`
    );
  }

  svg({
    x,
    y,
    className,
    anchor = 'start',
  }: {
    x: number;
    y: number;
    className: string;
    anchor?: string;
  }): string {
    const lines = this.#lines.map(
      ({ text }, index) => `<text y="${index * FIRST_LINE}">${escaped(text)}</text>`,
    );
    return (
      `<svg x="0" y="${y - FIRST_LINE + 7}" width="${WIDTH}" height="${FIRST_LINE}">` +
      `<g transform="translate(${x} ${FIRST_LINE - 7})" class="${className}" text-anchor="${anchor}"><g id="${this.name}">${lines.join('')}</g></g></svg>`
    );
  }

  #y(index: number): number {
    return -index * FIRST_LINE;
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Relative steps are shorter than places. */
function pathOf(places: readonly (readonly [x: number, y: number])[], mark: string): string {
  let [lastX, lastY] = [0, 0];
  return places
    .map(([x, y]) => {
      const [dx, dy] = [Number((x - lastX).toFixed(1)), Math.round(y - lastY)];
      lastX = x;
      lastY = y;
      return `m${dx}${dy < 0 ? '' : ' '}${dy}${mark}`;
    })
    .join('');
}

/** A recorded run of the scenario *revoke* as a picture that moves, in the colours and with the texts of the page. */
export function recordingOf(updates: readonly RecordedUpdate[], palette: Palette): string {
  const events: Event[] = updates
    .flatMap(({ requests }) => requests)
    .map((request) => ({ ...request, time: Date.parse(request.at) + request.durationMs }));
  const fault = updates.flatMap(({ actions }) => actions).find(({ chain }) => chain.includes('revokeAll'));
  if (fault === undefined) throw new Error('There is no revocation in this run.');
  const [story] = updates.flatMap(({ stories }) => stories).slice(-1);
  const strip = new Strip(Date.parse(fault.at), (story?.until ?? 0) - Date.parse(fault.at) + AFTER_MS);
  const { afterMs, lengthMs } = strip;
  const from = strip.fault - BEFORE_MS;
  const seen = events.filter(({ time }) => time > from - SPAN_MS && time < strip.fault + afterMs);
  const texts = textsOf(updates, strip);
  const calls = seen.filter(({ kind }) => kind === 'api').toSorted((one, other) => one.time - other.time);
  const places = (ok: boolean) =>
    calls.filter((call) => call.ok === ok).map((call) => [strip.x(call.time), heightOf(call)] as const);
  const byId = new Map(calls.map((call) => [call.id, call]));
  const joins = calls.flatMap((call) => {
    const refused = call.resendOf === undefined ? undefined : byId.get(call.resendOf);
    return refused === undefined
      ? []
      : `M${strip.x(refused.time)} ${heightOf(refused)}L${strip.x(call.time)} ${heightOf(call)}`;
  });
  const tokens = seen
    .filter(({ kind }) => kind === 'token')
    .map(({ time }) => [strip.x(time), TOKENS] as const);
  const seconds = Array.from({ length: Math.ceil((SPAN_MS + lengthMs) / 1000) }, (_, index) => index - 10);
  const grid = seconds.map((second) => `M${strip.x(strip.fault + second * 1000)} ${TOP}V${AXIS}`);
  const labels = seconds
    .filter((second) => second % 2 === 0)
    .map((second) => {
      const text = second === 0 ? '0 s' : `${second > 0 ? '+' : '−'}${Math.abs(second)} s`;
      return `<text x="${strip.x(strip.fault + second * 1000) + 4}" y="${AXIS + 15}">${text}</text>`;
    });
  const endOf = (ms: number): string => `transform:translateX(${Math.round(RIGHT - ms * SCALE)}px)`;
  const moving = (100 * (BEFORE_MS + afterMs)) / lengthMs;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="A recorded run on the page of the simulator: 1,000 callers lose their token. One token request appears, and each refused call is sent again." font-family="Inter, ui-sans-serif, system-ui, sans-serif">
<style>
.page{fill:${palette['card']};stroke:${palette['line']}}.ink{fill:${palette['ink']}}.soft{fill:${palette['soft']};font-size:13px}.small{fill:${palette['soft']};font-size:11px}.good{fill:${palette['good']}}.head{font-size:18px;font-weight:600}.row{font-size:14px}.warn{fill:${palette['warn']};font-size:12px}
.calls{fill:none;stroke:${palette['call']};stroke-width:4.6;stroke-linecap:round}.bad{fill:none;stroke:${palette['bad']};stroke-width:1.6}.joins{fill:none;stroke:${palette['bad']};opacity:.25}.token{fill:${palette['accent']}}.grid{fill:none;stroke:${palette['line']}}.mark{stroke:${palette['warn']};stroke-width:2}
text{font-variant-numeric:tabular-nums}
#strip{${endOf(afterMs)};animation:strip ${lengthMs}ms linear infinite}
@keyframes strip{0%{${endOf(-BEFORE_MS)}}${moving.toFixed(2)}%{${endOf(afterMs)}}100%{${endOf(afterMs)}}}
${texts.map(({ style }) => style).join('\n')}
@media (prefers-reduced-motion:reduce){g{animation:none!important}}
</style>
<rect class="page" x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="12"/>
${texts.map((text, index) => text.svg(PLACES[index] ?? { x: 0, y: 0, className: '' })).join('\n')}
<g class="soft"><text x="24" y="${TOKENS + 4}">tokens</text><text x="24" y="${CALLS.top + 26}">calls</text><text x="24" y="${FAILED.top + 14}">refused</text></g>
<svg x="${LEFT}" y="0" width="${RIGHT - LEFT}" height="${HEIGHT}" viewBox="${LEFT} 0 ${RIGHT - LEFT} ${HEIGHT}">
<g id="strip">
<path class="grid" d="${grid.join('')}"/>
<g class="small">${labels.join('')}</g>
<path class="mark" d="M0 ${TOP}V${AXIS}"/><text class="warn" x="5" y="${TOP + 8}">revoke</text>
<path class="joins" d="${joins.join('')}"/>
<path class="calls" d="${pathOf(places(true), 'h0')}"/>
<path class="bad" d="${pathOf(
    places(false).map(([x, y]) => [x - 3, y - 3]),
    'l6 6m0-6l-6 6m0-6',
  )}"/>
<path class="token" d="${tokens.map(([x, y]) => `M${x - 7} ${y}l7-7 7 7-7 7z`).join('')}"/>
</g>
</svg>
</svg>
`;
}

const PLACES = [
  { x: 24, y: 44, className: 'head good' },
  { x: 24, y: 78, className: 'row ink' },
  { x: RIGHT, y: 78, className: 'row soft', anchor: 'end' },
  { x: 24, y: HEIGHT - 14, className: 'row good' },
];

/** The headline, the numbers of the pair, its callers, and the story. */
function textsOf(updates: readonly RecordedUpdate[], { fault, afterMs, lengthMs }: Strip): Texts[] {
  const [headline, numbers, callers, story] = ['headline', 'numbers', 'callers', 'story'].map(
    (name) => new Texts(name, lengthMs),
  );
  for (const { now, pairs, load, stories, ...update } of updates) {
    const at = now - fault + BEFORE_MS;
    // The verdict comes a moment after the end.
    const isOver = load.callers === 0;
    if (at > BEFORE_MS + afterMs && !isOver) continue;
    const pair = pairs.find(({ name }) => name === load.name);
    const recovered = pair?.recovered ? `, ${shown(pair.recovered)} recovered` : '';
    headline?.say(at, (update.headline.level === 'good' ? '✔ ' : '') + update.headline.text);
    numbers?.say(
      at,
      `${load.name}: ${counted(pair?.tokenRequests ?? 0, 'token request')}, ${counted(pair?.apiRequests ?? 0, 'call')}${recovered}`,
    );
    const failed = load.failed === 0 ? 'no call' : counted(load.failed, 'call');
    if (!isOver) callers?.say(at, `${counted(load.callers, 'caller')}, ${failed} failed`);
    const [last] = stories.slice(-1);
    if (last !== undefined)
      story?.say(
        at,
        `${counted(last.refused, 'call')} refused → ${counted(last.tokenRequests, 'token request')} → ${shown(last.sentAgain)} sent again` +
          (last.until === undefined ? '' : `, in ${shown(last.until - last.from)} ms`),
      );
    else if (at < BEFORE_MS) story?.say(at, '');
  }
  return [headline, numbers, callers, story].filter((texts) => texts !== undefined);
}
