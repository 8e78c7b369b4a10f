import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { builtSite, type BuiltSite } from '../../support/package/built-site.js';
import { ROOT } from '../../support/package/packed-package.js';
import { serveSite, type SiteServer } from '../../support/package/site-server.js';
import {
  emptyPage,
  openPage,
  type OpenedPage,
  record,
  SOON,
  startBrowser,
  tabTo,
} from '../../support/run/browser.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1440, height: 900 };
const THEMES = ['light', 'dark'] as const;

/** Where the pictures go. Git ignores the folder. */
const PICTURES = join(ROOT, 'reports/site');

/**
 * Workaround: VitePress 1.6.4 makes each result of the search as a link in an option (vuejs/vitepress#5056). The test of the
 * menus and the search shows it without this list. Remove the list when a version of VitePress passes without it.
 */
const WITHOUT_IN_SEARCH = {
  rules: { 'nested-interactive': { enabled: false }, 'label-content-name-mismatch': { enabled: false } },
};

/** What the browser found on one page. */
interface Visit {
  readonly page: string;
  /** Elements that make the page wider than the phone, and a menu that is not there. */
  readonly onPhone: readonly string[];
  /** Serious and critical violations of axe, by theme. In the dark one, all rules are checked if other elements are visible. */
  readonly violations: Readonly<Record<(typeof THEMES)[number], readonly string[]>>;
  readonly messages: readonly string[];
  readonly requested: readonly string[];
  readonly failed: readonly string[];
}

let site: BuiltSite;
let server: SiteServer;
let browser: Browser;
let visits: readonly Visit[];

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  [site, browser] = await Promise.all([builtSite(), startBrowser()]);
  server = await serveSite(site.folder);
  visits = await visitAll(site.pages.filter((page) => page !== '404.html'));
}, 1_200_000);

afterAll(() => Promise.all([browser?.close(), server?.close()]));

/** Colours change in steps. A check in between would see a colour that no reader sees for long. */
const WITHOUT_STEPS = '*, ::before, ::after { transition: none !important }';

/** Opens a page, and waits until its scripts run. */
async function open(page: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const opened = await openPage(browser, `${server.origin}/${page}`, options);
  await opened.page.addStyleTag({ content: WITHOUT_STEPS });
  await ready(opened.page);
  return opened;
}

async function ready(page: Page): Promise<void> {
  await page.waitForFunction(`'__vue_app__' in document.querySelector('#app')`);
}

async function openHere(page: string, options?: BrowserContextOptions): Promise<OpenedPage> {
  const opened = await open(page, options);
  onTestFinished(() => opened.page.context().close());
  return opened;
}

/**
 * Two tabs: while one loads a page, the other is checked. A tab keeps its files and its compiled scripts from page to page, as
 * the tab of a reader does.
 */
async function visitAll(pages: readonly string[]): Promise<readonly Visit[]> {
  const open = pages[Symbol.iterator]();
  const done: Visit[] = [];
  const checkedMenus = new Set<string>();
  const work = async (): Promise<void> => {
    const tab = await emptyPage(browser);
    await tab.addInitScript({ path: AXE });
    // Before the first layout: a style that comes later makes the browser calculate all styles again.
    await tab.addInitScript(`
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('${WITHOUT_STEPS}');
      document.adoptedStyleSheets = [sheet];
    `);
    for (const page of open) done.push(await visit(tab, page, checkedMenus));
    await tab.context().close();
  };
  await Promise.all([work(), work()]);
  return done;
}

async function visit(tab: Page, name: string, checkedMenus: Set<string>): Promise<Visit> {
  // Else the browser would lay out the last page twice more.
  await tab.evaluate('document.body.replaceChildren()');
  await tab.setViewportSize(DESK);
  await tab.emulateMedia({ colorScheme: 'light' });
  const { page, ...recorded } = record(tab);
  await page.goto(`${server.origin}/${name}`);
  await ready(page);
  const menus = await page.evaluate<string>(MENUS);
  if (checkedMenus.has(menus)) await page.evaluate(EMPTY_MENUS);
  checkedMenus.add(menus);
  const light = await violationsOf(page);
  const shown = await page.evaluate<string>(SHOWN);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(`document.documentElement.classList.contains('dark')`);
  const isSame = (await page.evaluate(SHOWN)) === shown;
  const dark = await violationsOf(page, isSame ? { runOnly: OF_COLOURS } : {});
  await page.evaluate('globalThis.menus?.forEach(({ empty, full }) => empty.replaceWith(full))');
  await page.setViewportSize(PHONE);
  const onPhone = await troublesOnPhone(page);
  return { page: name, onPhone, violations: { light, dark }, ...recorded };
}

