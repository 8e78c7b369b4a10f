import { execFileSync } from 'node:child_process';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../lib/cli/simulate/scenarios.js';
import { type RecordedSession, startSession } from '../support/application/simulator-session.js';
import { openLive, type OpenedPage, SOON, startBrowser } from '../support/run/browser.js';

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(() => browser?.close());

function open({ session }: RecordedSession, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  return openLive(browser, session.control.page, { permissions, ...options });
}

function card(page: Page) {
  return page.getByRole('article', { name: 'originations sandbox', exact: true });
}

function headlineOf(page: Page): Promise<string> {
  return page.locator('#headline').innerText();
}

const copied = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

const numberIn = (text = '0'): number => Number(text.replaceAll(',', ''));

/** `12 calls, ✘ 3 failed, 1 recovered`: all of them, and those that did not work at first. */
function numbersIn(text: string): { all: number; failed: number } {
  const [, all, failed, recovered] =
    /^([\d,]+)\s+[a-z ]+(?:, ✘ ([\d,]+) failed)?(?:, ([\d,]+) recovered)?$/.exec(text.trim()) ?? [];
  return { all: numberIn(all), failed: numberIn(failed) + numberIn(recovered) };
}

function numbersOf(requests: readonly { status?: number | undefined }[]): { all: number; failed: number } {
  return { all: requests.length, failed: requests.filter(({ status }) => status !== 200).length };
}

/** The numbers of the page are those of the records. */
async function expectSameNumbers(page: Page, { provider }: RecordedSession): Promise<void> {
  const shown = async () => (await card(page).locator('.numbers > span').allInnerTexts()).map(numbersIn);
  const recorded = [provider.tokenRequests, provider.apiRequests].map(numbersOf);
  await expect.poll(shown, SOON).toEqual(recorded);
}

const loadOf = (page: Page): Promise<string> => page.locator('#load').innerText();

/** Records each text of these places, however short it is there. */
async function listen(page: Page): Promise<(place: 'headline' | 'load') => Promise<string[]>> {
  await page.evaluate(`
    globalThis.said = { headline: [], load: [] };
    for (const [id, texts] of Object.entries(said)) {
      const place = document.getElementById(id);
      new MutationObserver(() => texts.push(place.textContent)).observe(place, { childList: true });
    }
  `);
  return (place) => page.evaluate(`said.${place}`);
}

/** Some of the texts match, in this order. */
function expectInOrder(texts: readonly string[], expected: readonly (string | RegExp)[]): void {
  let from = 0;
  for (const text of expected) {
    const found = texts.findIndex(
      (one, index) => index >= from && (typeof text === 'string' ? one.includes(text) : text.test(one)),
    );
    expect({ text, isSaid: found >= 0, after: texts.slice(Math.max(0, from - 1)) }).toMatchObject({
      isSaid: true,
    });
    from = found + 1;
  }
}

interface Said {
  /** What the callers are said to do, in this order. */
  readonly callers: readonly (string | RegExp)[];
  /** The headline before the fault, during it and after it, in this order. */
  readonly headlines: readonly [...RegExp[], after: RegExp];
  /** What the timeline and the list of requests name. */
  readonly mark?: readonly [onTimeline: string, inList: string];
  /** At least and at most so many token requests. */
  readonly tokens: readonly [number, number];
}

const LEFT = /^50 callers on originations sandbox, [\d:]+ left\.$/;

