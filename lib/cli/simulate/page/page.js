/**
 * The page of `provider-auth simulate`, in three parts. `simulatorSource` knows where the data comes from, and `send` where an
 * action goes. `View` only draws: it gets states and requests, and reports what a person chooses. The timeline is a file apart.
 */
import { timeText, Timeline } from './timeline.js';

/** More rows would make the page slow. */
const MAX_ROWS = 200;

/** The filter searches so many requests and actions. */
const KEPT = 2000;

/** The bars move this often, and the list changes at most this often. */
const TICK_MS = 250;

/** An update takes less time to come. */
const SAME_CLOCK_MS = 250;

/** A busy machine makes no more updates in a row late. */
const MOST_LATE = 20;

/** The simulator remembers so many stories. */
const MAX_STORIES = 50;

/** Marks of the timeline that a person sees. */
const MAX_MARKS = 50;

const byId = (id) => document.getElementById(id);

function element(name, { text, ...properties } = {}, children = []) {
  const created = Object.assign(document.createElement(name), properties);
  if (text !== undefined) created.textContent = text;
  created.append(...children);
  return created;
}

/** An unchanged text is not said again, and a selection in it stays. */
function setText(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

function button(text, act, properties = {}) {
  const created = element('button', { type: 'button', text, ...properties });
  created.addEventListener('click', act);
  return created;
}

const nameOf = ({ interface: name, environment, account }) =>
  [name, environment, account].filter(Boolean).join(' ');

const rowNameOf = (pair) => nameOf(pair) || 'unknown address';

const NUMBER = new Intl.NumberFormat('en');

const shown = (count) => NUMBER.format(count);

const numbered = (count, what) => `${shown(count)} ${what}${count === 1 ? '' : 's'}`;

/** `59:31`, or `2:05:10` */
function clockText(ms) {
  const seconds = Math.ceil(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** `1 hour`, or `90 seconds` */
function lifeText(ms) {
  const [unit, size] = [
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000],
  ].find(([unit, size]) => ms % size === 0 || unit === 'second');
  return numbered(ms / size, unit);
}

/** Says the level of a verdict without its colour. */
const MARKS = { good: '✔ ', warn: '⚠ ', bad: '✘ ' };

function showVerdict(place, { level, text }) {
  place.className = level === 'idle' ? 'soft' : level;
  place.textContent = (MARKS[level] ?? '') + text;
}

/** The address of the control server. A page is below it. */
const CONTROL = location.href.replace(/\/[^/]*$/, '');

const curlOf = (on, body) => `curl '${CONTROL}/${on}' --data '${body.replaceAll("'", String.raw`'\''`)}'`;

/** A button that copies a text, and says so. */
function copyButton(label, textOf) {
  const created = button(label, async () => {
    try {
      await navigator.clipboard.writeText(await textOf());
      created.textContent = 'Copied';
    } catch {
      created.textContent = 'Not copied';
    }
    setTimeout(() => (created.textContent = label), 1500);
  });
  return created;
}

const copiesOf = ({ on, code, body }) => [
  copyButton('Copy as test', () => code),
  ...(on ? [copyButton('Copy curl', () => curlOf(on, body))] : []),
];

const readSession = async () => (await fetch('session.spec.ts')).text();

/** One row of the timeline. It keeps its elements, so that the focus and the screen reader stay where they are. */
class PairRow {
  constructor(pair) {
    this.name = pair.name;
    this.state = element('span');
    this.bar = element('progress', { max: 1, value: 0 });
    this.bar.setAttribute('aria-label', `${this.name}: life left of the newest token`);
    this.left = element('p', { className: 'left soft' });
    this.tokens = element('span');
    this.calls = element('span');
    this.unsent = element('p', { className: 'unsent bad' });
    this.verdict = element('p');
    this.window = element('div', { className: 'window' });
    this.item = element('li');
    const tracks = ['tokens', 'calls', 'failed'].map((track) => element('span', { text: track }));
    const lines = element('div', { className: 'lines' }, [
      element('div', { className: 'tracks' }, tracks),
      this.window,
    ]);
    lines.setAttribute('aria-hidden', 'true');
    const head = element('header', {}, [element('h3', { text: this.name }), this.state]);
    const numbers = element('p', { className: 'numbers' }, [this.tokens, this.calls]);
    const facts = element('div', { className: 'facts' }, [head, this.bar, this.left, numbers, this.unsent]);
    const course = element('div', { className: 'course' }, [this.verdict, lines]);
    this.root = element('article', { className: 'pair' }, [facts, course]);
    this.root.setAttribute('aria-label', this.name);
  }

  draw(pair, now) {
    this.pair = pair;
    this.bar.hidden = pair.interface === undefined;
    this.root.classList.toggle('quiet', pair.tokenRequests + pair.apiRequests + pair.unsent === 0);
    this.count(this.tokens, pair.tokenRequests, 'token request', pair.failedTokenRequests);
    this.count(this.calls, pair.apiRequests, 'call', pair.failedCalls - pair.recovered, pair.recovered);
    this.unsent.textContent =
      pair.unsent > 0 ? `✘ failed before they were sent: ${shown(pair.unsent)} (no token)` : '';
    showVerdict(this.verdict, pair.verdict);
    this.tick(now);
  }

  /** A call that failed, was sent again and then worked is no failure for its caller. */
  count(place, count, what, failed, recovered = 0) {
    const [number, ...rest] = numbered(count, what).split(' ');
    const failures =
      failed === 0 ? [] : [element('span', { className: 'bad', text: `, ✘ ${shown(failed)} failed` })];
    const others = recovered === 0 ? [] : [`, ${shown(recovered)} recovered`];
    place.replaceChildren(element('strong', { text: number }), ` ${rest.join(' ')}`, ...failures, ...others);
  }

  tick(now) {
    // An unknown address has no token.
    if (this.pair.interface === undefined) return;
    const { state, expiresAt = 0, lifetimeMs = 1, fingerprint } = this.pair.token;
    const isOver = state === 'valid' && expiresAt <= now;
    const life = isOver ? 'expired' : state;
    const left = life === 'valid' ? Math.max(0, expiresAt - now) : 0;
    this.state.textContent = life === 'none' ? 'no token yet' : life;
    this.state.className = `state ${{ valid: 'good', revoked: 'bad', expired: 'warn' }[life] ?? 'soft'}`;
    this.bar.value = Math.min(1, left / lifetimeMs);
    this.bar.textContent = `${Math.round(this.bar.value * 100)} %`;
    this.left.textContent =
      life === 'valid'
        ? `${clockText(left)} of ${clockText(lifetimeMs)} left, fingerprint ${fingerprint}`
        : life === 'none'
          ? ''
          : `issued for ${lifeText(lifetimeMs)}, fingerprint ${fingerprint}`;
  }
}

/** Draws everything. `send` gets the address and the body of an action. */
class View {
  constructor({ send }) {
    this.send = send;
    this.rows = new Map();
    this.requests = [];
    this.cells = new WeakMap();
    this.marks = [];
    this.drawn = new WeakMap();
    this.ahead = this.late = 0;
    this.timeline = new Timeline({ now: () => this.now(), onChange: () => this.showWindow() });
    byId('filter').addEventListener('input', () => this.drawRequests());
    byId('only-failed').addEventListener('change', () => this.drawRequests());
    byId('last').addEventListener('click', () => this.timeline.showLast());
    byId('pause').addEventListener('click', () => this.timeline.togglePause());
    byId('zoom-in').addEventListener('click', () => this.timeline.zoom(-1));
    byId('zoom-out').addEventListener('click', () => this.timeline.zoom(1));
    byId('as-text').addEventListener('toggle', () => this.drawText());
    byId('pairs').addEventListener('keydown', (event) => {
      // The browser's own zoom and way back keep their keys.
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.timeline.press(event.key)) event.preventDefault();
    });
    byId('stop').addEventListener('click', () => void this.order({ stop: true }));
    byId('test-call').addEventListener('click', () => void this.order({ calls: 1 }, 'test call'));
    byId('copy-session').replaceWith(
      Object.assign(copyButton('Copy session as test', readSession), { id: 'copy-session' }),
    );
    document.addEventListener('keydown', (event) => this.pressKey(event));
    this.showWindow();
    setInterval(() => {
      for (const row of this.rows.values()) row.tick(this.now());
      if (this.isStale) this.drawRequests();
      this.timeline.tick();
      byId('last').hidden = !this.timeline.isPast;
      this.drawText();
    }, TICK_MS);
  }

  /** The clock of the source. */
  now() {
    return Date.now() + this.ahead;
  }

  /** Draws the whole state: after a restart of the source, too. */
  showState({ faults, scenarios, command, ...state }) {
    this.requests = [];
    this.marks = [];
    this.callers = undefined;
    this.timeline.clear();
    const known = new Set(state.stories.map(({ id }) => String(id)));
    for (const story of document.querySelectorAll('#stories > details'))
      if (!known.has(story.dataset.id)) story.remove();
    this.removeRows(state.pairs);
    this.drawFaults(faults);
    this.drawPairs(state.pairs);
    this.drawScenarios(scenarios);
    this.drawStart(command);
    this.ahead = state.now - Date.now();
    this.showUpdate(state);
  }

  showUpdate({ now, origin, pairs, headline, armed, stories, load, counts, requests, actions }) {
    const ahead = now - Date.now();
    this.late = this.ahead - ahead > SAME_CLOCK_MS ? this.late + 1 : 0;
    // The time that an update is under way must not move the timeline.
    if (ahead - this.ahead > SAME_CLOCK_MS || this.late > MOST_LATE) this.ahead = ahead;
    byId('origin').textContent = origin;
    showVerdict(byId('headline'), headline);
    document.title = `${byId('headline').textContent} – Provider simulator`;
    const isIdle = counts.tokenRequests + counts.apiRequests + counts.unsent + load.callers === 0;
    // Closed by the first request, and not again: a person may have opened it.
    if (isIdle !== this.isIdle) byId('start').open = isIdle;
    this.isIdle = isIdle;
    for (const pair of pairs) this.drawPair(pair);
    for (const request of requests) this.timeline.add(rowNameOf(request), request);
    for (const { name, ...pair } of pairs) this.timeline.compare(name, pair.tokenRequests + pair.apiRequests);
    this.drawBands(armed, actions);
    this.drawArmed(armed.filter(({ until }) => until === undefined));
    this.drawStories(stories);
    this.drawLoad(load);
    const news = [...requests, ...actions].toSorted((one, other) => one.at.localeCompare(other.at));
    if (news.length === 0 && this.requests.length > 0) return;
    this.requests = [...news.toReversed(), ...this.requests].slice(0, KEPT);
    this.isStale = true;
  }

  showConnection(text, hasEnded) {
    const place = byId('connection');
    place.textContent = text;
    place.className = hasEnded ? 'ended' : 'live';
    if (hasEnded) document.title = '✘ Ended – Provider simulator';
  }

  drawPair(pair) {
    if (!this.rows.has(pair.name)) {
      const row = new PairRow(pair);
      this.rows.set(pair.name, row);
      byId('pairs').append(row.root);
      byId('timeline-text').append(row.item);
      this.timeline.addRow(pair.name, row.window);
    }
    this.rows.get(pair.name).draw(pair, this.now());
  }

  /** The source may have started again with other pairs. */
  removeRows(pairs) {
    const names = new Set(pairs.map(({ name }) => name));
    for (const [name, { root, item }] of this.rows) {
      if (names.has(name)) continue;
      root.remove();
      item.remove();
      this.rows.delete(name);
      this.timeline.removeRow(name);
    }
  }

  showWindow() {
    const { isPaused, span } = this.timeline;
    byId('pause').textContent = isPaused ? 'Resume' : 'Pause';
    byId('span').textContent = `${span} s`;
    this.drawText();
  }

  drawText() {
    if (!byId('as-text').open) return;
    for (const [name, { item }] of this.rows) setText(item, this.timeline.summary(name));
  }

  /** A revocation or a rotation acts at once, so it is a mark. Other faults last. */
  drawBands(armed, actions) {
    for (const { at, body } of actions) {
      const { for: pair = [], ...chain } = JSON.parse(body);
      const [name, environment] = [pair].flat();
      const [label] = /revoke|rotate/.exec(Object.keys(chain)) ?? [];
      if (!label) continue;
      const time = Date.parse(at);
      this.marks.push({
        label,
        interface: name,
        environment,
        from: time,
        until: time,
        isMark: true,
      });
    }
    this.marks = this.marks.slice(-MAX_MARKS);
    for (const { name, pair } of this.rows.values()) {
      // No fault is for an unknown address.
      const isOf = (band) => pair.interface && [undefined, pair.interface].includes(band.interface);
      const isIn = (band) => [undefined, pair.environment].includes(band.environment);
      this.timeline.showBands(
        name,
        [...armed, ...this.marks].filter((band) => isOf(band) && isIn(band)),
      );
    }
  }

  drawStart(command) {
    const curl = curlOf('token', '{"next":1,"status":503}');
    for (const [id, text] of [
      ['start-line', command],
      ['start-curl', curl],
    ]) {
      const place = byId(id);
      place.textContent = text;
      place.parentElement.replaceChildren(
        place,
        copyButton('Copy', () => text),
      );
    }
  }

  drawScenarios(scenarios) {
    const place = byId('scenarios');
    if (place.childElementCount > 0) return;
    this.scenarios = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
    for (const { name, label, does } of scenarios)
      place.append(this.choiceOf(label, { scenario: name }, does));
    place.append(
      this.choiceOf('50 callers', { callers: 50 }, 'call until you stop them'),
      this.choiceOf('Send a test call', { calls: 1 }, 'one call, without an application'),
    );
  }

  choiceOf(label, order, does) {
    const choice = element('li', {}, [
      button(label, () => this.order(order, label)),
      element('span', { text: does }),
    ]);
    choice.dataset.name = order.scenario ?? Object.keys(order)[0];
    return choice;
  }

  /** Callers start, or stop. Starting takes a moment, so the page says so at once. */
  async order(order, label) {
    byId('load-copies').replaceChildren();
    if (label !== undefined) this.showLoad('soft', `${label}: starting …`);
    try {
      await this.send('load', order);
      if ('calls' in order) this.showLoad('soft', '');
      byId('load-copies').append(copyButton('Copy curl', () => curlOf('load', JSON.stringify(order))));
    } catch (error) {
      this.showLoad('bad', `Not done: ${error.message}`);
    }
  }

  drawLoad(load) {
    const { callers, scenario = 'callers', endsAt } = load;
    byId('stop').hidden = callers === 0;
    for (const choice of byId('scenarios').children)
      choice.classList.toggle('running', callers > 0 && choice.dataset.name === scenario);
    const { seconds } = this.scenarios.get(scenario) ?? {};
    const bar = byId('load-bar');
    // A scenario warms up, and then lasts for some seconds.
    bar.hidden = callers === 0 || seconds === undefined;
    if (endsAt !== undefined) bar.value = 1 - Math.max(0, endsAt - this.now()) / (seconds * 1000);
    else bar.removeAttribute('value');
    if (callers > 0) this.showLoad('soft', this.loadText(load, seconds));
    else if (this.callers !== 0) showVerdict(byId('load'), load.outcome ?? { level: 'idle', text: '' });
    this.callers = callers;
  }

  /** How far the callers are. The headline says what they see. */
  loadText({ callers, name, calls, isStarting, endsAt }, seconds) {
    const who = numbered(callers, 'caller');
    if (isStarting) return `${who} starting …`;
    if (seconds === undefined) return `${who} on ${name}.`;
    return endsAt === undefined
      ? `Begins when ${who} have an answer: ${shown(Math.min(calls, callers))} so far.`
      : `${who} on ${name}, ${clockText(Math.max(0, endsAt - this.now()))} left.`;
  }

  showLoad(className, text) {
    byId('load').className = className;
    setText(byId('load'), text);
  }

  /** A fault can be for a pair, not for one of its accounts. */
  drawPairs(pairs) {
    const place = byId('pair');
    const chosen = place.value;
    const ofPairs = pairs.filter(
      ({ environment, account }) => environment !== undefined && account === undefined,
    );
    const choices = ofPairs.map((pair) =>
      element('option', { text: pair.name, value: JSON.stringify([pair.interface, pair.environment]) }),
    );
    place.replaceChildren(element('option', { text: 'all pairs', value: '' }), ...choices);
    if (choices.some(({ value }) => value === chosen)) place.value = chosen;
  }

  drawFaults(faults) {
    if (byId('faults').childElementCount > 0) return;
    this.faults = faults;
    const titles = { token: 'Token requests', api: 'API requests', simulator: 'All' };
    for (const [target, title] of Object.entries(titles)) {
      const buttons = faults.filter(({ on }) => on === target).map((fault) => this.buttonOf(fault));
      if (target === 'simulator') byId('headline').after(buttons.shift());
      byId('faults').append(element('fieldset', {}, [element('legend', { text: title }), ...buttons]));
    }
  }

  buttonOf(fault) {
    const created = button(fault.label, () => this.act(fault.on, this.chainOf(fault), fault.does), {
      title: fault.does,
      ariaLabel: fault.label,
      ariaKeyShortcuts: fault.key,
    });
    created.append(' ', element('kbd', { text: fault.key }));
    return created;
  }

  /** The keys of the terminal, unless a person types. */
  pressKey({ key, target, ctrlKey, metaKey, altKey }) {
    if (ctrlKey || metaKey || altKey || !byId('keys').checked) return;
    if (target.closest('select, #pairs') || target.matches('input:not([type=checkbox])')) return;
    const fault = this.faults?.find((one) => one.key === key);
    if (fault) void this.act(fault.on, this.chainOf(fault), fault.does);
  }

  /** One chip for each fault that waits. A chip keeps its element, and so the focus, while its number changes. */
  drawArmed(armed) {
    const list = byId('armed');
    byId('waiting').hidden = armed.length === 0;
    const chips = new Map([...list.children].map((chip) => [Number(chip.dataset.id), chip]));
    for (const [id, chip] of chips) if (!armed.some((fault) => fault.id === id)) chip.remove();
    for (const fault of armed) {
      const chip = chips.get(fault.id) ?? this.chipOf(fault);
      const left = fault.left === undefined ? 'until removed' : `${shown(fault.left)} left`;
      chip.firstChild.textContent = [fault.on, fault.label, nameOf(fault), left].filter(Boolean).join(' · ');
      if (!chips.has(fault.id)) list.append(chip);
    }
  }

  chipOf({ id, label, code }) {
    const takeBack = () => this.act('simulator', { takeBack: id }, `${label} is taken back`);
    const chip = element('li', { title: code }, [
      element('span'),
      button('✕', takeBack, { ariaLabel: `Take back ${label}` }),
    ]);
    chip.dataset.id = id;
    return chip;
  }

  async act(target, chain, does) {
    const outcome = byId('outcome');
    byId('copies').replaceChildren();
    try {
      const { result } = await this.send(target, chain);
      const requests = numbered(chain.next, target === 'api' ? 'API request' : 'token request');
      outcome.textContent = chain.next
        ? `Armed for the next ${requests.replace(/^1 /, '')}: ${does}.`
        : `Done: ${typeof result === 'number' ? `${numbered(result, 'token')} revoked` : does}.`;
      outcome.className = 'good';
      const body = JSON.stringify(chain);
      const action = this.requests.find(
        (one) => one.kind === 'fault' && one.on === target && one.body === body,
      );
      this.copyNext = chain.newSession ? undefined : { target, body };
      if (action) this.offerCopies(action);
    } catch (error) {
      outcome.textContent = `Not done: ${error.message}`;
      outcome.className = 'bad';
    }
  }

  offerCopies(action) {
    byId('copies').replaceChildren(...copiesOf(action));
    this.copyNext = undefined;
  }

  chainOf({ on, chain, isCounted }) {
    const chosen = byId('pair').value;
    const pair = chosen === '' || on === 'simulator' ? undefined : JSON.parse(chosen);
    const count = Number(byId('count').value);
    return { ...(pair && { for: pair }), ...(isCounted && { next: count }), ...chain };
  }

  /** Stories that are new or have changed. A story keeps its element, so that it stays open. */
  drawStories(stories) {
    const place = byId('stories');
    const drawn = new Map([...place.children].map((one) => [Number(one.dataset.id), one]));
    for (const story of stories) {
      const text = storyText(story);
      const root = drawn.get(story.id) ?? element('details', {}, [element('summary'), element('ol')]);
      if (!drawn.has(story.id)) {
        root.dataset.id = story.id;
        place.prepend(root);
      }
      const [summary, list] = root.children;
      if (summary.textContent === text) continue;
      summary.textContent = text;
      summary.className = levelOf(story);
      list.replaceChildren(...story.steps.map((step) => this.stepOf(step, story)));
      const more = story.refused + story.tokenRequests + story.sentAgain - story.steps.length;
      const others = `and ${shown(more)} more like these, among the requests below`;
      if (more > 0) list.append(element('li', { className: 'soft', text: others }));
    }
    while (place.childElementCount > MAX_STORIES) place.lastElementChild.remove();
    byId('no-stories').hidden = place.childElementCount > 0;
  }

  stepOf({ at, kind, method, path, status, reason, durationMs, resendOf, ok }, { from }) {
    const what = kind === 'token' ? 'token request' : `${method} ${path}${resendOf ? ', sent again' : ''}`;
    const text = `${what}: ${status ?? 'no answer'} ${reason}, ${durationMs} ms`;
    const after = `+${Math.max(0, Date.parse(at) - from)} ms `;
    return element('li', { className: ok ? '' : 'bad' }, [
      element('span', { className: 'soft', text: after }),
      text,
    ]);
  }

  drawRequests() {
    this.isStale = false;
    const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
    const onlyFailed = byId('only-failed').checked;
    const has = (request, word) => this.cellsOf(request).join(' ').toLowerCase().includes(word);
    const rows = this.requests
      .filter((request) => !onlyFailed || request.ok === false)
      .filter((request) => words.every((word) => has(request, word)))
      .slice(0, MAX_ROWS);
    const list = byId('requests');
    const wanted = rows.map((request) => this.rowOf(request));
    const kept = new Set(wanted);
    for (const row of list.querySelectorAll('tr')) if (!kept.has(row)) row.remove();
    for (const [index, row] of wanted.entries())
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
    byId('shown').textContent = `${rows.length} of the last ${shown(this.requests.length)} shown`;
    byId('none').hidden = rows.length > 0;
    byId('none').textContent = this.requests.length === 0 ? 'No requests yet.' : 'No request matches.';
    const next = this.copyNext;
    const action = next && this.requests.find(({ on, body }) => on === next.target && body === next.body);
    if (action) this.offerCopies(action);
  }

  /** A request keeps its row, so that a button in it can be pressed while others arrive. */
  rowOf(request) {
    const found = this.drawn.get(request);
    if (found) return found;
    const { kind, ok } = request;
    const row = element(
      'tr',
      { className: kind === 'fault' ? 'action' : '' },
      this.cellsOf(request).map((text, index) =>
        element('td', { text, className: index !== 3 || ok === undefined ? '' : ok ? 'good' : 'bad' }),
      ),
    );
    if (kind === 'fault') row.children[4].append(' ', ...copiesOf(request));
    this.drawn.set(request, row);
    return row;
  }

  /** A request keeps its texts. */
  cellsOf(request) {
    if (!this.cells.has(request)) this.cells.set(request, this.textsOf(request));
    return this.cells.get(request);
  }

  textsOf({
    at,
    kind,
    method,
    path,
    status,
    reason,
    ok,
    durationMs,
    count,
    resendOf,
    by,
    chain,
    result,
    ...pair
  }) {
    if (kind === 'fault')
      return [
        timeText(at),
        '',
        chain,
        '⚡ fault',
        `by ${by}${result === undefined ? '' : ` → ${result}`}`,
        '',
      ];
    return [
      timeText(at),
      rowNameOf(pair),
      kind === 'token' ? `token #${count}` : `${method} ${path} #${count}`,
      `${ok ? '✔' : '✘'} ${status ?? 'no answer'}`,
      resendOf === undefined ? reason : `${reason}, sent again`,
      String(durationMs),
    ];
  }
}

function levelOf({ until, isOver, failedAgain }) {
  if (isOver || failedAgain > 0) return 'bad';
  return until === undefined ? 'warn' : 'good';
}

/** `09:41:07 easy sandbox: 32 calls refused (token revoked) → 1 token request → 32 sent again, in 61 ms` */
function storyText({
  name,
  from,
  until,
  isOver,
  reason,
  refused,
  sentAgain,
  failedAgain,
  tokenRequests,
  refusedTokenRequests,
}) {
  const tokens = numbered(tokenRequests, 'token request');
  const trouble = refusedTokenRequests === 0 ? '' : `, ${refusedTokenRequests} failed`;
  const again = failedAgain === 0 ? '' : `, of which ${shown(failedAgain)} failed`;
  const lost = `; ${shown(refused - sentAgain)} not sent again in time`;
  const end = until === undefined ? (isOver ? lost : ' so far') : `, in ${shown(until - from)} ms`;
  return `${timeText(from)} ${name}: ${numbered(refused, 'call')} refused (${reason}) → ${tokens}${trouble} → ${shown(sentAgain)} sent again${again}${end}`;
}

/** The simulator: server-sent events, and a POST for each fault. */
function simulatorSource(view) {
  const events = new EventSource('events');
  const ended = () =>
    view.showConnection('The simulator has ended. Start it again: npx nestjs-provider-auth simulate', true);
  events.addEventListener('open', () => view.showConnection('Live', false));
  events.addEventListener('state', ({ data }) => view.showState(JSON.parse(data)));
  events.addEventListener('update', ({ data }) => view.showUpdate(JSON.parse(data)));
  events.addEventListener('ended', () => {
    events.close();
    ended();
  });
  events.addEventListener('error', ended);
}

async function send(target, chain) {
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-provider-simulator': 'page' },
    body: JSON.stringify(chain),
  }).catch(() => {
    throw new Error('the simulator does not answer.');
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

simulatorSource(new View({ send }));
