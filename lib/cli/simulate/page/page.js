/**
 * The page of `provider-auth simulate`, in two parts. `simulatorSource` knows where the data comes from and where a fault goes.
 * `View` only draws: it gets states and requests, and reports the faults that a person chooses. Another source can feed
 * the same view.
 */

/** More rows would make the page slow. */
const MAX_ROWS = 200;

/** The bars move this often. */
const TICK_MS = 250;

const byId = (id) => document.getElementById(id);

function element(name, { text, ...properties } = {}, children = []) {
  const created = Object.assign(document.createElement(name), properties);
  if (text !== undefined) created.textContent = text;
  created.append(...children);
  return created;
}

const nameOf = ({ interface: name, environment, account }) =>
  [name, environment, account].filter(Boolean).join(' ');

const numbered = (count, what) => `${what}${count === 1 ? '' : 's'}`;

const failedText = (count) => (count === 0 ? '' : `, ✘ ${count} failed`);

/** `59:31`, or `2:05:10` */
function clockText(ms) {
  const seconds = Math.ceil(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** Says the level of a verdict without its colour. */
const MARKS = { good: '✔ ', warn: '⚠ ', bad: '✘ ' };

/** Shows a verdict. */
function showVerdict(place, { level, text }) {
  place.className = level === 'idle' ? 'soft' : level;
  place.textContent = (MARKS[level] ?? '') + text;
}

/** One card. It keeps its elements, so that the focus and the screen reader stay where they are. */
class PairCard {
  constructor(pair) {
    this.name = nameOf(pair);
    this.state = element('span');
    this.bar = element('progress', { max: 1, value: 0 });
    this.bar.setAttribute('aria-label', `${this.name}: life left of the newest token`);
    this.left = element('p', { className: 'soft' });
    this.tokens = element('strong', { text: '0' });
    this.tokensText = element('span');
    this.calls = element('strong', { text: '0' });
    this.callsText = element('span');
    this.failedTokens = element('span', { className: 'bad' });
    this.failedCalls = element('span', { className: 'bad' });
    this.verdict = element('p');
    const numbers = element('p', { className: 'numbers' }, [
      element('span', {}, [this.tokens, ' ', this.tokensText, this.failedTokens]),
      element('span', {}, [this.calls, ' ', this.callsText, this.failedCalls]),
    ]);
    const head = element('header', {}, [element('h3', { text: this.name }), this.state]);
    this.root = element('article', { className: 'pair' }, [head, this.bar, this.left, numbers, this.verdict]);
    this.root.setAttribute('aria-label', this.name);
  }

  draw(pair, now) {
    this.pair = pair;
    this.tokens.textContent = pair.tokenRequests;
    this.tokensText.textContent = numbered(pair.tokenRequests, 'token request');
    this.calls.textContent = pair.apiRequests;
    this.callsText.textContent = numbered(pair.apiRequests, 'call');
    this.failedTokens.textContent = failedText(pair.failedTokenRequests);
    this.failedCalls.textContent = failedText(pair.failedCalls);
    showVerdict(this.verdict, pair.verdict);
    this.tick(now);
  }

  tick(now) {
    const { state, expiresAt = 0, lifetimeMs = 1, fingerprint } = this.pair.token;
    const isOver = state === 'valid' && expiresAt <= now;
    const shown = isOver ? 'expired' : state;
    const left = shown === 'valid' ? Math.max(0, expiresAt - now) : 0;
    this.state.textContent = shown === 'none' ? 'no token yet' : shown;
    this.state.className = { valid: 'good', revoked: 'bad', expired: 'warn' }[shown] ?? 'soft';
    this.bar.value = Math.min(1, left / lifetimeMs);
    this.bar.textContent = `${Math.round(this.bar.value * 100)} %`;
    this.left.textContent =
      shown === 'valid'
        ? `${clockText(left)} of ${clockText(lifetimeMs)} left, fingerprint ${fingerprint}`
        : this.pair.tokenFailures > 0
          ? ''
          : shown === 'none'
            ? 'The first call asks for a token.'
            : 'The next call asks for a new token.';
  }
}

/** Draws everything. `onFault` gets the address and the chain of a fault. */
class View {
  constructor({ onFault }) {
    this.onFault = onFault;
    this.cards = new Map();
    this.requests = [];
    this.ahead = 0;
    byId('filter').addEventListener('input', () => this.drawRequests());
    byId('only-failed').addEventListener('change', () => this.drawRequests());
    setInterval(() => {
      for (const card of this.cards.values()) card.tick(this.now());
    }, TICK_MS);
  }

  /** The clock of the source. */
  now() {
    return Date.now() + this.ahead;
  }

  /** Draws the whole state: after a restart of the source, too. */
  showState({ faults, ...state }) {
    this.requests = [];
    this.drawFaults(faults, state.pairs);
    this.showUpdate(state);
  }

  showUpdate({ now, origin, pairs, headline, armed, requests, actions }) {
    showVerdict(byId('headline'), headline);
    this.drawArmed(armed.filter(({ until }) => until === undefined));
    this.ahead = now - Date.now();
    byId('origin').textContent = origin;
    for (const pair of pairs) {
      const name = nameOf(pair);
      if (!this.cards.has(name)) {
        this.cards.set(name, new PairCard(pair));
        byId('pairs').append(this.cards.get(name).root);
      }
      this.cards.get(name).draw(pair, this.now());
    }
    const rows = [...requests, ...actions].toSorted((one, other) => one.at.localeCompare(other.at));
    if (rows.length === 0 && this.requests.length > 0) return;
    this.requests = [...rows.toReversed(), ...this.requests].slice(0, MAX_ROWS);
    this.drawRequests();
  }

  showConnection(text, hasEnded) {
    const place = byId('connection');
    place.textContent = text;
    place.className = hasEnded ? 'ended' : 'soft';
  }

  drawFaults(faults, pairs) {
    if (byId('faults').childElementCount > 0) return;
    const choices = pairs.map((pair) =>
      element('option', { text: nameOf(pair), value: JSON.stringify(pair) }),
    );
    byId('pair').replaceChildren(element('option', { text: 'all pairs', value: '' }), ...choices);
    const titles = { token: 'Token requests', api: 'API requests', simulator: 'All' };
    for (const [target, title] of Object.entries(titles)) {
      const buttons = faults.filter(({ on }) => on === target).map((fault) => this.buttonOf(fault));
      byId('faults').append(element('fieldset', {}, [element('legend', { text: title }), ...buttons]));
    }
  }

  /** One chip for each fault that waits. A chip keeps its element, and so the focus, while its number changes. */
  drawArmed(armed) {
    const list = byId('armed');
    const chips = new Map([...list.children].map((chip) => [Number(chip.dataset.id), chip]));
    for (const [id, chip] of chips) if (!armed.some((fault) => fault.id === id)) chip.remove();
    for (const fault of armed) {
      const chip = chips.get(fault.id) ?? this.chipOf(fault);
      const left = fault.left === undefined ? 'until removed' : `${fault.left.toLocaleString('en')} left`;
      chip.firstChild.textContent = [fault.on, fault.label, nameOf(fault), left].filter(Boolean).join(' · ');
      if (!chips.has(fault.id)) list.append(chip);
    }
  }

  chipOf({ id, label, code }) {
    const button = element('button', { type: 'button', text: '✕', ariaLabel: `Take back ${label}` });
    button.addEventListener('click', () => this.act('simulator', { takeBack: id }, `${label} is taken back`));
    const chip = element('li', { title: code }, [element('span'), button]);
    chip.dataset.id = id;
    return chip;
  }

  buttonOf(fault) {
    const button = element('button', { type: 'button', text: fault.label, title: fault.does });
    button.addEventListener('click', () => this.act(fault.on, this.chainOf(fault), fault.does));
    return button;
  }

  async act(target, chain, does) {
    const outcome = byId('outcome');
    try {
      const { result } = await this.onFault(target, chain);
      outcome.textContent = `Done: ${does}${typeof result === 'number' ? ` (${result})` : ''}.`;
      outcome.className = 'good';
    } catch (error) {
      outcome.textContent = `Not done: ${error.message}`;
      outcome.className = 'bad';
    }
  }

  chainOf({ on, chain, isCounted }) {
    const chosen = byId('pair').value;
    const pair = chosen === '' || on === 'simulator' ? undefined : JSON.parse(chosen);
    const count = Number(byId('count').value);
    return {
      ...(pair && { for: [pair.interface, pair.environment] }),
      ...(isCounted && { next: count }),
      ...chain,
    };
  }

  drawRequests() {
    const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
    const onlyFailed = byId('only-failed').checked;
    const rows = this.requests
      .filter((request) => !onlyFailed || request.ok === false)
      .map((request) => [request, this.cellsOf(request)])
      .filter(([, cells]) => words.every((word) => cells.join(' ').toLowerCase().includes(word)));
    byId('requests').replaceChildren(
      ...rows.map(([{ ok }, cells]) =>
        element(
          'tr',
          { className: ok === undefined ? 'action' : '' },
          cells.map((text, index) =>
            element('td', { text, className: index !== 3 || ok === undefined ? '' : ok ? 'good' : 'bad' }),
          ),
        ),
      ),
    );
    byId('shown').textContent = `${rows.length} of ${this.requests.length} shown`;
    byId('none').hidden = rows.length > 0;
    byId('none').textContent = this.requests.length === 0 ? 'No requests yet.' : 'No request matches.';
  }

  cellsOf({ at, kind, method, path, status, reason, ok, durationMs, count, by, chain, result, ...pair }) {
    const time = new Date(at).toLocaleTimeString([], { hour12: false });
    if (kind === 'fault')
      return [time, '', chain, '⚡ fault', `by ${by}`, result === undefined ? '' : `→ ${result}`];
    return [
      time,
      nameOf(pair) || 'unknown address',
      kind === 'token' ? `token #${count}` : `${method} ${path} #${count}`,
      `${ok ? '✔' : '✘'} ${status ?? 'no answer'}`,
      reason,
      String(durationMs),
    ];
  }
}

/** The simulator: server-sent events, and a POST for each fault. */
function simulatorSource(view) {
  const events = new EventSource('events');
  const ended = () =>
    view.showConnection('The simulator has ended. Start it again: npx provider-auth simulate', true);
  events.addEventListener('open', () => view.showConnection('Live', false));
  events.addEventListener('state', ({ data }) => view.showState(JSON.parse(data)));
  events.addEventListener('update', ({ data }) => view.showUpdate(JSON.parse(data)));
  events.addEventListener('ended', () => {
    events.close();
    ended();
  });
  events.addEventListener('error', ended);
}

async function sendFault(target, chain) {
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

simulatorSource(new View({ onFault: sendFault }));