/** What the page says in each scenario. */
const SAID = {
  revoke: {
    callers: [
      /^Begins when 1,000 callers have an answer: [\d,]+ so far\.$/,
      /^1,000 callers on originations sandbox, [\d:]+ left\.$/,
    ],
    headlines: [
      /^Revoke under load: 1,000 callers share one token\. Soon, all tokens are revoked\.$/,
      /^All tokens revoked: [\d,]+ refused calls? sent again, [01] more token requests?, no call failed\.$/,
      /^✔ Revoke over: (?<ok>1) more token request for 1,000 callers, (?<recovered>[\d,]+) calls? sent again, no call failed\.$/,
    ],
    tokens: [2, 2],
  },
  // These callers start and end between two updates of the page.
  cold: {
    callers: [],
    headlines: [
      /^✔ 1,000 cold callers: (?<all>1) token request instead of (?<calls>1,000), no call failed\.$/,
    ],
    tokens: [1, 1],
  },
  outage: {
    callers: [LEFT],
    headlines: [
      /^Outage of 30 s: 50 callers share one token\. Soon, all tokens are revoked, and the token endpoint fails\.$/,
      /^⚠ Outage, \d+ s of 30 s: [\d,]+ calls? failed.*, as expected\. The client backs off: \d+ failed token requests? instead of [\d,]+\.$/,
      /^✔ Outage over: recovered after 3\d s with (?<ok>\d+) token requests?\. (?<failed>[\d,]+) calls failed \((?<unsent>[\d,]+) before they were sent: no token\), as expected\. The client backed off: (?<refused>\d+) failed token requests instead of \k<failed>\.$/,
    ],
    tokens: [3, 50],
  },
  rotated: {
    callers: [LEFT],
    headlines: [
      /^Rotated secret: 50 callers share one token\. Soon, the secret changes, and all tokens are revoked\.$/,
      /^Secret rotated: the old secret was refused in [01] token requests?, the new one accepted in [01]\. [\d,]+ refused calls? sent again, no call failed\.$/,
      /^✔ Rotated secret over: the old secret was refused in (?<refused>1) token request, the new one accepted in (?<ok>1)\. (?<recovered>[\d,]+) refused calls? sent again, no call failed\.$/,
    ],
    mark: ['rotate', 'rotateSecret("originations", "sandbox")'],
    tokens: [3, 3],
  },
  expiring: {
    callers: [LEFT],
    headlines: [
      /^Tokens live for 3 s: [1-7] token requests? in \d+ s, .*, no call failed\.$/,
      /^✔ Expiring token over: (?<all>[5-7]) token requests in \d+ s, .*, no call failed\.$/,
    ],
    tokens: [5, 7],
  },
} satisfies Record<string, Said>;

/** The numbers of a headline, as the simulator recorded them. Before a fault, one token is issued. */
function numbersOfRecords({ provider, load }: RecordedSession): Record<string, number> {
  const { tokenRequests, apiRequests } = provider;
  const refused = tokenRequests.filter(({ status }) => status !== 200).length;
  const answered = apiRequests.filter(({ status }) => status === 200).length;
  const { calls, failed } = load();
  return {
    all: tokenRequests.length,
    ok: tokenRequests.length - refused - 1,
    refused,
    recovered: apiRequests.length - answered,
    calls: answered,
    failed: calls - answered,
    // Calls that the API refused, and that were not sent again, have failed, too.
    unsent: failed - (apiRequests.length - answered),
  };
}

