/**
 * The timeline: one row for each pair. Calls are dots, token requests are diamonds, faults are shaded bands, and a line joins a
 * refused call with the call that was sent again. Each row has its own canvas; all of them share one window of time.
 */

/** How many events a row keeps. Older ones leave. */
const KEPT = 4000;

const SPANS = [5, 10, 20, 60, 180];

/** A row stays readable at this height. */
const HEIGHT = 96;
const TOP = 14;
const BOTTOM = 82;

/** A dot has the same place each time it is drawn, and neighbours do not cover each other. */
const placeOf = (id) => TOP + 14 + ((id * 0.618034) % 1) * (BOTTOM - TOP - 14);

const count = (what, one) => `${what} ${one}${what === 1 ? '' : 's'}`;

export class Timeline {
  /** `now` is the clock of the simulator. */
  constructor({ now, onChange }) {
    this.now = now;
    this.onChange = onChange;
    this.rows = new Map();
    this.span = 20;
    /** The right end, while the timeline does not follow the clock. */
    this.end = undefined;
    this.isCalm = matchMedia('(prefers-reduced-motion: reduce)');
    /** How long the last drawings took, in milliseconds. */
    this.durations = [];
    this.sprites = new Map();
    for (const query of ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)'])
      matchMedia(query).addEventListener('change', () => this.readColours());
    this.readColours();
    this.last = 0;
    requestAnimationFrame((at) => this.frame(at));
  }

  get isPaused() {
    return this.end !== undefined;
  }

  addRow(name, canvas) {
    this.rows.set(name, { name, canvas, events: [], byId: new Map(), bands: [] });
    new ResizeObserver(() => (this.last = 0)).observe(canvas);
  }

  clear() {
    for (const row of this.rows.values()) Object.assign(row, { events: [], byId: new Map() });
  }

  add(name, request) {
    const row = this.rows.get(name);
    if (row === undefined) return;
    const event = { ...request, time: Date.parse(request.at) + request.durationMs };
    row.events.push(event);
    row.byId.set(event.id, event);
    if (row.events.length > KEPT) row.byId.delete(row.events.shift().id);
  }

  /** The bands of a row: faults, with `from` and perhaps `until`. */
  showBands(name, bands) {
    const row = this.rows.get(name);
    if (row !== undefined) row.bands = bands;
  }

  togglePause() {
    this.end = this.isPaused ? undefined : this.now();
    this.changed();
  }

  zoom(step) {
    const at = Math.max(0, Math.min(SPANS.length - 1, SPANS.indexOf(this.span) + step));
    this.span = SPANS[at];
    this.changed();
  }

  /** Moves the window by a part of its width. The right end of time resumes the clock. */
  move(part) {
    const end = (this.end ?? this.now()) + part * this.span * 1000;
    this.end = end >= this.now() ? undefined : end;
    this.changed();
  }

