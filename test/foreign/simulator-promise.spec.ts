import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type RecordedSession, startSession } from '../support/application/simulator-session.js';
import { openPage, type OpenedPage, SOON, startBrowser } from '../support/run/browser.js';

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(() => browser?.close());

async function open({ session }: RecordedSession, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const opened = await openPage(browser, session.control.page ?? '', {
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  onTestFinished(() => opened.page.context().close());
  await expect.poll(() => opened.page.locator('#connection').textContent(), SOON).toBe('Live');
  return opened;
}

function card(page: Page) {
  return page.getByRole('article', { name: 'originations sandbox', exact: true });
}

function headlineOf(page: Page): Promise<string> {
  return page.locator('#headline').innerText();
}

const copied = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

/** The numbers of the page are those of the records. */
async function expectSameNumbers(page: Page, { provider }: RecordedSession): Promise<void> {
  const [tokens, calls] = [provider.tokenRequests.length, provider.apiRequests.length];
  const shown = new RegExp(
    `${tokens.toLocaleString('en')}\\s+token requests?[^]*?\\b${calls.toLocaleString('en')}\\s+calls?`,
  );
  await expect.poll(() => card(page).innerText(), SOON).toMatch(shown);
}

describe('the promise on the page of provider-auth simulate', () => {
  it('B25: an idle page leads to a first call', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    expect(await headlineOf(page)).toBe('No requests yet.');
    expect(await page.title()).toBe('No requests yet. – Provider simulator');
    await page.locator('#start').getByRole('button', { name: 'Copy' }).first().click();
    expect(await copied(page)).toBe('node dist/main.js');
    await page.locator('#start').getByRole('button', { name: 'Copy' }).last().click();
    expect(await copied(page)).toBe(
      `curl '${recorded.session.control.address}/token' --data '{"next":1,"status":503}'`,
    );
    await page.getByRole('button', { name: 'Send a test call' }).click();
    await expect.poll(() => headlineOf(page), SOON).toBe('✔ 1 token request served 1 call.');
    expect(await page.locator('#start').isVisible()).toBe(false);
    expect(await page.title()).toBe('✔ 1 token request served 1 call. – Provider simulator');
    await expectSameNumbers(page, recorded);
  });

  it('B25: revoke under load: before, during and after', { timeout: 90_000 }, async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    await page.getByRole('button', { name: 'revoke under load' }).click();
    await expect.poll(() => headlineOf(page), SOON).toMatch(/^✔ 1 token request served [\d,]+ calls\.$/);
    await expect
      .poll(() => page.locator('#load').innerText(), SOON)
      .toMatch(/1,000 callers on originations sandbox/);
    await expect
      .poll(() => page.locator('#stories').innerText(), { timeout: 60_000, interval: 50 })
      .toMatch(/calls? refused \(token revoked\)/);
    await expect
      .poll(() => page.locator('#load').innerText(), { timeout: 60_000, interval: 100 })
      .toMatch(/^Revoke under load: [\d,]+ calls by 1,000 callers, no call failed\. 2 token requests\.$/);
    expect(recorded.provider.tokenRequests).toHaveLength(2);
    await expectSameNumbers(page, recorded);
    await expect.poll(() => headlineOf(page), SOON).toMatch(/^✔ 2 token requests served [\d,]+ calls\.$/);
    const story = page.locator('#stories details');
    expect(await story.count()).toBe(1);
    await expect
      .poll(() => story.locator('summary').innerText(), SOON)
      .toMatch(
        /originations sandbox: (\d+) calls? refused \(token revoked\) → 1 token request → \1 sent again, in [\d,]+ ms$/,
      );
    await story.locator('summary').focus();
    await page.keyboard.press('Enter');
    const steps = await story.locator('li').allInnerTexts();
    expect(steps[0]).toMatch(/GET \/callers\/\d+: 401 token revoked/);
    expect(steps.filter((step) => step.includes('token request: 200'))).toHaveLength(1);
    expect(steps.at(-1)).toMatch(/sent again: 200 valid token/);
  });

  it('B25: an outage of 30 s: before, during and after', { timeout: 120_000 }, async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    await page.getByRole('button', { name: 'outage of 30 s' }).click();
    await expect.poll(() => headlineOf(page), SOON).toMatch(/^✔ 1 token request served [\d,]+ calls?\.$/);
    await expect
      .poll(() => headlineOf(page), SOON)
      .toMatch(/^✘ originations sandbox: Down: \d+ token requests? failed \(503\)\.$/);
    expect(await page.title()).toMatch(/^✘ originations sandbox: Down/);
    await expect
      .poll(() => page.locator('#load').innerText(), { timeout: 90_000, interval: 200 })
      .toMatch(/^Outage of 30 s: [\d,]+ calls by 50 callers, [\d,]+ failed\./);
    await expect
      .poll(() => headlineOf(page), SOON)
      .toMatch(/^✔ \d+ token requests, \d+ of them failed, served [\d,]+ calls\.$/);
    await expectSameNumbers(page, recorded);
    expect(recorded.provider.tokenRequests.length).toBeLessThanOrEqual(50);
    expect(recorded.provider.waitingScripts).toEqual([]);
  });

  it('B25: the timeline has words, keys and buttons', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    recorded.session.run('token', { status: 503 }, 'page');
    await recorded.session.load.control({ calls: 2 });
    await page.getByText('The timeline as text').click();
    const text = page.locator('#timeline-text li').first();
    await expect
      .poll(() => text.innerText(), SOON)
      .toMatch(
        /^originations sandbox, 20 seconds: 0 calls, 0 failed, 0 sent again, \d token requests?, \d failed, faults: 503\.$/,
      );
    const timeline = page.getByRole('group', { name: /^Timeline/ });
    await timeline.focus();
    await page.keyboard.press('+');
    expect(await page.locator('#span').innerText()).toBe('10 s');
    await page.keyboard.press('-');
    await page.keyboard.press('-');
    expect(await page.locator('#span').innerText()).toBe('60 s');
    await page.keyboard.press(' ');
    const resume = page.getByRole('button', { name: 'Resume' });
    expect(await resume.isVisible()).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => text.innerText(), SOON).toContain('0 token requests');
    await page.keyboard.press('End');
    expect(await page.getByRole('button', { name: 'Pause' }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await page.locator('#span').innerText()).toBe('20 s');
  });

  it('B25: an action is copied as a line of a test, as curl, and the session as a spec', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    await page.getByLabel('Next').fill('20');
    await page.getByRole('button', { name: '503', exact: true }).click();
    await page.locator('#copies').getByRole('button', { name: 'Copy as test' }).click();
    expect(await copied(page)).toBe('provider.token.next(20).status(503);');
    await page.locator('#copies').getByRole('button', { name: 'Copy curl' }).click();
    const { address } = recorded.session.control;
    expect(await copied(page)).toBe(`curl '${address}/token' --data '{"next":20,"status":503}'`);
    await page.locator('#requests').getByRole('button', { name: 'Copy as test' }).first().click();
    expect(await copied(page)).toBe('provider.token.next(20).status(503);');
    await page.getByRole('button', { name: 'Copy session as test' }).click();
    await expect.poll(() => copied(page), SOON).toContain('  provider.token.next(20).status(503);\n');
  });

  it('B25: the keys of the terminal work, unless a person types or turns them off', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    const waiting = () => recorded.provider.waitingScripts.length;
    await page.getByLabel('Filter').press('5');
    await page.getByRole('checkbox', { name: 'Keys' }).focus();
    await page.keyboard.press('5');
    await expect.poll(waiting, SOON).toBe(1);
    await page.getByRole('checkbox', { name: 'Keys' }).uncheck();
    await page.keyboard.press('5');
    await page.getByRole('checkbox', { name: 'Keys' }).check();
    await page.keyboard.press('u');
    await expect.poll(waiting, SOON).toBe(2);
  });

  it.each([360, 800, 1280, 2560])('B25: fits a width of %d', async (width) => {
    const recorded = await startSession();
    await recorded.session.load.control({ calls: 1 });
    const { page } = await open(recorded, { viewport: { width, height: 900 } });
    await expect.poll(() => headlineOf(page), SOON).toContain('served 1 call');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });
});