/**
 * The two menus are most of the elements of a page, and equal on many pages, so axe checks them once. They are equal if this text is:
 * all their elements and style sheets. Only the link that is marked as that of the page may be another one with the same classes.
 */
const MENUS = `(() => {
  const menus = [...document.querySelectorAll('.VPNav, .VPSidebar')].map((menu) => menu.cloneNode(true));
  const all = (selector) => menus.flatMap((menu) => [...menu.querySelectorAll(selector)]);
  // This class is there until a moment after the start.
  for (const group of all('.no-transition')) group.classList.remove('no-transition');
  const classes = all('.active, .is-active, .has-active').map((element) => {
    const { className } = element;
    element.classList.remove('active', 'is-active', 'has-active');
    return className;
  });
  const others = [...document.querySelectorAll('html, body, link[rel~=stylesheet]')].map((one) => one.cloneNode(false));
  const texts = [...others, ...document.querySelectorAll('style'), ...menus].map(({ outerHTML }) => outerHTML);
  return JSON.stringify([classes, texts]);
})()`;

/** Each menu stays as an empty element, until the phone needs it. */
const EMPTY_MENUS = `globalThis.menus = [...document.querySelectorAll('.VPNav, .VPSidebar')]
  .map((full) => ({ full, empty: full.cloneNode(false) }));
  for (const { full, empty } of menus) full.replaceWith(empty);`;

/** The rules of axe whose result depends on colours. All others check elements. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * Each visible element with its attributes. The switch between the themes differs on each page in the same way: the test of
 * the menus checks it in both.
 */
const SHOWN = `[...document.querySelectorAll('body *')]
  .filter((element) => element.checkVisibility() && !element.closest('.VPSwitch'))
  .map((element) => element.cloneNode(false).outerHTML)
  .join()`;

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
  }[];
}

async function violationsOf(page: Page, options: object = {}): Promise<string[]> {
  const { violations }: AxeResults = await page.evaluate(
    // Only the rule about sounds needs files, and axe calls what it finds moderate.
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], preload: false, ...options })})`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    );
}

/** An element may be wider than the phone if an ancestor scrolls and is not the page itself. */
function troublesOnPhone(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const menu = document.querySelector('.VPNavBarHamburger').getBoundingClientRect();
    const scrolls = (element) => element !== document.body &&
      (getComputedStyle(element).overflowX !== 'visible' || (element.parentElement && scrolls(element.parentElement)));
    const wide = [...document.querySelectorAll('.VPContent *')]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > clientWidth + 1)
      .filter((element) => !scrolls(element))
      .map((element) => element.outerHTML.slice(0, 120));
    if (scrollWidth > clientWidth) wide.push('the page is ' + scrollWidth + ' px wide');
    if (menu.width === 0 || menu.right > clientWidth) wide.push('the menu is not there');
    return wide;
  })()`);
}

/** The name of the element that has the focus, and whether a reader sees that it has the focus. */
function focused(page: Page): Promise<{ name: string; isVisible: boolean }> {
  return page.evaluate(`(() => {
    const element = document.activeElement;
    // The label of a tab is visible, and its button is not.
    const visible = element.type === 'radio' ? element.labels[0] : element;
    const { outlineStyle, outlineWidth } = getComputedStyle(visible);
    const { width, height } = visible.getBoundingClientRect();
    return {
      name: element === document.body ? 'BODY' : element.ariaLabel || element.textContent.trim().slice(0, 40) || element.tagName,
      isVisible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width > 1 && height > 1,
    };
  })()`);
}

async function expectPath(page: Page, path: string): Promise<void> {
  await expect.poll(() => page.url(), SOON).toBe(`${server.origin}/${path}`);
}

/** Searches with the keyboard only. */
async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input').waitFor();
  await page.keyboard.type(text);
  await page.locator('#localsearch-item-0, [id^=localsearch-item]').first().waitFor();
}

/** What the visits found, each with its page. */
function foundBy(select: (visit: Visit) => readonly string[]): string[] {
  return visits.flatMap((visit) => select(visit).map((one) => `${visit.page}: ${one}`));
}

