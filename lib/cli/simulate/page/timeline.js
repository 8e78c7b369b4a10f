/**
 * The timeline: one row for each pair. Token requests are diamonds, calls are dots, failed calls are crosses in another track,
 * faults are shaded bands, and a line joins a refused call with the call that was sent again.
 *
 * The browser moves a row: one animation shifts its strip, without code in each frame. A strip is a few canvases side by side. An
 * event is drawn once, when it comes.
 */

/** How many events of each kind all rows keep together, for two minutes of the fastest load. Older ones leave: calls never displace what is rare. */
const KEPT = { token: 5000, failed: 15_000, ok: 40_000 };

/** Events leave in groups, because the first one of a long map is slow to find. */
const GROUP = 500;

/** Seconds that a window shows. */
const SPANS = [5, 10, 20, 60, 180];

/** Events come in updates. With this delay, most of them come before their time is on the screen. */
const DELAY_MS = 200;

/** A clock that jumps by more moves the window. */
const MAX_DRIFT_MS = 300;

/** Then the strips begin again, because a browser does not move them by millions of pixels. */
const LONGEST_MS = 600_000;

/** A row stays readable at this height. The style sheet has the same heights of the tracks. */
const HEIGHT = 116;
const TOKENS = 21;
const CALLS = { top: 36, height: 34 };
const FAILED = { top: 79, height: 14 };
const AXIS = 100;

/** As wide as the largest mark of an event. */
const MARK = 14;

/** Making a format takes longer than using it. */
const TIME = new Intl.DateTimeFormat([], { timeStyle: 'medium', hourCycle: 'h23' });

export const timeText = (at) => TIME.format(new Date(at));

/** Refused calls and the calls that were sent again are joined. */
const sortOf = ({ kind, ok, resendOf }) =>
  kind === 'token' ? kind : ok && resendOf === undefined ? 'ok' : 'failed';

const isFailedCall = ({ kind, ok }) => kind === 'api' && !ok;

/** A call has the same place each time it is drawn, and neighbours do not cover each other. */
function heightOf(event) {
  if (event.kind === 'token') return TOKENS;
  const { top, height } = event.ok ? CALLS : FAILED;
  return top + ((event.id * 0.618034) % 1) * height;
}

const count = (what, one) => `${what} ${one}${what === 1 ? '' : 's'}`;

function block(className, parent) {
  const created = Object.assign(document.createElement('div'), { className });
  parent.append(created);
  return created;
}

