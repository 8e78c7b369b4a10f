import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildSite } from '../../support/package/built-site.js';
import { MANUAL } from '../../support/package/manual-pages.js';
import { entries, manifest, temporaryDirectory } from '../../support/package/packed-package.js';
import { serveSite, type SiteServer } from '../../support/package/site-server.js';
import { openPage, SOON, startBrowser, tabTo } from '../../support/run/browser.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const PHONE = { width: 360, height: 740 };
/** Colours change in steps. A check in between would see a colour that no reader sees for long. */
const WITHOUT_STEPS = '*, ::before, ::after { transition: none !important }';

const pagesOfManual = MANUAL.filter((page) => page.startsWith('docs/')).map((page) =>
  page.replace(/^docs\/(.+)\.md$/, '$1.html'),
);

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
let pages: readonly string[];
let server: SiteServer;
let browser: Browser;

beforeAll(async () => {
  // `vitepress build` fails if a link to a page is dead.
  folder = await temporaryDirectory();
  [pages, browser] = await Promise.all([buildSite(folder.path), startBrowser()]);
  server = await serveSite(folder.path);
}, 600_000);

afterAll(() => Promise.all([browser?.close(), server?.close(), folder.remove()]));

const htmlOf = (page: string): Promise<string> => readFile(join(folder.path, page), 'utf8');

/** Serious and critical violations. */
function violationsOf(page: Page): Promise<string[]> {
  return page.evaluate(`axe.run({ resultTypes: ['violations'], preload: false }).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`);
}

/** What makes the page wider than the window: elements that no ancestor scrolls. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const { clientWidth } = document.documentElement;
    const scrolls = (element) => element !== document.body &&
      (getComputedStyle(element).overflowX !== 'visible' || (element.parentElement && scrolls(element.parentElement)));
    return [...document.querySelectorAll('.VPContent *')]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > clientWidth + 1)
      .filter((element) => !scrolls(element))
      .map((element) => element.outerHTML.slice(0, 120));
  })()`);
}

describe('npm run docs:site', () => {
  it('B26: has each page of the manual, and each entry of the package', () => {
    const references = entries.map(({ subpath }) => posix.join('api', manifest.name, subpath, 'index.html'));
    expect(pages).toEqual(expect.arrayContaining([...pagesOfManual, ...references]));
  });

  it('B26: has no link to a heading that does not exist', async () => {
    const dead: string[] = [];
    for (const page of pagesOfManual)
      for (const [, link = ''] of (await htmlOf(page)).matchAll(/<a [^>]*href="([^":]+)"/g)) {
        const [path = '', heading] = link.split('#');
        const target = path === '' ? page : posix.join(path.startsWith('/') ? '' : posix.dirname(page), path);
        const file = target.endsWith('/') ? `${target}index.html` : target;
        const isThere = existsSync(join(folder.path, file));
        if (!isThere || (heading !== undefined && !(await htmlOf(file)).includes(`id="${heading}"`)))
          dead.push(`${page}: ${link}`);
      }
    expect(dead).toEqual([]);
  });

  it('B26: finds the sections of all pages with its search', async () => {
    const chunks = await readdir(join(folder.path, 'assets/chunks'));
    const [name = ''] = chunks.filter((chunk) => chunk.startsWith('@localSearchIndex'));
    const index = await htmlOf(`assets/chunks/${name}`);
    const wanted = [
      ...pagesOfManual.filter((page) => page !== 'index.html').map((page) => `/${page}#`),
      '#token_unavailable"',
    ];
    expect(wanted.filter((one) => !index.includes(one))).toEqual([]);
  });
});

describe('the site of the manual, in Chromium', () => {
  it.each(pagesOfManual)(
    'B26: %s loads only files of the site, fits on a phone, and axe finds nothing serious in light and dark colours',
    async (name) => {
      const { page, messages, requested, failed } = await openPage(browser, `${server.origin}/${name}`);
      onTestFinished(() => page.context().close());
      await page.addStyleTag({ content: WITHOUT_STEPS });
      await page.waitForFunction(`'__vue_app__' in document.querySelector('#app')`);
      await page.addScriptTag({ path: AXE });
      const light = await violationsOf(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForFunction(`document.documentElement.classList.contains('dark')`);
      const dark = await violationsOf(page);
      await page.setViewportSize(PHONE);
      const wide = await tooWide(page);
      const foreign = requested.filter((url) => !url.startsWith(`${server.origin}/`));
      expect({ light, dark, wide, messages, foreign, failed }).toEqual({
        light: [],
        dark: [],
        wide: [],
        messages: [],
        foreign: [],
        failed: [],
      });
    },
  );

  it('B26: the keyboard opens the search and follows its first result', async () => {
    const { page } = await openPage(browser, `${server.origin}/`);
    onTestFinished(() => page.context().close());
    await page.waitForFunction(`'__vue_app__' in document.querySelector('#app')`);
    await page.keyboard.press('Control+k');
    await page.locator('#localsearch-input').waitFor();
    await page.keyboard.type('token_unavailable');
    // The results change with each letter.
    await page
      .locator('[id^=localsearch-item]')
      .first()
      .filter({ hasText: /token_unavailable/i })
      .waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url(), SOON).toBe(`${server.origin}/errors.html#token_unavailable`);
  });

  it('B26: on a phone, the keyboard opens the menu and follows its link', async () => {
    const { page } = await openPage(browser, `${server.origin}/`, { viewport: PHONE });
    onTestFinished(() => page.context().close());
    await page.waitForFunction(`'__vue_app__' in document.querySelector('#app')`);
    await tabTo(page, 'mobile navigation');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Configuration');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url(), SOON).toBe(`${server.origin}/configuration.html`);
  });
});
