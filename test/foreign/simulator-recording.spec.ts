import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startSession } from '../support/application/simulator-session.js';
import { type RecordedUpdate, recordingOf } from '../support/figures/simulator-recording.js';
import { ROOT } from '../support/package/packed-package.js';
import { emptyPage, openLive, startBrowser } from '../support/run/browser.js';

/** The recording of the front page, in the colours of each scheme. With `TEST_PICTURES=manual` it is made again. */
const SCHEMES = ['light', 'dark'] as const;
const fileOf = (scheme: string): string => join(ROOT, `docs/simulate-revoke-${scheme}.svg`);

const MOST_BYTES = 400 * 1024;

let browser: Browser;
let updates: RecordedUpdate[];
const recordings = new Map<string, string>();

/** What a page gets from the simulator, from now on. */
async function* updatesOf(control: string, signal: AbortSignal): AsyncGenerator<RecordedUpdate> {
  const { body } = await fetch(`${control}/events`, { signal });
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + chunk).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) yield JSON.parse(event.slice(event.indexOf('{'))) as RecordedUpdate;
  }
}

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(() => browser?.close());

/** A page that shows a picture. */
async function showing(
  svg: string,
  reducedMotion: 'reduce' | 'no-preference' = 'no-preference',
): Promise<Page> {
  const page = await emptyPage(browser, { viewport: { width: 980, height: 320 }, reducedMotion });
  onTestFinished(() => page.context().close());
  await page.goto(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
  return page;
}

async function differs(page: Page): Promise<boolean> {
  const first = await page.screenshot();
  await page.waitForTimeout(1000);
  return !first.equals(await page.screenshot());
}

it(
  'B25 B26: 1,000 callers lose their token, and a program makes a picture of the run',
  // On a busy machine, a token request can take longer than its time limit. Then another one follows.
  { timeout: 120_000, retry: 2 },
  async () => {
    // With an API that takes a moment, more calls are under way when the tokens are revoked.
    const recorded = await startSession(undefined, { latencyMs: 40 });
    const { address } = recorded.session.control;
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    updates = [];
    const all = updatesOf(address, stop.signal);
    // The state before. From here on, nothing is missed, even if the callers start slowly.
    await all.next();
    await recorded.session.load.control({ scenario: 'revoke' });
    for await (const update of all) {
      updates.push(update);
      if (/over:/.test(update.headline.text)) break;
    }
    // The picture begins with it. On a busy machine, the first update can come too late for that.
    expect(updates[0]?.headline.text).toMatch(/^Revoke under load: /);
    for (const colorScheme of SCHEMES) {
      const { page } = await openLive(browser, recorded.session.control.page, { colorScheme });
      const palette = await page.evaluate<Record<string, string>>(`(() => {
      const style = getComputedStyle(document.documentElement);
      const names = ['card', 'line', 'ink', 'soft', 'good', 'warn', 'call', 'bad', 'accent'];
      return Object.fromEntries(names.map((name) => [name, style.getPropertyValue('--' + name)]));
    })()`);
      recordings.set(colorScheme, recordingOf(updates, palette));
    }
    if (process.env['TEST_PICTURES'] === 'manual')
      for (const [scheme, svg] of recordings) await writeFile(fileOf(scheme), svg);
    expect(recorded.provider.tokenRequests).toHaveLength(2);
  },
);

describe.each(SCHEMES)('the recording in %s colours', (scheme) => {
  const both = async (): Promise<string[]> => [
    recordings.get(scheme) ?? '',
    await readFile(fileOf(scheme), 'utf8'),
  ];

  it('B25 B26: shows one token request after the revocation, and each refused call sent again', async () => {
    for (const svg of await both()) {
      expect(svg.length).toBeLessThan(MOST_BYTES);
      expect(svg).not.toMatch(/undefined|NaN|\[object/);
      const [headline, story] = ['headline', 'story'].map((id) =>
        [...(svg.split(`<g id="${id}">`)[1]?.split('</g>')[0] ?? '').matchAll(/>([^<]+)<\/text>/g)].map(
          ([, text]) => text,
        ),
      );
      expect(headline?.[0]).toMatch(/^Revoke under load: 1,000 callers share one token\. /);
      expect(headline?.at(-1)).toMatch(
        /^✔ Revoke over: 1 more token request for 1,000 callers, [\d,]+ calls? sent again, no call failed\.$/,
      );
      expect(story?.at(-1)).toMatch(
        /^([\d,]+) calls? refused → 1 token request → \1 sent again, in [\d,]+ ms$/,
      );
      expect(svg).toContain('1,000 callers, no call failed');
    }
  });

  it('B25 B26: moves, unless the reader wants no motion', async () => {
    // At the same time, because each takes a second.
    const seen = (await both()).map((svg) =>
      Promise.all([showing(svg).then(differs), showing(svg, 'reduce').then(differs)]),
    );
    expect(await Promise.all(seen)).toEqual([
      [true, false],
      [true, false],
    ]);
  });
});
