import { mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FAULTS } from '../../lib/cli/simulate/faults.js';
import { outcome } from '../support/application/simulator.js';
import { SimulationHere } from '../support/application/simulate.js';
import { ROOT } from '../support/package/packed-package.js';
import { emptyPage, openLive, type OpenedPage, SOON, startBrowser, tabTo } from '../support/run/browser.js';

/** Where the pictures go. Git ignores the folder. With `TEST_PICTURES=manual` the pictures of the manual are written again. */
const PICTURES = join(ROOT, 'reports/simulator-page');
const MANUAL = join(ROOT, 'docs');
const PICTURES_OF_MANUAL = ['simulate-page.png', 'simulate-page-dark.png'];

/** Written together with the pictures. If it differs, make both again. */
const TEXTS_OF_MANUAL = join(ROOT, 'test/foreign/simulator-page.txt');

let browser: Browser;
let simulation: SimulationHere;

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  browser = await startBrowser();
});

afterAll(() => browser?.close());

beforeEach(async () => {
  simulation = await SimulationHere.start();
});

function open(options?: BrowserContextOptions): Promise<OpenedPage> {
  return openLive(browser, simulation.started['page'], options);
}

/** The text of each row of the list, the newest first. */
function rowsOf(page: Page): Promise<string[]> {
  return page.locator('#requests tr').allInnerTexts();
}

async function expectRows(page: Page, ...rows: RegExp[]): Promise<void> {
  await expect.poll(() => rowsOf(page), SOON).toEqual(rows.map((row) => expect.stringMatching(row)));
}

function card(page: Page, name: string) {
  return page.getByRole('article', { name, exact: true });
}

/** How much of two pictures differs, from 0 to 1. Cells of 16 pixels are compared, because other machines have other fonts. */
async function differenceOf(page: Page, ...pictures: [Buffer, Buffer]): Promise<number> {
  const addresses = pictures.map((picture) => `data:image/png;base64,${picture.toString('base64')}`);
  return page.evaluate(`(async () => {
    const [one, other] = await Promise.all(${JSON.stringify(addresses)}.map(async (src) => {
      const image = Object.assign(new Image(), { src });
      await image.decode();
      const [width, height] = [Math.ceil(image.width / 16), Math.ceil(image.height / 16)];
      const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, width, height);
      return context.getImageData(0, 0, width, height).data;
    }));
    if (one.length !== other.length) return 1;
    return one.filter((value, index) => Math.abs(value - other[index]) > 24).length / one.length;
  })()`);
}