describe('the site of the manual, in Chromium', () => {
  it('B26: no page writes to the console', () => {
    expect(visits.length).toBeGreaterThan(100);
    expect(foundBy(({ messages }) => messages)).toEqual([]);
  });

  it('B26: every file that a page needs is there', () => {
    expect(foundBy(({ failed }) => failed)).toEqual([]);
  });

  it('B26: no page asks another host for a file', () => {
    expect(foundBy(({ requested }) => requested).length).toBeGreaterThan(1000);
    expect(
      foundBy(({ requested }) => requested.filter((url) => !url.startsWith(`${server.origin}/`))),
    ).toEqual([]);
  });

  it('B26: every page fits on a phone, with its menu', () => {
    expect(foundBy(({ onPhone }) => onPhone)).toEqual([]);
  });

  it.each(THEMES)('B26: axe finds nothing serious on any page in %s colours', (theme) => {
    expect(foundBy(({ violations }) => violations[theme])).toEqual([]);
  });

  it.each([
    ['token_unavailable', 'errors.html#token_unavailable'],
    ['renewAheadMs', 'configuration.html#tokenrenewaheadms'],
    [
      'RedisTokenStoreOptions keyPrefix',
      'api/nestjs-provider-auth/redis/interfaces/RedisTokenStoreOptions.html#keyprefix',
    ],
  ])('B26: a search for %s with the keyboard leads to its place', async (text, path) => {
    const { page, messages, failed } = await openHere('');
    await search(page, text);
    await page.keyboard.press('Enter');
    await expectPath(page, path);
    expect([...messages, ...failed]).toEqual([]);
  });

  it.each(['', 'simulate.html'])('B26: the dark switch changes the picture on /%s', async (path) => {
    const { page } = await openHere(path, { viewport: DESK, colorScheme: 'light' });
    const shown = (): Promise<string[]> =>
      page.evaluate(`[...document.querySelectorAll('picture img')]
        .filter((image) => image.checkVisibility())
        .map(({ currentSrc, src }) => (currentSrc || src).split('/').at(-1))`);
    const [before = '', ...others] = await shown();
    expect({ before, others }).toEqual({ before: expect.not.stringContaining('dark'), others: [] });
    await page.locator('.VPNavBarAppearance .VPSwitchAppearance').click();
    await expect.poll(shown, SOON).toEqual([expect.stringContaining('-dark.')]);
  });

  it('B26: the first key leads to a link that skips the menus', async () => {
    const { page } = await openHere('errors.html');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toEqual({ name: 'Skip to content', isVisible: true });
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id'), SOON).toBe('VPContent');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.querySelector('.VPDoc').contains(document.activeElement)`)).toBe(
      true,
    );
  });

  it.each(['', 'errors.html', 'api/nestjs-provider-auth/redis/classes/RedisTokenStore.html'])(
    'B26: on /%s each element that the keyboard reaches shows that it has the focus',
    async (path) => {
      const { page } = await openHere(path, { viewport: DESK });
      const names: string[] = [];
      const hidden: string[] = [];
      for (let step = 0; step < 80; step += 1) {
        await page.keyboard.press('Tab');
        const { name, isVisible } = await focused(page);
        if (name === 'BODY') break;
        names.push(name);
        if (!isVisible) hidden.push(name);
      }
      expect(hidden).toEqual([]);
      expect(names).toEqual(expect.arrayContaining(['Configuration', 'API reference']));
      expect(names.length).toBeGreaterThan(20);
    },
  );

  it('B26: on a phone, the keyboard opens both menus and follows their links', async () => {
    const { page, messages } = await openHere('', { viewport: PHONE });
    await tabTo(page, 'mobile navigation');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Configuration');
    await page.keyboard.press('Enter');
    await expectPath(page, 'configuration.html');
    await tabTo(page, 'Menu');
    await page.keyboard.press('Enter');
    await tabTo(page, 'What each fault looks like');
    expect(await focused(page)).toMatchObject({ isVisible: true });
    await page.keyboard.press('Enter');
    await expectPath(page, 'breakages.html');
    expect(messages).toEqual([]);
  });

  it.each(THEMES)(
    'B26: axe finds nothing serious in the open menus and the search in %s colours',
    async (colorScheme) => {
      const { page } = await openHere('errors.html', { viewport: PHONE, colorScheme });
      await page.addScriptTag({ path: AXE });
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      const found = [await violationsOf(page)];
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'mobile navigation' }).click();
      found.push(await violationsOf(page));
      await page.getByRole('button', { name: 'mobile navigation' }).click();
      await search(page, 'secret');
      found.push(await violationsOf(page, WITHOUT_IN_SEARCH));
      expect(found).toEqual([[], [], []]);
    },
  );

  it.each(THEMES.flatMap((theme) => [['phone', theme, PHONE] as const, ['desk', theme, DESK] as const]))(
    'B26: a picture of the front page, on a %s in %s colours',
    async (device, colorScheme, viewport) => {
      const { page } = await openHere('', { viewport, colorScheme });
      const picture = await page.screenshot({
        path: join(PICTURES, `${device}-${colorScheme}.png`),
        fullPage: true,
      });
      expect(picture.length).toBeGreaterThan(10_000);
    },
  );
});