export class Timeline {
  /** `now` is the clock of the simulator. */
  constructor({ now, onChange }) {
    this.now = now;
    this.onChange = onChange;
    this.rows = new Map();
    /** The row of each event, by the id, the oldest first. */
    this.kept = { token: new Map(), failed: new Map(), ok: new Map() };
    this.span = 20;
    /** The right end, while the timeline does not follow the clock. */
    this.end = undefined;
    this.isCalm = matchMedia('(prefers-reduced-motion: reduce)');
    this.sprites = new Map();
    for (const query of ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)'])
      matchMedia(query).addEventListener('change', () => this.readColours());
    this.resized = new ResizeObserver(() => {
      if (this.width !== this.widthOfRows()) this.layOut();
    });
    // A row that is not on the screen has no canvases: there can be hundreds of accounts.
    this.seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.showRow(target, isIntersecting);
      this.tick();
    });
    this.readColours();
  }

  get isPaused() {
    return this.end !== undefined;
  }

  addRow(name, place) {
    const strip = block('strip', place);
    const row = {
      name,
      place,
      strip,
      events: new Map(),
      seen: 0,
      bands: [],
      tiles: new Map(),
      isSeen: true,
    };
    row.bandLayer = block('bands', strip);
    this.rows.set(name, row);
    this.resized.observe(place);
    this.seen.observe(place);
  }

  removeRow(name) {
    const { place } = this.rows.get(name);
    this.resized.unobserve(place);
    this.seen.unobserve(place);
    this.rows.delete(name);
  }

  clear() {
    for (const ids of Object.values(this.kept)) ids.clear();
    for (const row of this.rows.values()) {
      row.events.clear();
      Object.assign(row, { seen: 0, total: undefined, goneUntil: undefined, leftOutAt: undefined });
    }
    this.newest = undefined;
    this.layOut();
  }

  add(name, request) {
    const row = this.rows.get(name);
    if (row === undefined) return;
    const { id, kind, ok, resendOf, at, durationMs } = request;
    const event = { id, kind, ok, resendOf, time: Date.parse(at) + durationMs };
    const sort = sortOf(event);
    row.events.set(id, event);
    row.seen += 1;
    this.newest = Math.max(this.newest ?? 0, event.time);
    this.kept[sort].set(id, row);
    if (this.kept[sort].size >= KEPT[sort] + GROUP) this.forget(this.kept[sort]);
    this.drawEvent(row, event);
  }

  /** The simulator has counted so many requests. Under heavy load it sends only some of them, and a page that opens later gets the last ones. */
  compare(name, total) {
    const row = this.rows.get(name);
    const [oldest] = row.events.values();
    if (row.total === undefined && total > row.seen) row.goneUntil = oldest?.time;
    if (total - row.total > row.seen) row.leftOutAt = this.now();
    Object.assign(row, { total, seen: 0 });
  }

  /** The oldest events leave. They stay where they are drawn. */
  forget(ids) {
    let left = GROUP;
    for (const [id, row] of ids) {
      if ((left -= 1) < 0) return;
      row.goneUntil = row.events.get(id).time;
      row.events.delete(id);
      ids.delete(id);
    }
  }

  /** The bands of a row: faults, with `from` and perhaps `until`. */
  showBands(name, bands) {
    const row = this.rows.get(name);
    if (row === undefined) return;
    row.bands = bands.toSorted((one, other) => one.from - other.from);
    this.drawBands(row);
  }

  togglePause() {
    this.end = this.isPaused ? undefined : this.now() - DELAY_MS;
    this.changed();
  }

  zoom(step) {
    const at = Math.max(0, Math.min(SPANS.length - 1, SPANS.indexOf(this.span) + step));
    this.span = SPANS[at];
    this.changed();
  }

  /** Moves the window by a part of its width. The right end of time resumes the clock. */
  move(part) {
    const end = this.window()[1] + part * this.span * 1000;
    this.end = end >= this.now() - DELAY_MS ? undefined : end;
    this.changed();
  }

  get isPast() {
    return this.newest < this.window()[0];
  }

  /** The last requests, with a little room on the right. */
  showLast() {
    if (this.newest) this.end = this.newest + this.span * 100;
    this.changed();
  }

  follow() {
    this.end = undefined;
    this.changed();
  }

  changed() {
    this.layOut();
    this.onChange();
  }

  /** The keys of the timeline. Returns whether the key was one of them. */
  press(key) {
    const acts = {
      ' ': () => this.togglePause(),
      '+': () => this.zoom(-1),
      '=': () => this.zoom(-1),
      '-': () => this.zoom(1),
      ArrowLeft: () => this.move(-0.25),
      ArrowRight: () => this.move(0.25),
      Home: () => this.showLast(),
      End: () => this.follow(),
    };
    acts[key]?.();
    return key in acts;
  }

  /** The same in words, for each row. */
  summary(name) {
    const { events, bands, goneUntil, leftOutAt } = this.rows.get(name);
    const [from, to] = this.window();
    const seen = [...events.values()].filter(({ time }) => time >= from && time <= to);
    const of = (wanted) => seen.filter(wanted).length;
    const texts = [
      count(
        of(({ kind }) => kind === 'api'),
        'call',
      ),
      `${of(isFailedCall)} failed`,
      `${of(({ resendOf }) => resendOf !== undefined)} sent again`,
      count(
        of(({ kind }) => kind === 'token'),
        'token request',
      ),
      `${of(({ kind, ok }) => kind === 'token' && !ok)} failed`,
    ];
    if (goneUntil >= from) texts.push(`the newest ${seen.length} shown`);
    if (leftOutAt >= from) texts.push('some calls left out under load');
    const active = bands.filter((band) => band.from <= to && (band.until ?? to) >= from);
    if (active.length > 0) texts.push(`faults: ${active.map(({ label }) => label).join(', ')}`);
    return `${name}, ${this.span} seconds: ${texts.join(', ')}.`;
  }

  window() {
    const to = this.end ?? this.now() - DELAY_MS;
    return [to - this.span * 1000, to];
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    this.colours = Object.fromEntries(
      ['call', 'accent', 'bad', 'line', 'soft'].map((name) => [name, colour(name)]),
    );
    this.sprites.clear();
    this.layOut();
  }

  /** All rows that are shown have the same width. */
  widthOfRows() {
    return Math.max(0, ...[...this.rows.values()].map(({ place }) => place.clientWidth));
  }

  showRow(place, isSeen) {
    const row = [...this.rows.values()].find((one) => one.place === place);
    // The browser may report a row that was removed meanwhile.
    if (row === undefined) return;
    row.isSeen = isSeen;
    if (this.width) this.animate(row);
  }

  /** Draws everything again: after a zoom, a move, a pause or a new width. */
  layOut() {
    this.width = this.widthOfRows();
    for (const row of this.rows.values()) {
      for (const { canvas } of row.tiles.values()) canvas.remove();
      row.tiles.clear();
    }
    if (this.width === 0) return;
    [this.origin] = this.window();
    this.scale = this.width / (this.span * 1000);
    this.tileWidth = Math.ceil(this.width / 2);
    // The clock of animations, also between two frames.
    this.start = performance.now();
    for (const row of this.rows.values()) this.animate(row);
    this.tick();
  }

  /** Without motion, a strip moves once a second. */
  animate(row) {
    row.animation?.cancel();
    row.animation = undefined;
    if (this.isPaused || !row.isSeen) return;
    const shift = `translateX(${-LONGEST_MS * this.scale}px)`;
    row.animation = row.strip.animate(
      { transform: ['translateX(0)', shift] },
      { duration: LONGEST_MS, easing: this.isCalm.matches ? `steps(${LONGEST_MS / 1000})` : 'linear' },
    );
    row.animation.startTime = this.start;
  }

  /** Call this a few times a second: canvases come on the right, and leave on the left. */
  tick() {
    if (!this.width) return;
    const [from, to] = this.window();
    const moved = this.isPaused ? from : this.origin + performance.now() - this.start;
    if (Math.abs(from - moved) > MAX_DRIFT_MS || from - this.origin > LONGEST_MS) return this.layOut();
    const first = Math.floor(this.x(from) / this.tileWidth);
    const last = Math.floor(this.x(to) / this.tileWidth) + (this.isPaused ? 0 : 1);
    Object.assign(this, { first, last });
    for (const row of this.rows.values()) {
      for (const [index, { canvas }] of row.tiles)
        if (index < first || !row.isSeen) {
          canvas.remove();
          row.tiles.delete(index);
        }
      if (!row.isSeen) continue;
      for (let index = first; index <= last; index += 1) if (!row.tiles.has(index)) this.drawTile(row, index);
      this.drawBands(row);
    }
  }

  /** Pixels from the left end of a strip. */
  x(time) {
    return (time - this.origin) * this.scale;
  }

  drawTile(row, index) {
    const ratio = devicePixelRatio;
    const left = index * this.tileWidth;
    const canvas = Object.assign(document.createElement('canvas'), {
      width: Math.round(this.tileWidth * ratio),
      height: Math.round(HEIGHT * ratio),
    });
    canvas.style.left = `${left}px`;
    canvas.style.width = `${this.tileWidth}px`;
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, -left * ratio, 0);
    row.tiles.set(index, { canvas, context });
    row.strip.append(canvas);
    this.drawGrid(context, left);
    const from = this.origin + (left - MARK) / this.scale;
    // The line of an event comes from an earlier one, so a later event can be part of this canvas.
    for (const event of row.events.values()) if (event.time >= from) this.drawEvent(row, event, index);
  }

  /** Draws an event on the canvases of its time, or on one of them. */
  drawEvent(row, event, only) {
    if (row.tiles.size === 0) return;
    const [x, y] = [this.x(event.time), heightOf(event)];
    const refused = event.resendOf === undefined ? undefined : row.events.get(event.resendOf);
    const left = refused === undefined ? x : Math.min(x, this.x(refused.time));
    const [first, last] = [left - MARK, x + MARK].map((place) => Math.floor(place / this.tileWidth));
    for (let index = only ?? first; index <= (only ?? last); index += 1) {
      const { context } = row.tiles.get(index) ?? {};
      if (context === undefined || index < first || index > last) continue;
      if (refused !== undefined) this.drawLine(context, [this.x(refused.time), heightOf(refused)], [x, y]);
      const { canvas, size } = this.spriteOf(event);
      context.drawImage(canvas, x - size / 2, y - size / 2, size, size);
    }
  }

  /** Below the events that are there. */
  drawLine(context, from, to) {
    context.globalCompositeOperation = 'destination-over';
    context.globalAlpha = 0.25;
    context.strokeStyle = this.colours.bad;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'source-over';
  }

  drawGrid(context, left) {
    const step = this.span * (this.width < 500 ? 500 : 200);
    const right = left + this.tileWidth;
    context.fillStyle = this.colours.soft;
    context.strokeStyle = this.colours.line;
    context.font = '10px system-ui, sans-serif';
    context.beginPath();
    context.moveTo(left, AXIS + 0.5);
    context.lineTo(right, AXIS + 0.5);
    // The text of the line before can reach into this canvas.
    const first = Math.floor((this.origin + left / this.scale) / step) * step;
    for (let time = first; this.x(time) <= right; time += step) {
      const x = Math.round(this.x(time)) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, AXIS + 4);
      context.fillText(timeText(time), x + 3, HEIGHT - 4);
    }
    context.stroke();
  }

  /** Bands on the screen, each with its label. A long band has several, so that one of them is on the screen. */
  drawBands(row) {
    if (!this.width || !row.isSeen) return;
    const [left, right] = [this.first * this.tileWidth, (this.last + 1) * this.tileWidth];
    const seen = row.bands
      .map(({ from, until, label, isMark }) => {
        const x = this.x(from);
        // Labels stay where they are when the first ones leave.
        const gone = Math.max(0, Math.floor((left - x) / this.tileWidth)) * this.tileWidth;
        return { label, isMark, x: x + gone, end: until ? Math.min(this.x(until), right) : right };
      })
      .filter(({ x, end }) => end >= left && x <= right);
    const key = JSON.stringify([seen, left, right]);
    if (row.bandKey === key) return;
    row.bandKey = key;
    const bands = seen.map(({ x, end, isMark }) => {
      const band = block(isMark ? 'mark' : 'fault', row.bandLayer);
      band.style.left = `${x}px`;
      band.style.width = `${Math.max(2, end - x)}px`;
      return band;
    });
    row.bandLayer.replaceChildren(...bands, ...this.labelsOf(seen));
  }

  /** A label ends where the next one begins. Bands that begin together have one label. */
  labelsOf(bands) {
    const labels = [];
    const wanted = bands.flatMap(({ label, x, end }) => {
      const repeats = Math.max(0, Math.floor((end - x) / this.tileWidth));
      return Array.from({ length: repeats + 1 }, (_, index) => ({ label, x: x + index * this.tileWidth }));
    });
    for (const { label, x } of wanted.toSorted((one, other) => one.x - other.x)) {
      const last = labels.at(-1);
      if (x - last?.x < 5) last.texts.add(label);
      else labels.push({ x, texts: new Set([label]) });
    }
    return labels.map(({ x, texts }, index) => {
      const created = Object.assign(document.createElement('span'), { textContent: [...texts].join(', ') });
      created.style.left = `${x + 4}px`;
      created.style.maxWidth = `${(labels[index + 1]?.x ?? Infinity) - x - 6}px`;
      return created;
    });
  }

  spriteOf({ kind, ok }) {
    const { call, accent, bad } = this.colours;
    if (kind === 'token') return ok ? this.sprite('diamond', accent) : this.sprite('hollow', bad);
    return ok ? this.sprite('dot', call) : this.sprite('cross', bad);
  }

  /** A shape is drawn once, and then copied: this is much faster than a path for each event. */
  sprite(shape, colour) {
    const key = `${shape} ${colour} ${devicePixelRatio}`;
    const found = this.sprites.get(key);
    if (found) return found;
    const ratio = devicePixelRatio;
    const size = shape === 'dot' ? 6 : MARK;
    const canvas = Object.assign(document.createElement('canvas'), {
      width: size * ratio,
      height: size * ratio,
    });
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.fillStyle = context.strokeStyle = colour;
    const half = size / 2;
    context.beginPath();
    if (shape === 'dot') context.arc(half, half, 2.4, 0, 7);
    else if (shape === 'cross') {
      context.lineWidth = 2;
      for (const side of [-1, 1]) {
        context.moveTo(half - 3 * side, half - 3);
        context.lineTo(half + 3 * side, half + 3);
      }
      context.stroke();
    } else {
      for (const [x, y] of [
        [half, 1],
        [size - 1, half],
        [half, size - 1],
        [1, half],
      ])
        context.lineTo(x, y);
      context.closePath();
      if (shape === 'hollow') {
        context.lineWidth = 2;
        context.stroke();
      }
    }
    if (shape === 'dot' || shape === 'diamond') context.fill();
    const sprite = { canvas, size };
    this.sprites.set(key, sprite);
    return sprite;
  }
}