/** The texts that the pictures of the manual show, without what differs in each run. */
async function textsOf(page: Page): Promise<string> {
  const places = ['#top', '#headline', '#start > summary', '#pairs-title', '.legend', '#timeline-buttons'];
  const parts = ['.pair h3', '.tracks', '#acts', '#stories-title', '#stories summary'];
  const texts = await page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify([...places, ...parts].join())})].map((one) => one.innerText)`,
  );
  return `${texts.join('\n').replaceAll(/\d[\d,.:]*/g, '0')}\n`;
}

/** The lowest contrast between a text and its background, by WCAG 2.2. */
function lowestContrast(page: Page): Promise<{ contrast: number; text: string }> {
  return page.evaluate(`(() => {
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const luminance = (colour) => {
      const [r, g, b] = channels(colour).map((value) => value / 255)
        .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const backgroundOf = (element) => {
      const { backgroundColor } = getComputedStyle(element);
      return channels(backgroundColor)[3] === 0 ? backgroundOf(element.parentElement) : backgroundColor;
    };
    return [...document.body.querySelectorAll('*')]
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
      .filter((element) => element.checkVisibility())
      .map((element) => {
        const [one, other] = [getComputedStyle(element).color, backgroundOf(element)].map(luminance);
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        return { contrast, text: element.textContent.trim().slice(0, 40) };
      })
      .reduce((lowest, next) => (next.contrast < lowest.contrast ? next : lowest));
  })()`);
}

/** What a client sees after each button. */
const EFFECTS: Readonly<Record<string, [effect: (token: string) => Promise<unknown>, expected: unknown]>> = {
  revoke: [(token) => outcome(simulation.callApi(token)), 401],
  '503': [() => outcome(simulation.askForToken()), 503],
  '429': [() => outcome(simulation.askForToken()), 429],
  'invalid client': [async () => (await simulation.askForToken()).json, { error: 'invalid_client' }],
  // The answer never comes. The end of the simulator ends the wait.
  hang: [() => outcome(beforeTheEnd(simulation.askForToken())), expect.stringMatching(/^ECONN/)],
  reset: [() => outcome(simulation.askForToken()), 'ECONNRESET'],
  garbage: [() => outcome(simulation.askForToken()), 'HPE_INVALID_CONSTANT'],
  'short life': [async () => (await simulation.askForToken()).json['expires_in'], 5],
  '401': [(token) => outcome(simulation.callApi(token)), 401],
  '500': [(token) => outcome(simulation.callApi(token)), 500],
  late: [isLate, { status: 200, isLate: true }],
  'new session': [() => outcome(simulation.askForToken()), 200],
  clear: [() => outcome(simulation.askForToken()), 200],
};

async function beforeTheEnd<Answer>(answer: Promise<Answer>): Promise<Answer> {
  // The API answers in the meantime, so the token request has arrived.
  await simulation.callApi(undefined);
  void simulation.end();
  return answer;
}

async function isLate(token: string): Promise<unknown> {
  const { status } = await simulation.callApi(token);
  const requests = await simulation.requests(2);
  return { status, isLate: requests.at(-1)?.['durationMs'] >= 1990 };
}

describe('the page of provider-auth simulate', () => {
  it('B25: shows each request, the newest token and its life, without a reload', async () => {
    const { page } = await open();
    expect(await page.getByRole('article').count()).toBe(4);
    const easy = card(page, 'easy sandbox');
    expect(await easy.innerText()).toContain('no token yet');
    await simulation.callApi(await simulation.token());
    await expectRows(
      page,
      /easy sandbox\s+GET \/payments\/1 #1\s+✔ 200\s+valid token/,
      /easy sandbox\s+token #1\s+✔ 200\s+token issued, lives 3600 s/,
    );
    await expect.poll(() => easy.innerText(), SOON).toMatch(/valid[^]*of 1:00:00 left/);
    expect(await easy.innerText()).toMatch(/1\s+token request\s+1\s+call/);
    expect(await easy.innerText()).toContain('✔ 1 token request served 1 call.');
    const bar = page.getByRole('progressbar', { name: /easy sandbox/ });
    expect(Number(await bar.getAttribute('value'))).toBeGreaterThan(0.9);
    expect(await card(page, 'easy production').innerText()).toContain('No requests yet.');
  });

  it('B25: says in words that an application asks for too many tokens', async () => {
    const { page } = await open();
    for (let count = 0; count < 3; count += 1) await simulation.token();
    await expect.poll(() => card(page, 'easy sandbox').innerText(), SOON).toContain('2 tokens too early');
  });

  it('B25: says that a pair is down, and counts failed token requests and failed calls apart', async () => {
    const { page } = await open();
    const [easy, headline] = [card(page, 'easy sandbox'), page.locator('#headline')];
    await simulation.control('token', { status: 503 });
    for (let count = 0; count < 12; count += 1) await simulation.askForToken();
    await simulation.callApi(undefined);
    await expect.poll(() => easy.innerText(), SOON).toContain('✘ Down: 12 token requests failed (503).');
    expect(await headline.innerText()).toBe('✘ easy sandbox: Down: 12 token requests failed (503).');
    await expect
      .poll(() => easy.innerText(), SOON)
      .toMatch(/12\s+token requests, ✘ 12 failed\s+1\s+call, ✘ 1 failed/);
    expect(await easy.innerText()).not.toContain('✔');
    await simulation.control('simulator', { reset: true });
    await simulation.callApi(await simulation.token());
    const recovered = '✔ 13 token requests, 12 of them failed, served 1 call.';
    await expect.poll(() => easy.innerText(), SOON).toContain(recovered);
    expect(await headline.innerText()).toBe(recovered);
  });

  it('B25 B29: calls to an address that no pair has are a row of the timeline', async () => {
    const { page } = await open();
    const base = new URL(simulation.variables['PROVIDER_EASY_SANDBOX_BASE_URL'] ?? '').origin;
    await page.getByText('The timeline as text').click();
    await simulation.get(`${base}/wrong/base`);
    await expect
      .poll(() => page.locator('#timeline-text li').last().innerText(), SOON)
      .toMatch(/^unknown address, 20 seconds: 1 call, 1 failed/);
    const row = card(page, 'unknown address');
    await expect.poll(() => row.innerText(), SOON).toMatch(/1\s+call, ✘ 1 failed/);
    expect(await row.innerText()).toMatch(/✘ 1 call failed in a row \(404/);
    expect(await row.innerText()).not.toMatch(/token yet|left/);
    await simulation.control('token', { hang: true });
    const textOf = (name: string) => page.locator('#timeline-text li', { hasText: name }).innerText();
    await expect.poll(() => textOf('easy sandbox'), SOON).toContain('faults: hang');
    expect(await textOf('unknown address')).not.toContain('faults');
  });

  it('B25: the bar follows the life of a token', async () => {
    const { page } = await open();
    await simulation.control('token', { lifetime: 1 });
    await simulation.token();
    const easy = card(page, 'easy sandbox');
    await expect.poll(() => easy.innerText(), SOON).toContain('valid');
    await expect.poll(() => easy.innerText(), SOON).toContain('expired');
    expect(await easy.getByRole('progressbar').getAttribute('value')).toBe('0');
  });

  it.each(FAULTS.map((fault) => [fault.label, fault] as const))(
    'B25: the button %s works',
    async (_, fault) => {
      const token = await simulation.token();
      // A fault that `clear` removes.
      if (fault.label === 'clear') await simulation.control('token', { status: 418 });
      const { page } = await open();
      await page.getByRole('button', { name: fault.label, exact: true }).click();
      await expect
        .poll(() => page.locator('#outcome').innerText(), SOON)
        .toContain(
          fault.label === 'revoke'
            ? 'Done: 1 token revoked.'
            : `${fault.isCounted ? `Armed for the next ${fault.on === 'api' ? 'API' : 'token'} request` : 'Done'}: ${fault.does}.`,
        );
      expect(simulation.lines.findLast(({ event }) => event === 'fault')).toMatchObject({
        by: 'page',
        chain: expect.stringContaining(`${fault.on}.`),
      });
      const [effect, expected] = EFFECTS[fault.label] ?? [() => Promise.resolve('untested'), undefined];
      expect(await effect(token)).toEqual(expected);
    },
  );

  it('B25: an armed fault is a chip with what is left, a row in the list, and can be taken back', async () => {
    const { page } = await open();
    const chips = page.getByRole('list', { name: 'Armed faults' }).getByRole('listitem');
    await page.getByLabel('Next').fill('20');
    await page.getByRole('button', { name: '503', exact: true }).click();
    await expect.poll(() => chips.allInnerTexts(), SOON).toEqual(['token · 503 · 20 left✕']);
    await simulation.askForToken();
    await simulation.askForToken();
    await expect.poll(() => chips.allInnerTexts(), SOON).toEqual(['token · 503 · 18 left✕']);
    await expectRows(
      page,
      /token #2\s+✘ 503/,
      /token #1\s+✘ 503/,
      /token\.next\(20\)\.status\(503\)\s+⚡ fault\s+by page Copy as testCopy curl/,
    );
    await simulation.control('api', { for: 'easy', hang: true });
    await expect.poll(() => chips.allInnerTexts(), SOON).toContain('api · hang · easy · until removed✕');
    await page.getByRole('button', { name: 'Take back 503' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => chips.count(), SOON).toBe(1);
    expect(await page.locator('#outcome').innerText()).toBe('Done: 503 is taken back.');
    expect((await simulation.askForToken()).status).toBe(200);
  });

  it('B25: a revoked token is shown at once', async () => {
    await simulation.token();
    const { page } = await open();
    await page.getByRole('button', { name: 'revoke', exact: true }).click();
    await expect.poll(() => card(page, 'easy sandbox').innerText(), SOON).toContain('revoked');
  });

  it('B25: a fault is for the chosen pair and the chosen number of requests', async () => {
    const { page } = await open();
    await page.getByLabel('For').selectOption('easy production');
    await page.getByLabel('Next').fill('2');
    await page.getByRole('button', { name: '503', exact: true }).click();
    await expect
      .poll(() => page.locator('#outcome').innerText(), SOON)
      .toBe('Armed for the next 2 token requests: the token endpoint is unavailable.');
    const statuses = [
      (await simulation.askForToken()).status,
      (await simulation.askForToken({}, 'EASY_PRODUCTION')).status,
      (await simulation.askForToken({}, 'EASY_PRODUCTION')).status,
      (await simulation.askForToken({}, 'EASY_PRODUCTION')).status,
    ];
    expect(statuses).toEqual([200, 503, 503, 200]);
  });

  it('B25: says what is wrong if a fault is refused', async () => {
    const { page } = await open();
    await page.getByLabel('Next').fill('0');
    await page.getByRole('button', { name: '503', exact: true }).click();
    await expect
      .poll(() => page.locator('#outcome').innerText(), SOON)
      .toBe('Not done: "next": count must be a whole number from 1 to 1000000.');
  });

  it('B25: the list has a filter', async () => {
    const { page } = await open();
    await simulation.callApi(await simulation.token(), '/payments/7');
    await simulation.callApi(undefined, '/payments/8');
    await expectRows(page, /payments\/8/, /payments\/7/, /token #1/);
    await page.getByLabel('Filter').fill('PAYMENTS 401');
    await expectRows(page, /payments\/8[^]*✘ 401\s+no token/);
    await page.getByLabel('Filter').fill('nothing');
    await expectRows(page);
    expect(await page.locator('#none').innerText()).toBe('No request matches.');
    await page.getByLabel('Filter').fill('');
    await page.getByLabel('Only failed').check();
    await expectRows(page, /payments\/8/);
    expect(await page.locator('#shown').innerText()).toBe('1 of the last 3 shown');
  });

  it('B25: a page that opens later shows the earlier requests', async () => {
    await simulation.token();
    const { page } = await open();
    await expect.poll(() => rowsOf(page), SOON).toEqual([expect.stringMatching(/token #1/)]);
  });

  it('B25: everything works with the keyboard only', async () => {
    await simulation.token();
    const { page } = await open();
    await tabTo(page, 'For');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, 'Next');
    await page.keyboard.press('ArrowUp');
    await tabTo(page, 'revoke');
    const outline = await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`);
    expect(outline).toBe('solid');
    await tabTo(page, '503');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('#outcome').innerText(), SOON).toContain('Armed');
    expect(simulation.lines.findLast(({ event }) => event === 'fault')).toMatchObject({
      chain: 'token.for("originations", "sandbox").next(2).status(503)',
    });
    await tabTo(page, 'Filter');
    await page.keyboard.type('nothing');
    await expectRows(page);
    await tabTo(page, 'Only failed');
    await page.keyboard.press('Space');
    expect(await page.getByLabel('Only failed').isChecked()).toBe(true);
  });

  it.each(['light', 'dark'] as const)('B25: every text is readable in %s colours', async (colorScheme) => {
    await simulation.token();
    await simulation.callApi(await simulation.token());
    await simulation.callApi('unknown');
    const { page } = await open({ colorScheme });
    await expect.poll(() => rowsOf(page), SOON).toHaveLength(4);
    await page.getByRole('button', { name: 'short life' }).click();
    await expect.poll(() => page.locator('#outcome').innerText(), SOON).toContain('Armed');
    const { contrast, text } = await lowestContrast(page);
    expect({ readable: contrast >= 4.5, contrast, text }).toMatchObject({ readable: true });
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(27, 27, 31)');
    await page.screenshot({ path: join(PICTURES, `${colorScheme}.png`), fullPage: true });
  });

  it('B25: the manual shows the page as it is, in both colours', async () => {
    await simulation.end();
    simulation = await SimulationHere.start(['--load', '100', '--latency', '30']);
    const viewport = { width: 1280, height: 860 };
    const pages = await Promise.all(
      (['light', 'dark'] as const).map((colorScheme) => open({ viewport, colorScheme })),
    );
    await simulation.requests(800);
    await simulation.control('token', { for: ['originations', 'sandbox'], revokeAll: true });
    for (const { page } of pages)
      await expect.poll(() => page.locator('#stories summary.good').count(), SOON).toBe(1);
    await simulation.requests(1400);
    for (const [index, { page }] of pages.entries()) {
      const name = PICTURES_OF_MANUAL[index] ?? '';
      const picture = await page.screenshot();
      const isForManual = process.env['TEST_PICTURES'] === 'manual';
      await writeFile(join(isForManual ? MANUAL : PICTURES, name), picture);
      if (isForManual) await writeFile(TEXTS_OF_MANUAL, await textsOf(page));
      const drawing = await emptyPage(browser);
      onTestFinished(() => drawing.context().close());
      const [inManual, ofOtherColours] = await Promise.all(
        [name, PICTURES_OF_MANUAL[1 - index] ?? ''].map((file) => readFile(join(MANUAL, file))),
      );
      // The calls are at other places in each run.
      expect(await differenceOf(drawing, picture, inManual ?? picture)).toBeLessThan(0.03);
      expect(await differenceOf(drawing, picture, ofOtherColours ?? picture)).toBeGreaterThan(0.5);
      expect(await textsOf(page)).toBe(await readFile(TEXTS_OF_MANUAL, 'utf8'));
    }
  });

  it('B25: fits on a narrow screen', async () => {
    await simulation.callApi(await simulation.token());
    const { page } = await open({ viewport: { width: 360, height: 800 } });
    await expect.poll(() => rowsOf(page), SOON).toHaveLength(2);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
  });

  it('B25: writes nothing to the console, and asks no other server for anything', async () => {
    const { page, messages, requested } = await open();
    await simulation.callApi(await simulation.token());
    await expect.poll(() => rowsOf(page), SOON).toHaveLength(2);
    await page.getByRole('button', { name: 'revoke', exact: true }).click();
    await expect.poll(() => page.locator('#outcome').innerText(), SOON).toBe('Done: 1 token revoked.');
    await simulation.end();
    await expect.poll(() => page.locator('#connection').innerText(), SOON).toContain('has ended');
    expect(messages).toEqual([]);
    const address: string = simulation.started['page'];
    expect(requested.length).toBeGreaterThan(4);
    expect(requested.filter((url) => !url.startsWith(address) && url !== 'data:,')).toEqual([]);
  });

  it('B25: says in words when the simulator has ended', async () => {
    const { page } = await open();
    await simulation.end();
    await expect
      .poll(() => page.getByRole('status').first().innerText(), SOON)
      .toBe('The simulator has ended. Start it again: npx nestjs-provider-auth simulate');
    await page.getByRole('button', { name: '503', exact: true }).click();
    await expect
      .poll(() => page.locator('#outcome').innerText(), SOON)
      .toBe('Not done: the simulator does not answer.');
  });

  it('B25: shows text of a client as text', async () => {
    const { page } = await open();
    await simulation.callApi(undefined, '/<img/src=x/onerror=alert(1)>');
    await expect.poll(() => rowsOf(page), SOON).toHaveLength(1);
    expect(await page.locator('#requests img').count()).toBe(0);
    expect((await rowsOf(page))[0]).toContain('<img');
  });
});
