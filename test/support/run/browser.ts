import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** Names another Chromium or Chrome. */
const VARIABLE = 'PROVIDER_AUTH_CHROMIUM';

const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Starts the Chromium of the operating system. If there is none, the error says what to install. */
export function startBrowser(): Promise<Browser> {
  const places = [process.env[VARIABLE], ...USUAL_PLACES].filter((place) => place !== undefined);
  const executablePath = places.find((place) => existsSync(place));
  if (executablePath === undefined)
    throw new Error(
      `There is no Chromium: install it (Debian: apt-get install chromium), or name its program in ${VARIABLE}.`,
    );
  return chromium.launch({ executablePath, timeout: 120_000 });
}

/** Chromium needs seconds for a page on a busy machine. */
export const SOON = { timeout: 30_000, interval: 50 };

export interface OpenedPage {
  readonly page: Page;
  /** What the browser wrote to its console, and errors of the script. */
  readonly messages: string[];
  /** The address of each request of the page. */
  readonly requested: string[];
  /** The address of each response with a status of 400 or more. */
  readonly failed: string[];
}

/** An empty page in a new context, which the caller closes. */
export async function emptyPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 1000 }, ...options });
  context.setDefaultTimeout(SOON.timeout);
  return context.newPage();
}

/** Records what happens on a page from now on. Ends the recording before this one. */
export function record(page: Page): OpenedPage {
  const messages: string[] = [];
  const requested: string[] = [];
  const failed: string[] = [];
  for (const event of ['console', 'pageerror', 'request', 'response']) page.removeAllListeners(event);
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => requested.push(request.url()));
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(response.url());
  });
  return { page, messages, requested, failed };
}

/** Opens a page in a new context, which the caller closes. Records what happens there. */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const opened = record(await emptyPage(browser, options));
  await opened.page.goto(address);
  return opened;
}

/** Opens the page of a simulator until the test ends. */
export async function openLive(
  browser: Browser,
  address: string | undefined,
  options?: BrowserContextOptions,
): Promise<OpenedPage> {
  const opened = await openPage(browser, address ?? '', options);
  onTestFinished(() => opened.page.context().close());
  await expect.poll(() => opened.page.locator('#connection').textContent(), SOON).toBe('Live');
  return opened;
}

/** Moves the focus with the Tab key until the element with this name has it. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const focused = (): Promise<string> =>
    page.evaluate(`(() => {
      const { labels, ariaLabel, textContent, id } = document.activeElement;
      return labels?.[0]?.textContent.trim() || ariaLabel || textContent.trim() || id;
    })()`);
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('Tab');
    if ((await focused()).startsWith(name)) return;
  }
  throw new Error(`The Tab key does not lead to ${name}.`);
}
