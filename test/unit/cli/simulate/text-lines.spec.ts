import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { shownPath } from '../../../../lib/cli/simulate/overview.js';
import { countsLine, TextLines } from '../../../../lib/cli/simulate/text-lines.js';

const REQUEST = {
  id: 1,
  at: '2026-01-02T03:04:05.000Z',
  kind: 'api',
  interface: 'easy',
  environment: 'sandbox',
  method: 'GET',
  path: '/payments/1',
  status: 401,
  reason: 'token revoked',
  ok: false,
  durationMs: 3,
  count: 7,
} as const;
const COUNTS = {
  tokenRequests: 1,
  apiRequests: 7,
  failed: 1,
  failedTokenRequests: 0,
  failedCalls: 1,
  recovered: 0,
  unsent: 0,
  early: 0,
};

function linesOn(terminal: { isTTY: boolean; columns?: number }, variables: NodeJS.ProcessEnv = {}) {
  let text = '';
  const lines = new TextLines({ ...terminal, write: (more: string) => (text += more) }, variables);
  lines.request(REQUEST, COUNTS);
  return { lines, text: () => text };
}

describe('the lines of provider-auth simulate for people', () => {
  it('B25: one line for a request: time, interface, environment, what was asked, status, why, duration', () => {
    const line = linesOn({ isTTY: false }).text();
    expect(line).toMatch(
      /^\d\d:04:05 {2}✘ {2}easy sandbox +GET \/payments\/1 #7 {2}401 token revoked {2}3 ms\n$/,
    );
  });

  it('B25: a terminal shows the counts below the lines, and writes them again in place', () => {
    const { lines, text } = linesOn({ isTTY: true, columns: 80 });
    const counts = '1 token request, 7 API requests, 1 failed';
    expect(text().endsWith(`\n\u001b[1m${counts}\u001b[0m`)).toBe(true);
    lines.request({ ...REQUEST, count: 8 }, { ...COUNTS, apiRequests: 8 });
    expect(text()).toContain(`${counts}\u001b[0m\r\u001b[2K`);
    expect(text()).toContain('8 API requests');
  });

  it('B25: the counts of a new session replace the old ones', () => {
    const { lines, text } = linesOn({ isTTY: true, columns: 80 }, { NO_COLOR: '1' });
    lines.cleared({ ...COUNTS, tokenRequests: 0, apiRequests: 0, failed: 0 });
    expect(text().endsWith('\n0 token requests, 0 API requests, 0 failed')).toBe(true);
  });

  it('B25: the last sentence of a scenario is a line above the counts', () => {
    const { lines, text } = linesOn({ isTTY: true, columns: 80 }, { NO_COLOR: '1' });
    lines.scenario('Outage over: recovered after 31 s with 1 token request.');
    expect(text()).toContain(
      '\u001b[2KOutage over: recovered after 31 s with 1 token request.\n1 token request, 7',
    );
  });

  it('B25: the counts never need a second line of the terminal', () => {
    expect(linesOn({ isTTY: true, columns: 20 }, { NO_COLOR: '1' }).text()).toMatch(/\n.{19}$/);
    expect(linesOn({ isTTY: true, columns: 0 }, { NO_COLOR: '1' }).text()).toContain('1 failed');
  });

  it('B25: under load, a second is one line, token requests and failures are shown, and the address of the page comes again at the end', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { lines, text } = linesOn({ isTTY: false });
    const page = 'http://127.0.0.1:8444/key/page/';
    lines.started({ origin: '', settings: '', ca: '', command: '', control: '', page });
    vi.advanceTimersByTime(1000);
    const printed = (requests: number) => {
      const before = text().length;
      for (let count = 0; count < requests; count += 1)
        lines.request({ ...REQUEST, ok: count > 0, status: count > 0 ? 200 : 401 }, COUNTS);
      vi.advanceTimersByTime(1000);
      return text().slice(before);
    };
    expect(printed(10).match(/GET/g)).toHaveLength(10);
    const first = printed(300);
    expect(first.match(/✔.*GET/g)).toHaveLength(10);
    expect(first).toMatch(/\n +300 requests in a second: 1 failed\n$/);
    const second = printed(300);
    expect(second).toMatch(/^.*✘.*401.*\n +300 requests in a second: 1 failed\n$/);
    for (let count = 0; count < 50; count += 1) lines.request({ ...REQUEST, ok: true }, COUNTS);
    lines.request({ ...REQUEST, ok: true, kind: 'token' }, COUNTS);
    expect(text()).toMatch(/\n.*✔.*token #7.*\n$/);
    vi.advanceTimersByTime(1000);
    const quiet = printed(0);
    expect(quiet).toBe(`  page       ${page}\n`);
    expect(printed(0)).toBe('');
    expect(printed(2).match(/GET/g)).toHaveLength(2);
    printed(300);
    const before = text().length;
    for (let count = 0; count < 5; count += 1) lines.request({ ...REQUEST, ok: true }, COUNTS);
    lines.ended(COUNTS);
    expect(text().slice(before)).toBe(
      `          5 requests in a second: 0 failed\nEnded after ${countsLine(COUNTS)}.\n`,
    );
    vi.advanceTimersByTime(5000);
    expect(text()).toMatch(/Ended after .*\n$/);
  });

  it('B25: the keys are listed', () => {
    const { lines, text } = linesOn({ isTTY: true });
    lines.keys();
    expect(text()).toMatch(
      /keys +token: [^\n]*r\S* revoke[^\n]*\n[^\n]*API: [^\n]*\n[^\n]*c\S* clear {2}\S*q\S* quit/,
    );
  });

  it('B25: counts are words that a person reads', () => {
    expect(countsLine(COUNTS)).toBe('1 token request, 7 API requests, 1 failed');
    expect(countsLine({ ...COUNTS, tokenRequests: 3, apiRequests: 1, failed: 0, early: 2 })).toBe(
      '3 token requests, 1 API request, 0 failed, 2 token requests too early',
    );
  });

  it.each([
    ['/payments/1', '/payments/1'],
    ['/payments?secret=1', '/payments?…'],
    ['/a\u001b[2J', '/a\ufffd[2J'],
    ['/eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.abc_-d/x', '/[redacted]/x'],
  ])('S10: a path is shown without its query, tokens and control characters: %j', (path, shown) => {
    expect(shownPath(path)).toBe(shown);
  });
});
