import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SimulationHere } from '../support/application/simulate.js';
import { openLive, type OpenedPage, SOON, startBrowser, tabTo } from '../support/run/browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
let simulation: SimulationHere;

beforeAll(async () => (browser = await startBrowser()));

afterAll(() => browser?.close());

beforeEach(async () => (simulation = await SimulationHere.start()));

function open(options?: BrowserContextOptions): Promise<OpenedPage> {
  return openLive(browser, simulation.started['page'], options);
}

/** Waits until a place of the page has this text. */
async function expectText(page: Page, place: string, text: string | RegExp): Promise<void> {
  await expect.poll(() => page.locator(place).innerText(), SOON).toMatch(text);
}

/** A call through this package, a revocation, a second call, and a fault that waits. */
async function causeTrouble(): Promise<void> {
  await simulation.control('test-call', {});
  await simulation.control('token', { revokeAll: true });
  await simulation.control('test-call', {});
  await simulation.control('token', { next: 2, status: 503 });
  await simulation.callApi(undefined);
}

it('B25: shows each request, what happened to a refused call, and the last minute, without a reload', async () => {
  const { page, messages, requested, failed } = await open();
  await expectText(page, '#none', 'No requests yet.');
  await page.getByRole('button', { name: 'Send a test call' }).click();
  await expectText(page, '#answer', 'Answered with 200.');
  await page.keyboard.press('r');
  await expectText(page, '#outcome', 'Done: 1 token revoked.');
  await page.getByRole('button', { name: 'Send a test call' }).click();
  await expectText(
    page,
    '#refusals',
    /✔ .*: 1 call refused \(token revoked\) → 1 token request → 1 sent again, in \d+ ms\. Your caller noticed nothing\./,
  );
  await expectText(
    page,
    '#minute-text',
    '2 token requests, 3 calls, 1 refused or failed, 1 sent again. Faults: revoke.',
  );
  const marks = ['faults', 'tokenRequests', 'calls', 'failed'].map((name) =>
    page.locator(`#minute .${name}`).count(),
  );
  for (const count of await Promise.all(marks)) expect(count).toBeGreaterThan(0);
  const pair = page.getByRole('article', { name: 'originations sandbox' });
  expect(await pair.innerText()).toMatch(
    /valid\s+.*left, fingerprint \w+\s+2 token requests · 3 calls \(1 recovered\)/,
  );
  expect(await pair.innerText()).toContain('call: 401, token revoked, works again');
  expect(await pair.getByRole('progressbar').getAttribute('value')).toMatch(/^(0\.9|1)/);
  const rows = await page.locator('#requests tr').allInnerTexts();
  expect(rows[0]).toMatch(/originations sandbox\s+GET \/test-call #3\s+✔ 200\s+valid token, sent again/);
  expect(rows).toHaveLength(6);
  await page.getByLabel('Only failed').check();
  expect(await page.locator('#requests tr').count()).toBe(1);
  expect([messages, failed]).toEqual([[], []]);
  const address: string = simulation.started['page'];
  expect(requested.filter((url) => !url.startsWith(address) && url !== 'data:,')).toEqual([]);
});

it('B25: a button causes a fault for the chosen pair and number, and a chip takes it back', async () => {
  const { page } = await open();
  await page.getByLabel('For').selectOption('easy production');
  await page.getByLabel('Next').fill('2');
  await page.getByRole('button', { name: '503', exact: true }).click();
  await expectText(
    page,
    '#outcome',
    'Armed for the next 2 token requests: the token endpoint is unavailable.',
  );
  const statuses = [await simulation.askForToken(), await simulation.askForToken({}, 'EASY_PRODUCTION')];
  expect(statuses.map(({ status }) => status)).toEqual([200, 503]);
  await expectText(page, '#armed', 'token · 503 · easy production · 1 left');
  await page.getByRole('button', { name: 'Take back 503' }).click();
  await expect.poll(() => page.locator('#armed li').count(), SOON).toBe(0);
  expect((await simulation.askForToken({}, 'EASY_PRODUCTION')).status).toBe(200);
  await page.getByLabel('Next').fill('0');
  await page.getByRole('button', { name: '503', exact: true }).click();
  await expectText(page, '#outcome', 'Not done: "next" takes a number from 1 on.');
});

it('B25: everything works with the keyboard only', async () => {
  const { page } = await open();
  await tabTo(page, 'Send a test call');
  await page.keyboard.press('Enter');
  await expectText(page, '#answer', 'Answered with 200.');
  await tabTo(page, 'For');
  await page.keyboard.press('ArrowDown');
  await tabTo(page, 'Next');
  await page.keyboard.press('ArrowUp');
  await tabTo(page, '503');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  await page.keyboard.press('Enter');
  await expectText(page, '#outcome', 'Armed');
  expect(simulation.lines.findLast(({ event }) => event === 'fault')).toMatchObject({
    by: 'page',
    chain: 'token.for("originations", "sandbox").next(2).status(503)',
  });
  await tabTo(page, 'Filter');
  await page.keyboard.type('rrr');
  await expectText(page, '#none', 'No request matches.');
  expect(simulation.lines.filter(({ chain }) => chain?.includes('revoke'))).toEqual([]);
});

it.each(['light', 'dark'] as const)(
  'B25: axe finds nothing in %s colours, and a phone needs no scrolling to the side',
  async (colorScheme) => {
    await causeTrouble();
    const { page } = await open({ colorScheme, viewport: { width: 360, height: 800 } });
    await expect.poll(() => page.locator('#requests tr').count(), SOON).toBe(8);
    await page.locator('summary').click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await page.evaluate(AXE);
    const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      'axe.run().then(({ violations }) => violations)',
    );
    expect(found.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      colorScheme === 'light' ? 'rgb(245, 246, 247)' : 'rgb(19, 21, 25)',
    );
  },
);

it('B25: shows text of a client as text', async () => {
  const { page } = await open();
  await simulation.callApi(undefined, '/<img/src=x/onerror=alert(1)>');
  await expectText(page, '#requests', '<img');
  expect(await page.locator('#requests img').count()).toBe(0);
});

it('B25: says in words when the simulator has ended', async () => {
  const { page } = await open();
  await simulation.end();
  await expectText(
    page,
    '#connection',
    'The simulator has ended. Start it again: npx nestjs-provider-auth simulate',
  );
  expect(await page.locator('#test-call').isDisabled()).toBe(true);
  await page.keyboard.press('5');
  await expectText(page, '#outcome', 'Not done: the simulator does not answer.');
  expect(await page.title()).toBe('✘ Ended – Provider simulator');
});