  changed() {
    this.last = 0;
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
      End: () => {
        this.end = undefined;
        this.changed();
      },
    };
    acts[key]?.();
    return key in acts;
  }

  /** The same in words, for each row. */
  summary(name) {
    const { events, bands } = this.rows.get(name);
    const [from, to] = this.window();
    const seen = events.filter(({ time }) => time >= from && time <= to);
    const of = (wanted) => seen.filter(wanted).length;
    const texts = [
      count(
        of(({ kind }) => kind === 'api'),
        'call',
      ),
      `${of(({ kind, ok }) => kind === 'api' && !ok)} failed`,
      `${of(({ resendOf }) => resendOf !== undefined)} sent again`,
      count(
        of(({ kind }) => kind === 'token'),
        'token request',
      ),
      `${of(({ kind, ok }) => kind === 'token' && !ok)} failed`,
    ];
    const active = bands.filter((band) => band.from <= to && (band.until ?? to) >= from);
    if (active.length > 0) texts.push(`faults: ${active.map(({ label }) => label).join(', ')}`);
    return `${name}, ${this.span} seconds: ${texts.join(', ')}.`;
  }

  window() {
    const to = this.end ?? this.now();
    return [to - this.span * 1000, to];
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    this.colours = Object.fromEntries(
      ['call', 'accent', 'bad', 'warn', 'line', 'soft', 'band'].map((name) => [name, colour(name)]),
    );
    this.sprites.clear();
    this.last = 0;
  }

  /** A shape is drawn once, and then copied: this is much faster than a path for each event. */
  sprite(shape, colour) {
    const key = `${shape} ${colour}`;
    const found = this.sprites.get(key);
    if (found) return found;
    const ratio = devicePixelRatio;
    const size = shape === 'dot' ? 6 : 14;
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

  frame(at) {
    requestAnimationFrame((next) => this.frame(next));
    // Without motion, the window moves once a second.
    const wait = this.isPaused ? Infinity : this.isCalm.matches ? 1000 : 0;
    if (document.hidden || (this.last !== 0 && at - this.last < wait)) return;
    this.last = at;
    const start = performance.now();
    for (const row of this.rows.values()) this.draw(row);
    this.durations.push(performance.now() - start);
    if (this.durations.length > 600) this.durations.shift();
  }

  draw({ canvas, events, byId, bands }) {
    const ratio = devicePixelRatio;
    const width = canvas.clientWidth;
    if (width === 0) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== HEIGHT * ratio)
      Object.assign(canvas, { width: Math.round(width * ratio), height: HEIGHT * ratio });
    const context = canvas.getContext('2d');
    const [from, to] = this.window();
    const { colours } = this;
    const x = (time) => ((time - from) / (to - from)) * width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, HEIGHT);
    this.drawGrid(context, { from, to, x, width });
    let free = 0;
    for (const band of bands.toSorted((one, other) => one.from - other.from)) {
      const [left, right] = [Math.max(0, x(band.from)), Math.min(width, x(band.until ?? to))];
      if (right < 0 || left > width) continue;
      context.fillStyle = colours.band;
      context.fillRect(left, 0, Math.max(2, right - left), HEIGHT - 10);
      context.fillStyle = colours.warn;
      context.font = '11px system-ui, sans-serif';
      // A label that would cover the one before begins after it.
      const start = Math.max(left + 3, free);
      context.fillText(band.label, start, 10);
      free = start + context.measureText(band.label).width + 8;
    }
    context.strokeStyle = colours.bad;
    context.globalAlpha = 0.45;
    context.beginPath();
    for (const { resendOf, time, id } of events) {
      const refused = resendOf === undefined || time < from ? undefined : byId.get(resendOf);
      if (refused === undefined) continue;
      context.moveTo(x(refused.time), placeOf(refused.id));
      context.lineTo(x(time), placeOf(id));
    }
    context.stroke();
    context.globalAlpha = 1;
    const tokens = [];
    for (const event of events) {
      if (event.time < from || event.time > to + 1000) continue;
      if (event.kind === 'token') tokens.push(event);
      else {
        const sprite = event.ok ? this.sprite('dot', colours.call) : this.sprite('cross', colours.bad);
        this.stamp(context, sprite, x(event.time), placeOf(event.id));
      }
    }
    for (const { ok, time } of tokens) {
      const sprite = ok ? this.sprite('diamond', colours.accent) : this.sprite('hollow', colours.bad);
      this.stamp(context, sprite, x(time), TOP + 6);
    }
  }

  stamp(context, { canvas, size }, x, y) {
    context.drawImage(canvas, x - size / 2, y - size / 2, size, size);
  }

  drawGrid(context, { from, to, x, width }) {
    const step = this.span * (width < 500 ? 500 : 200);
    context.fillStyle = this.colours.soft;
    context.strokeStyle = this.colours.line;
    context.font = '10px system-ui, sans-serif';
    context.beginPath();
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
      context.moveTo(Math.round(x(time)) + 0.5, 0);
      context.lineTo(Math.round(x(time)) + 0.5, BOTTOM + 1);
      const text = new Date(time).toLocaleTimeString([], { hour12: false });
      if (x(time) < width - 46) context.fillText(text, x(time) + 2, HEIGHT - 2);
    }
    context.stroke();
  }
}
