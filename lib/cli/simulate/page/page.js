/** The page of `provider-auth simulate`. Each event is the whole state, and `draw` shows it. */

/** The bars and the picture move this often. */
const TICK_MS = 1000;

const MINUTE_MS = 60_000;

const byId = (id) => document.getElementById(id);

function element(name, { text, ...properties } = {}, children = []) {
  const created = Object.assign(document.createElement(name), properties);
  if (text !== undefined) created.textContent = text;
  created.append(...children);
  return created;
}

/** A screen reader does not repeat an unchanged text, and a selection in it stays. */
function setText(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

function button(text, act, properties = {}) {
  const created = element('button', { type: 'button', text, ...properties });
  created.addEventListener('click', act);
  return created;
}

/** Shows one element for each item. An item keeps its element, so that the focus stays where it is. */
function drawList(place, items, keyOf, create, update = () => undefined) {
  const keys = new Set(items.map((item) => String(keyOf(item))));
  const drawn = new Map([...place.children].map((child) => [child.dataset.key, child]));
  for (const [key, child] of drawn) if (!keys.has(key)) child.remove();
  for (const [index, item] of items.entries()) {
    const key = String(keyOf(item));
    const child = drawn.get(key) ?? create(item);
    child.dataset.key = key;
    update(child, item);
    if (place.children[index] !== child) place.insertBefore(child, place.children[index] ?? null);
  }
}

const TIME = new Intl.DateTimeFormat([], { timeStyle: 'medium', hourCycle: 'h23' });

const timeText = (at) => TIME.format(new Date(at));

const NUMBER = new Intl.NumberFormat('en');

const numbered = (count, what) => `${NUMBER.format(count)} ${what}${count === 1 ? '' : 's'}`;

const nameOf = ({ provider, interface: name, environment, account }) =>
  name ? [provider, name, environment, account].filter(Boolean).join(' ') : '';

const sum = (items, name) => items.reduce((all, item) => all + item[name], 0);

/** `59:31`, or `2:05:10` */
function clockText(ms) {
  const seconds = Math.ceil(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

function ageText(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s ago` : `${Math.floor(seconds / 60)} min ago`;
}

/** The address of the control server. A page is below it. */
const CONTROL = location.href.replace(/\/[^/]*$/, '');

const curlOf = (on, body) => `curl '${CONTROL}/${on}' --data '${body.replaceAll("'", String.raw`'\''`)}'`;

/** A button that copies a text, and says so. */
function copyButton(label, text) {
  const created = button(label, async () => {
    const copied = navigator.clipboard.writeText(text).then(() => 'Copied');
    created.textContent = await copied.catch(() => 'Not copied');
    setTimeout(() => (created.textContent = label), 1500);
  });
  return created;
}

async function post(place, body) {
  const response = await fetch(place, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-provider-simulator': 'page' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Error('the simulator does not answer.');
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer.result;
}

let state;

function draw() {
  if (state === undefined) return;
  const { origin, pairs, counts, refusals, armed } = state;
  setText(byId('origin'), origin);
  drawStart();
  drawMinute();
  drawList(
    byId('refusals'),
    refusals.slice(-5).toReversed(),
    ({ id, at }) => `${id} ${at}`,
    () => element('li'),
    updateRefusal,
  );
  drawList(byId('pairs'), pairs, ({ name }) => name, createPair, updatePair);
  drawPairChoices(pairs.filter(({ interface: name, account }) => name && !account));
  drawFaults();
  drawList(byId('armed'), armed, ({ id }) => id, createChip, updateChip);
  const { tokenRequests, apiRequests, failed, recovered } = counts;
  const parts = [numbered(tokenRequests, 'token request'), numbered(apiRequests, 'call'), `${failed} failed`];
  setText(byId('counts'), [...parts, `${recovered} recovered`].join(', '));
  drawRequests();
}

function drawStart() {
  const isIdle = state.counts.tokenRequests + state.counts.apiRequests === 0;
  const start = byId('start');
  // The first request closes it. A person may open it again.
  if (String(isIdle) !== start.dataset.idle) start.open = isIdle;
  start.dataset.idle = String(isIdle);
  showCopyable(byId('start-line'), state.command);
  showCopyable(byId('start-curl'), curlOf('token', '{"next":1,"status":503}'));
}

function showCopyable(place, text) {
  if (place.textContent === text) return;
  place.textContent = text;
  place.parentElement.replaceChildren(place, copyButton('Copy', text));
}

const LANES = ['faults', 'tokenRequests', 'calls', 'failed'];

/** One lane for faults, token requests, calls, and what was refused or failed. The same in words below. */
function drawMinute() {
  const begin = Date.now() - MINUTE_MS;
  const seconds = state.minute.filter(({ at }) => at > begin - 1000);
  const marks = [];
  for (const [lane, name] of LANES.entries()) {
    const most = Math.max(...seconds.map((second) => second[name]));
    for (const { at, [name]: count } of seconds.filter((second) => second[name] > 0)) {
      const height = 0.2 + 0.65 * (count / most);
      marks.push(bar(name, Math.max(0, (at - begin) / 1000), lane + 0.95 - height, height));
    }
  }
  byId('minute').replaceChildren(...marks);
  const recent = state.actions.filter(({ at, on }) => on !== 'simulator' && Date.parse(at) > begin);
  const labels = [...new Set([...recent, ...state.armed].map(({ label }) => label))];
  const texts = [
    numbered(sum(seconds, 'tokenRequests'), 'token request'),
    numbered(sum(seconds, 'calls'), 'call'),
    `${NUMBER.format(sum(seconds, 'failed'))} refused or failed`,
    `${NUMBER.format(sum(seconds, 'sentAgain'))} sent again`,
  ];
  const faults = labels.length ? `Faults: ${labels.join(', ')}.` : 'No faults.';
  setText(byId('minute-text'), `${texts.join(', ')}. ${faults}`);
}

function bar(name, x, y, height) {
  const created = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const attributes = { class: name, fill: `var(--${name})`, x, y, width: 0.8, height };
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, value);
  return created;
}

const MARKS = { good: '✔', warn: '⚠', bad: '✘' };

function updateRefusal(item, { at, name, level, text }) {
  item.className = level;
  setText(item, `${MARKS[level]} ${timeText(at)} ${name}: ${text}`);
}

function createPair({ name }) {
  const bar = element('progress', { max: 1, value: 0, ariaLabel: `${name}: life left of the newest token` });
  const parts = ['state', 'left soft', 'numbers', 'failure'].map((className) => element('p', { className }));
  const [life, left, numbers, failure] = parts;
  const head = element('header', {}, [element('h3', { text: name }), life]);
  return element('article', { ariaLabel: name }, [head, bar, left, numbers, failure]);
}

/** `8 calls (3 failed, 2 recovered)` */
function partsText(count, what, parts) {
  const texts = Object.entries(parts).flatMap(([name, part]) =>
    part ? `${NUMBER.format(part)} ${name}` : [],
  );
  return numbered(count, what) + (texts.length ? ` (${texts.join(', ')})` : '');
}

const LEVELS = { valid: 'good', revoked: 'bad', expired: 'warn' };

function updatePair(article, { token, interface: name, failure, ...counts }) {
  const now = Date.now();
  const place = (part) => article.querySelector(part);
  const { expiresAt = 0, lifetimeMs = 1, fingerprint } = token;
  const life = token.state === 'valid' && expiresAt <= now ? 'expired' : token.state;
  const left = life === 'valid' ? expiresAt - now : 0;
  const { tokenRequests, failedTokenRequests, apiRequests, failedCalls, recovered } = counts;
  // An address that no pair has has no token.
  place('progress').hidden = life === 'none';
  place('progress').value = Math.min(1, left / lifetimeMs);
  setText(place('.state'), life !== 'none' ? life : name ? 'no token yet' : '');
  place('.state').className = `state ${LEVELS[life] ?? 'soft'}`;
  const time = life === 'valid' ? `${clockText(left)} of ${clockText(lifetimeMs)} left, ` : '';
  setText(place('.left'), life === 'none' ? '' : `${time}fingerprint ${fingerprint}`);
  const tokens = partsText(tokenRequests, 'token request', { failed: failedTokenRequests });
  const calls = partsText(apiRequests, 'call', { failed: failedCalls - recovered, recovered });
  setText(place('.numbers'), tokenRequests + apiRequests === 0 ? 'No requests yet.' : `${tokens} · ${calls}`);
  if (failure === undefined) return setText(place('.failure'), '');
  const isOld = failure.isOver || now - Date.parse(failure.at) > MINUTE_MS;
  place('.failure').className = `failure ${isOld ? 'soft' : 'bad'}`;
  setText(
    place('.failure'),
    `✘ ${ageText(now - Date.parse(failure.at))}: ${failure.text}${failure.isOver ? ', works again' : ''}`,
  );
}

/** A fault can be for a pair, not for one of its accounts. */
function drawPairChoices(pairs) {
  const choices = [{ name: 'all pairs' }, ...pairs];
  drawList(
    byId('pair'),
    choices,
    ({ name }) => name,
    ({ name, interface: of, environment }) =>
      element('option', { text: name, value: of ? JSON.stringify([of, environment]) : '' }),
  );
}

function drawFaults() {
  if (byId('faults').childElementCount > 0) return;
  const titles = { token: 'Token requests', api: 'API requests', simulator: 'All' };
  for (const [target, title] of Object.entries(titles)) {
    const buttons = state.faults.filter(({ on }) => on === target).map(faultButton);
    byId('faults').append(element('fieldset', {}, [element('legend', { text: title }), ...buttons]));
  }
}

function faultButton(fault) {
  const { label, does, key } = fault;
  const created = button(label, () => cause(fault), { title: does, ariaKeyShortcuts: key });
  created.append(' ', element('kbd', { text: key, ariaHidden: 'true' }));
  return created;
}

async function cause({ on, chain, isCounted, does }) {
  const pair = on === 'simulator' ? '' : byId('pair').value;
  const next = Number(byId('count').value);
  const whole = { ...(pair && { for: JSON.parse(pair) }), ...(isCounted && { next }), ...chain };
  const requests = numbered(next, on === 'api' ? 'API request' : 'token request').replace(/^1 /, '');
  await act(on, whole, (result) => {
    if (isCounted) return `Armed for the next ${requests}: ${does}.`;
    return `Done: ${typeof result === 'number' ? `${numbered(result, 'token')} revoked` : does}.`;
  });
}

async function act(target, chain, textOf) {
  const outcome = byId('outcome');
  try {
    setText(outcome, textOf(await post(target, chain)));
    outcome.className = 'good';
  } catch (error) {
    setText(outcome, `Not done: ${error.message}`);
    outcome.className = 'bad';
  }
}

function createChip({ id, label, chain }) {
  const takeBack = () => act('simulator', { takeBack: id }, () => `Done: ${label} is taken back.`);
  const remove = button('✕', takeBack, { ariaLabel: `Take back ${label}` });
  return element('li', { title: chain }, [element('span'), remove]);
}

function updateChip(chip, fault) {
  const left = fault.left === undefined ? 'until removed' : `${fault.left} left`;
  setText(chip.firstChild, [fault.on, fault.label, nameOf(fault), left].filter(Boolean).join(' · '));
}

/** The newest first. A request and an action never change, and their ids go on in one order. */
function drawRequests() {
  const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  const onlyFailed = byId('only-failed').checked;
  const rows = [...state.requests, ...state.actions]
    .filter(({ ok }) => !onlyFailed || ok === false)
    .filter((one) => words.every((word) => cellsOf(one).join(' ').toLowerCase().includes(word)))
    .toSorted((first, second) => second.id - first.id);
  drawList(byId('requests'), rows, ({ id }) => id, createRow);
  byId('none').hidden = rows.length > 0;
  setText(byId('none'), state.requests.length === 0 ? 'No requests yet.' : 'No request matches.');
}

function cellsOf({ at, kind, method, path, status, reason, ok, durationMs, count, resendOf, ...other }) {
  if (kind === undefined) {
    const { by, chain, result } = other;
    return [timeText(at), '', chain, '⚡ fault', `by ${by}${result === undefined ? '' : ` → ${result}`}`, ''];
  }
  return [
    timeText(at),
    nameOf(other) || 'unknown address',
    [kind === 'token' ? 'token' : `${method} ${path}`, count && `#${count}`].filter(Boolean).join(' '),
    `${ok ? '✔' : '✘'} ${status ?? 'no answer'}`,
    resendOf === undefined ? reason : `${reason}, sent again`,
    String(durationMs),
  ];
}

function createRow(one) {
  const { kind, ok, on, chain, body } = one;
  const row = element('tr', { className: kind === undefined ? 'action' : '' });
  row.append(...cellsOf(one).map((text) => element('td', { text })));
  if (kind !== undefined) {
    row.children[3].className = ok ? 'good' : 'bad';
    return row;
  }
  // A test has no line for what acts on the simulator, or for a text that is not shown.
  if (on !== 'simulator' && !chain.includes('…'))
    row.children[4].append(' ', copyButton('Copy as test', `provider.${chain};`));
  row.children[4].append(' ', copyButton('Copy curl', curlOf(on, body)));
  return row;
}

/** The keys of the terminal, unless a person types. */
function pressKey({ key, target, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey || !byId('keys').checked) return;
  if (target.matches('select, input:not([type=checkbox])')) return;
  const fault = state?.faults.find((one) => one.key === key);
  if (fault) void cause(fault);
}

async function sendTestCall() {
  const answer = byId('answer');
  answer.className = 'soft';
  setText(answer, 'Calling …');
  const result = await post('test-call', {}).catch(({ message }) => message);
  answer.className = result < 400 ? 'good' : 'bad';
  setText(answer, typeof result === 'number' ? `Answered with ${result}.` : `Failed: ${result}`);
}

/** Without a simulator there is nothing to call and nothing to make fail. */
function showConnection(isLive) {
  const ended = 'The simulator has ended. Start it again: npx nestjs-provider-auth simulate';
  setText(byId('connection'), isLive ? 'Live' : ended);
  byId('connection').className = isLive ? 'live' : 'ended';
  document.title = `${isLive ? '' : '✘ Ended – '}Provider simulator`;
  byId('test-call').disabled = !isLive;
  byId('faults-section').inert = !isLive;
}

function listen() {
  const events = new EventSource('events');
  events.addEventListener('open', () => showConnection(true));
  events.addEventListener('error', () => showConnection(false));
  events.addEventListener('ended', () => {
    events.close();
    showConnection(false);
  });
  events.addEventListener('state', ({ data }) => {
    state = JSON.parse(data);
    draw();
  });
}

byId('filter').addEventListener('input', draw);
byId('only-failed').addEventListener('change', draw);
byId('test-call').addEventListener('click', () => void sendTestCall());
document.addEventListener('keydown', pressKey);
setInterval(draw, TICK_MS);
listen();