describe('the promise on the page of provider-auth simulate', () => {
  it('B25: an idle page leads to a first call', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    expect(await headlineOf(page)).toBe('No requests yet.');
    expect(await page.title()).toBe('No requests yet. – Provider simulator');
    await page.locator('#start').getByRole('button', { name: 'Copy' }).first().click();
    await expect.poll(() => copied(page), SOON).toBe('node dist/main.js');
    await page.locator('#start').getByRole('button', { name: 'Copy' }).last().click();
    await expect
      .poll(() => copied(page), SOON)
      .toBe(`curl '${recorded.session.control.address}/token' --data '{"next":1,"status":503}'`);
    await page.getByRole('button', { name: 'Send a test call' }).click();
    await expect.poll(() => headlineOf(page), SOON).toBe('✔ 1 token request served 1 call.');
    expect(await page.getByText('Start your application:').isVisible()).toBe(false);
    // The button stays at hand, in the list of scenarios.
    await page.getByRole('button', { name: 'Send a test call' }).click();
    await expect.poll(() => headlineOf(page), SOON).toBe('✔ 1 token request served 2 calls.');
    // The line that starts an application stays at hand.
    await page.getByText('Three ways to begin').click();
    await page.getByRole('button', { name: 'Send a test call' }).click();
    await expect.poll(() => headlineOf(page), SOON).toBe('✔ 1 token request served 3 calls.');
    expect(await page.getByText('Start your application:').isVisible()).toBe(true);
    expect(await page.title()).toBe('✔ 1 token request served 3 calls. – Provider simulator');
    await expectSameNumbers(page, recorded);
  });

  it.each(SCENARIOS.map(({ name, label }) => [label, name] as const))(
    'B25: %s: before, during and after',
    { timeout: 150_000 },
    async (label, name) => {
      const recorded = await startSession();
      const { page } = await open(recorded);
      const expected: Said = SAID[name as keyof typeof SAID];
      const said = await listen(page);
      await page.getByRole('button', { name: label, exact: true }).click();
      const after = expected.headlines.at(-1) ?? /never/;
      await expect.poll(() => headlineOf(page), { timeout: 90_000, interval: 100 }).toMatch(after);
      await expect.poll(() => recorded.load().callers, SOON).toBe(0);
      await expect.poll(() => loadOf(page), SOON).toMatch(after);
      expect(await page.title()).toBe(`${await headlineOf(page)} – Provider simulator`);
      expectInOrder(await said('load'), [`${label}: starting …`, ...expected.callers]);
      expectInOrder(await said('headline'), expected.headlines);
      const { groups = {} } = after.exec(await headlineOf(page)) ?? {};
      const numbers = Object.fromEntries(
        Object.entries(groups).map(([which, text]) => [which, numberIn(text)]),
      );
      expect(numbersOfRecords(recorded)).toMatchObject(numbers);
      expect(Object.keys(numbers)).not.toEqual([]);
      // The row of the pair counts the same calls.
      const unsent =
        numbers['unsent'] === undefined
          ? ''
          : `✘ failed before they were sent: ${groups['unsent']} (no token)`;
      await expect.poll(() => card(page).locator('.unsent').innerText(), SOON).toBe(unsent);
      await expectSameNumbers(page, recorded);
      const { tokenRequests, waitingScripts } = recorded.provider;
      expect(tokenRequests.length).toBeGreaterThanOrEqual(expected.tokens[0]);
      expect(tokenRequests.length).toBeLessThanOrEqual(expected.tokens[1]);
      expect(waitingScripts).toEqual([]);
      if (expected.mark === undefined) return;
      expect(await page.locator('.bands span').allInnerTexts()).toContain(expected.mark[0]);
      await page.getByLabel('Filter').fill(expected.mark[1]);
      await expect.poll(() => page.locator('#requests tr').count(), SOON).toBe(2);
    },
  );

  it('B25: a new session starts at 0 on each page', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    await page.getByRole('button', { name: 'Send a test call' }).click();
    // Only a token that the call has can be revoked.
    await expect.poll(() => headlineOf(page), SOON).toBe('✔ 1 token request served 1 call.');
    await page.getByRole('button', { name: 'revoke', exact: true }).click();
    await expect.poll(() => page.locator('#outcome').innerText(), SOON).toBe('Done: 1 token revoked.');
    await recorded.session.load.control({ calls: 1 });
    await expect.poll(() => page.locator('#stories details').count(), SOON).toBe(1);
    await expect.poll(() => headlineOf(page), SOON).toBe('✔ 2 token requests served 2 calls.');
    await page.getByRole('button', { name: '503', exact: true }).click();
    await expect.poll(() => page.locator('#armed li').count(), SOON).toBe(1);
    await page.keyboard.press('n');
    await expect.poll(() => headlineOf(page), SOON).toBe('No requests yet.');
    await expect.poll(() => page.locator('#requests tr').count(), SOON).toBe(0);
    for (const part of ['#stories details', '#armed li']) expect(await page.locator(part).count()).toBe(0);
    expect(await card(page).locator('.numbers').innerText()).toMatch(/^0 token requests\s*0 calls$/);
    await page.getByRole('button', { name: 'Send a test call' }).click();
    await expect.poll(() => headlineOf(page), SOON).toBe('✔ 1 token request served 1 call.');
  });

  it('B25: a first look at the promise is one button', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    const colourOf = (name: string): Promise<string> =>
      page.evaluate(`(() => {
        const buttons = [...document.querySelectorAll('#scenarios button')];
        const button = buttons.find(({ textContent }) => textContent === '${name}');
        return getComputedStyle(button).backgroundColor;
      })()`);
    const before = await colourOf('revoke under load');
    await page.getByRole('button', { name: 'revoke under load' }).click();
    await expect.poll(recorded.load, SOON).toMatchObject({ callers: 1000, scenario: 'revoke' });
    // A scenario that runs looks like it.
    await expect.poll(() => colourOf('revoke under load'), SOON).not.toBe(before);
    expect(await colourOf('rotated secret')).toBe(before);
  });

  it('B25: what was refused under load is one story that opens', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    await page.getByRole('button', { name: 'Send a test call' }).click();
    await expect.poll(() => headlineOf(page), SOON).toBe('✔ 1 token request served 1 call.');
    await recorded.session.load.control({ callers: 50 });
    await expect.poll(() => recorded.load().calls, SOON).toBeGreaterThan(50);
    await page.getByRole('button', { name: 'revoke', exact: true }).click();
    // The callers are another application than that of the test call, so their first token is not too early.
    await expect.poll(() => headlineOf(page), SOON).toMatch(/^✔ 3 token requests served [\d,]+ calls\.$/);
    const story = page.locator('#stories details');
    await expect.poll(() => story.count(), SOON).toBe(1);
    await expect
      .poll(() => story.locator('summary').innerText(), SOON)
      .toMatch(
        /originations sandbox: ([\d,]+) calls? refused \(token revoked\) → 1 token request → \1 sent again, in [\d,]+ ms$/,
      );
    await story.locator('summary').focus();
    await page.keyboard.press('Enter');
    const lines = await story.locator('li').allInnerTexts();
    const steps = lines.filter((line) => !line.startsWith('and '));
    expect(steps[0]).toMatch(/GET \/callers\/\d+: 401 token revoked/);
    expect(steps.filter((step) => step.includes('token request: 200'))).toHaveLength(1);
    expect(steps.at(-1)).toMatch(/sent again: 200 valid token/);
  });

  it('B25: a call that is refused again is shown as a failure, not as a recovery', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    recorded.session.run('api', { next: 2, unauthorized: true }, 'page');
    await recorded.session.load.control({ calls: 1 });
    const summary = page.locator('#stories details summary');
    await expect
      .poll(() => summary.innerText(), SOON)
      .toMatch(/1 call refused \(.+\) → 1 token request → 1 sent again, of which 1 failed, in [\d,]+ ms$/);
    expect(await summary.getAttribute('class')).toBe('bad');
  });

  it('B25: a story with failures and lost calls says both', async () => {
    const recorded = await startSession();
    // Half a minute ago is too long ago for a call.
    const at = new Date(Date.now() - 40_000);
    const about = {
      at,
      interface: 'easy',
      environment: 'sandbox',
      method: 'GET',
      path: '/x',
      reason: 'token revoked',
    };
    const others = {
      account: undefined,
      fault: undefined,
      refusedWith: [401],
      isEarly: false,
      isComplete: true,
    };
    const calls = [401, 401, 401].map((status) => ({ kind: 'api' as const, status }));
    const later = [
      { kind: 'token' as const, status: 200 },
      { kind: 'api' as const, status: 500 },
    ];
    for (const one of [...calls, ...later])
      recorded.session.overview.add({ ...about, ...others, ...one, durationMs: 1 });
    const { page } = await open(recorded);
    await expect
      .poll(() => page.locator('#stories details summary').innerText(), SOON)
      .toMatch(
        /3 calls refused \(token revoked\) → 1 token request → 1 sent again, of which 1 failed; 2 not sent again in time$/,
      );
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
    await expect.poll(() => copied(page), SOON).toBe('provider.token.next(20).status(503);');
    await page.locator('#copies').getByRole('button', { name: 'Copy curl' }).click();
    const { address } = recorded.session.control;
    await expect
      .poll(() => copied(page), SOON)
      .toBe(`curl '${address}/token' --data '{"next":20,"status":503}'`);
    await page.locator('#requests').getByRole('button', { name: 'Copy as test' }).first().click();
    await expect.poll(() => copied(page), SOON).toBe('provider.token.next(20).status(503);');
    await page.getByRole('button', { name: 'Copy session as test' }).click();
    await expect.poll(() => copied(page), SOON).toContain('  provider.token.next(20).status(503);\n');
  });

  it('B25: a copied curl does the same in a shell, with an apostrophe in its body', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    const chain = { next: 1, body: "the provider's text" };
    recorded.session.run('token', chain, 'page');
    await page.locator('#requests').getByRole('button', { name: 'Copy curl' }).click();
    await expect.poll(() => copied(page), SOON).toMatch(/^curl /);
    const text = await copied(page);
    // The shell gives its words to a program. This one writes them down.
    const words = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${text}`], {
      encoding: 'utf8',
    });
    expect(words.split('\n')).toEqual([
      `${recorded.session.control.address}/token`,
      '--data',
      JSON.stringify(chain),
      '',
    ]);
  });

  it('B25: a key with Ctrl, Alt or Meta is left to the browser', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    const timeline = page.getByRole('group', { name: /^Timeline/ });
    const place = page.getByRole('checkbox', { name: 'Keyboard shortcuts' });
    // A modifier as an event: Chromium itself would act on the key.
    const modifiers = ['ctrlKey', 'altKey', 'metaKey'];
    for (const modifier of modifiers) {
      await place.dispatchEvent('keydown', { key: '5', [modifier]: true });
      await timeline.dispatchEvent('keydown', { key: '-', [modifier]: true });
    }
    await place.dispatchEvent('keydown', { key: '5' });
    await timeline.dispatchEvent('keydown', { key: '-' });
    await expect.poll(() => page.locator('#armed li').count(), SOON).toBe(1);
    expect(recorded.provider.waitingScripts).toHaveLength(1);
    expect(await page.locator('#span').innerText()).toBe('60 s');
  });

  it('B25: the keys of the terminal work, unless a person types or turns them off', async () => {
    const recorded = await startSession();
    const { page } = await open(recorded);
    const waiting = () => recorded.provider.waitingScripts.length;
    await page.getByLabel('Filter').press('5');
    await page.getByRole('checkbox', { name: 'Keyboard shortcuts' }).focus();
    await page.keyboard.press('5');
    await expect.poll(waiting, SOON).toBe(1);
    await page.getByRole('checkbox', { name: 'Keyboard shortcuts' }).uncheck();
    await page.keyboard.press('5');
    await page.getByRole('checkbox', { name: 'Keyboard shortcuts' }).check();
    await page.keyboard.press('u');
    await expect.poll(waiting, SOON).toBe(2);
  });

  it('B25: fits each width from a phone to a wide screen', async () => {
    const recorded = await startSession();
    await recorded.session.load.control({ calls: 1 });
    const { page } = await open(recorded);
    await expect.poll(() => headlineOf(page), SOON).toContain('served 1 call');
    for (const width of [360, 800, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const widthOfPage = await page.evaluate('document.documentElement.scrollWidth');
      expect({ width, fits: Number(widthOfPage) <= width }).toEqual({ width, fits: true });
    }
  });
});