/** Draws so many events that move for two seconds. Returns how long each drawing took, in order of length. */
async function drawingsOf(events: number, options: BrowserContextOptions = {}): Promise<number[]> {
  const recorded = await startSession();
  const { page } = await open(recorded, options);
  const address = `${recorded.session.control.address}/timeline.js`;
  return page.evaluate(`(async () => {
    const { Timeline } = await import('${address}');
    const timeline = new Timeline({ now: () => Date.now(), onChange: () => undefined });
    const canvas = document.createElement('canvas');
    document.querySelector('#pairs').prepend(canvas);
    timeline.addRow('all', canvas);
    const start = Date.now() - 18_000;
    for (let id = 1; id <= ${events}; id += 1)
      timeline.add('all', {
        id, kind: id % 100 === 0 ? 'token' : 'api', ok: id % 10 !== 0, durationMs: 1,
        at: new Date(start + id * ${18_000 / events}).toISOString(), ...(id % 10 === 1 && id > 1 && { resendOf: id - 1 }),
      });
    timeline.durations = [];
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return timeline.durations.toSorted((one, other) => one - other);
  })()`);
}

describe('the timeline with 2,000 events', () => {
  it('B25: costs not much more for each event than with 200', async () => {
    const few = await drawingsOf(200);
    const many = await drawingsOf(2000);
    expect(many.length).toBeGreaterThan(4);
    expect((many[many.length >> 1] ?? NaN) / (few[few.length >> 1] ?? NaN)).toBeLessThan(20);
  });

  it('B25: moves once a second if the person wants no motion', async () => {
    const durations = await drawingsOf(2000, { reducedMotion: 'reduce' });
    expect(durations.length).toBeGreaterThanOrEqual(1);
    expect(durations.length).toBeLessThanOrEqual(4);
  });
});
