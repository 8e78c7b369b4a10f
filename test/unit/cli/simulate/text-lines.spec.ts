import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ShownRequest } from '../../../../lib/cli/simulate/shown.js';
import { countsLine, TextLines } from '../../../../lib/cli/simulate/text-lines.js';
import { WrittenText } from '../../../support/application/doctor-check.js';
import { NO_COUNTS } from '../../../support/application/shown-session.js';

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
const COUNTS = { ...NO_COUNTS, tokenRequests: 1, apiRequests: 7, failed: 1, failedCalls: 1 };

const ERASED = '\r\u001b[2K';
const NO_COLOUR: NodeJS.ProcessEnv = { NO_COLOR: '1' };
const COUNTED = '1 token request, 7 API requests, 1 failed';
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
const styled = (style: keyof typeof CODES, text: string | number): string =>
  `\u001b[${CODES[style]}m${text}\u001b[0m`;

/** What these lines write, with each time of day replaced. Without colours, unless there are variables. */
function written(
  act: (lines: TextLines) => void,
  { isTTY = false, columns = 80, variables = NO_COLOUR } = {},
): string {
  const output = new WrittenText(isTTY, columns);
  act(new TextLines(output, variables));
  return output.text.replaceAll(/\d\d:\d\d:05\b/g, 'time');
}

const STARTED = {
  origin: 'https://localhost:8443',
  settings: 'own/.env',
  ca: 'own/ca.pem',
  command: 'node dist/main.js',
  control: 'http://127.0.0.1:8444/key',
};

function keysWithPage(lines: TextLines): void {
  lines.started({ ...STARTED, page: 'http://page' });
  lines.keys();
}

const rowsOf = (text: string): readonly string[] => text.split('\n').map((line) => line.trim());

describe('the lines of provider-auth simulate for people', () => {
  it('B25: a terminal shows the counts below the lines, and writes them again in place', () => {
    const output = new WrittenText(true, 80);
    const lines = new TextLines(output, {});
    lines.request(REQUEST, COUNTS);
    const counts = '1 token request, 7 API requests, 1 failed';
    expect(output.text.endsWith(`\n\u001b[1m${counts}\u001b[0m`)).toBe(true);
    lines.request({ ...REQUEST, count: 8 }, { ...COUNTS, apiRequests: 8 });
    expect(output.text).toContain(`${counts}\u001b[0m\r\u001b[2K`);
    expect(output.text).toContain('8 API requests');
  });

  it('B25: under load, a second is one line, token requests and failures are shown, and the address of the page comes again at the end', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const output = new WrittenText(false);
    const lines = new TextLines(output, {});
    lines.request(REQUEST, COUNTS);
    const page = 'http://127.0.0.1:8444/key/page/';
    lines.started({ origin: '', settings: '', ca: '', command: '', control: '', page });
    vi.advanceTimersByTime(1000);
    const printed = (requests: number) => {
      const before = output.text.length;
      for (let count = 0; count < requests; count += 1)
        lines.request({ ...REQUEST, ok: count > 0, status: count > 0 ? 200 : 401 }, COUNTS);
      vi.advanceTimersByTime(1000);
      return output.text.slice(before);
    };
    expect(printed(10).match(/GET/g)).toHaveLength(10);
    const first = printed(300);
    expect(first.match(/✔.*GET/g)).toHaveLength(10);
    expect(first).toMatch(/\n +300 requests in a second: 1 failed\n$/);
    const second = printed(300);
    expect(second).toMatch(/^.*✘.*401.*\n +300 requests in a second: 1 failed\n$/);
    for (let count = 0; count < 50; count += 1) lines.request({ ...REQUEST, ok: true }, COUNTS);
    lines.request({ ...REQUEST, ok: true, kind: 'token' }, COUNTS);
    expect(output.text).toMatch(/\n.*✔.*token #7.*\n$/);
    vi.advanceTimersByTime(1000);
    const quiet = printed(0);
    expect(quiet).toBe(`  page       ${page}\n`);
    expect(printed(0)).toBe('');
    expect(printed(2).match(/GET/g)).toHaveLength(2);
    printed(300);
    const before = output.text.length;
    for (let count = 0; count < 5; count += 1) lines.request({ ...REQUEST, ok: true }, COUNTS);
    lines.ended(COUNTS);
    expect(output.text.slice(before)).toBe(
      `          5 requests in a second: 0 failed\nEnded after ${countsLine(COUNTS)}.\n`,
    );
    vi.advanceTimersByTime(5000);
    expect(output.text).toMatch(/Ended after .*\n$/);
  });

  it('B25: counts are words that a person reads', () => {
    expect(countsLine(COUNTS)).toBe('1 token request, 7 API requests, 1 failed');
    expect(countsLine({ ...COUNTS, tokenRequests: 3, apiRequests: 1, failed: 0, early: 2 })).toBe(
      '3 token requests, 1 API request, 0 failed, 2 token requests too early',
    );
  });

  it('B25: the start says where everything is', () => {
    expect(
      written((lines) =>
        lines.started({
          ...STARTED,
          accounts: 'merchant-1 to merchant-3',
          page: 'http://127.0.0.1:8444/key/',
        }),
      ),
    ).toBe(`provider simulator  https://localhost:8443

  settings   own/.env
  authority  own/ca.pem
  accounts   merchant-1 to merchant-3: see SIMULATED_ACCOUNTS in the settings
  page       http://127.0.0.1:8444/key/
  control    http://127.0.0.1:8444/key

Build your application, then start it with this line:

  node dist/main.js

`);
  });

  it('B25: without accounts and without a page, the start has no line for them', () => {
    expect(written((lines) => lines.started(STARTED))).toBe(`provider simulator  https://localhost:8443

  settings   own/.env
  authority  own/ca.pem
  control    http://127.0.0.1:8444/key

Build your application, then start it with this line:

  node dist/main.js

`);
  });

  it('B25: on a terminal, the start has colours, and no counts yet', () => {
    const text = written((lines) => lines.started({ ...STARTED, page: 'http://page' }), {
      isTTY: true,
      variables: {},
    });
    expect(text.split(ERASED)).toEqual([
      '',
      `${styled('bold', 'provider simulator')}  https://localhost:8443\n`,
      '\n',
      '  settings   own/.env\n',
      '  authority  own/ca.pem\n',
      `  page       ${styled('bold', 'http://page')}\n`,
      '  control    http://127.0.0.1:8444/key\n',
      '\n',
      'Build your application, then start it with this line:\n',
      '\n',
      `  ${styled('green', 'node dist/main.js')}\n`,
      '\n',
    ]);
  });

  const KEYS = `  keys       token: r revoke  5 503  9 429  i invalid client  h hang  x reset  g garbage  s short life
             API:   u 401  0 500  l late
`;

  it('B25: the keys are in lines: of the token endpoint, of the API, and others', () => {
    expect(written((lines) => lines.keys())).toBe(
      `${KEYS}             other: n new session  c clear  q quit\n\n`,
    );
  });

  it('B25: one key opens the page, if there is one, and each key is bold', () => {
    expect(written(keysWithPage)).toContain(
      `\n\n${KEYS}             other: n new session  c clear  o open the page  q quit\n\n`,
    );
    expect(written(keysWithPage, { isTTY: true, variables: {} })).toContain(
      `API:   ${styled('bold', 'u')} 401  ${styled('bold', '0')} 500  ${styled('bold', 'l')} late\n`,
    );
  });

  it.each<[what: string, request: ShownRequest, line: string]>([
    [
      'a call that worked',
      { ...REQUEST, ok: true, status: 200, reason: 'valid token' },
      'time  ✔  easy sandbox             GET /payments/1 #7  200 valid token  3 ms\n',
    ],
    [
      'a token request of the longest pair',
      { ...REQUEST, kind: 'token', interface: 'originations', environment: 'production', count: 1 },
      'time  ✘  originations production  token #1  401 token revoked  3 ms\n',
    ],
    [
      'an account',
      { ...REQUEST, account: 'merchant-12', path: '/a' },
      'time  ✘  easy sandbox merchant-12  GET /a #7  401 token revoked  3 ms\n',
    ],
  ])('B25: the line of %s', (_, request, line) => {
    expect(written((lines) => lines.request(request, COUNTS))).toBe(line);
  });

  it('B25: a request without an answer has no status', () => {
    const { status: _, ...request } = REQUEST;
    const line = 'time  ✘  easy sandbox             GET /payments/1 #7  --- no answer  3 ms\n';
    expect(written((lines) => lines.request({ ...request, reason: 'no answer' }, COUNTS))).toBe(line);
  });

  it.each<[style: 'red' | 'yellow' | 'green', changes: Partial<ShownRequest>]>([
    ['red', { ok: false, reason: 'the last token was still valid' }],
    ['yellow', { ok: true, reason: 'the last token was still valid' }],
    ['green', { ok: true, reason: 'valid token' }],
  ])('B25: a request is %s: %j', (style, changes) => {
    const request = { ...REQUEST, ...changes };
    const { ok, reason } = request;
    expect(written((lines) => lines.request(request, COUNTS), { isTTY: true, variables: {} })).toBe(
      `${ERASED}${styled('dim', 'time')}  ${ok ? styled('green', '✔') : styled('red', '✘')}  easy sandbox             ` +
        `GET /payments/1 ${styled('dim', '#7')}  ${styled(style, `401 ${reason}`)}  ${styled('dim', '3 ms')}\n${styled('bold', COUNTED)}`,
    );
  });

  it('B25: a fault has a line with what it returned', () => {
    const fault = { at: REQUEST.at, by: 'key', chain: 'token.revokeAll()' } as const;
    const write = (lines: TextLines): void => {
      lines.fault(fault);
      lines.fault({ ...fault, by: 'page', result: 2 });
      lines.fault({ ...fault, by: 'control', result: false });
    };
    expect(written(write)).toBe(`time  !  fault by key: token.revokeAll()
time  !  fault by page: token.revokeAll() → 2
time  !  fault by control: token.revokeAll() → false
`);
    expect(written(write, { isTTY: true, variables: {} })).toContain(
      `${ERASED}${styled('dim', 'time')}  ${styled('yellow', '!')}  fault by page: token.revokeAll() → 2\n`,
    );
  });

  it('B25: the counts stay below each line, until the end', () => {
    const text = written(
      (lines) => {
        lines.request(REQUEST, COUNTS);
        lines.note('A note.');
        lines.scenario('Over.');
        lines.cleared({ ...COUNTS, failed: 0 });
        lines.note('Another.');
        lines.ended(COUNTS);
      },
      { isTTY: true },
    );
    const none = '1 token request, 7 API requests, 0 failed';
    expect(text.split(ERASED).slice(2)).toEqual([
      `A note.\n${COUNTED}`,
      `Over.\n${COUNTED}`,
      `A new session begins.\n${none}`,
      `Another.\n${none}`,
      `Ended after ${COUNTED}.\n`,
    ]);
    expect(written((lines) => lines.scenario('Over.'), { isTTY: true, variables: {} })).toBe(
      `${ERASED}${styled('bold', 'Over.')}\n`,
    );
  });

  it('B25: the counts are cut to a column less than the terminal has', () => {
    const counts = { ...COUNTS, early: 12_345_678, failed: 1234 };
    const footer = (columns: number): string =>
      written((lines) => lines.request(REQUEST, counts), { isTTY: true, columns }).split('\n')[1] ?? '';
    const whole = '1 token request, 7 API requests, 1234 failed, 12345678 token requests too early';
    expect(whole).toHaveLength(79);
    expect(footer(0)).toBe(whole);
    expect(footer(80)).toBe(whole);
    expect(footer(79)).toBe(whole.slice(0, 78));
    expect(footer(1)).toBe('');
  });

  it('B25: a terminal that cannot move its cursor gets lines only', () => {
    expect(written((lines) => lines.cleared(COUNTS), { isTTY: true, variables: { TERM: 'dumb' } })).toBe(
      'A new session begins.\n',
    );
  });

  describe('under load', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    const OK = { ...REQUEST, ok: true, status: 200, reason: 'valid token' };
    const requests = (lines: TextLines, count: number, request: ShownRequest = OK): void => {
      for (let one = 0; one < count; one += 1) lines.request(request, COUNTS);
    };

    it('B25: ten calls and ten others in a second have their lines, and one more of each is only counted', () => {
      const text = written((lines) => {
        requests(lines, 11);
        requests(lines, 11, REQUEST);
        vi.advanceTimersByTime(999);
        lines.note('before the end of the second');
        vi.advanceTimersByTime(1);
      });
      const rows = rowsOf(text);
      expect(rows.filter((row) => row.includes('✔'))).toHaveLength(10);
      expect(rows.filter((row) => row.includes('✘'))).toHaveLength(10);
      expect(rows.slice(20)).toEqual([
        'before the end of the second',
        '22 requests in a second: 11 failed',
        '',
      ]);
    });

    it('B25: a second with ten requests has no line that sums up', () => {
      const text = written((lines) => {
        requests(lines, 10);
        vi.advanceTimersByTime(1000);
        requests(lines, 1);
        vi.advanceTimersByTime(1000);
        // Nothing is left to sum up.
        expect(vi.getTimerCount()).toBe(0);
      });
      expect(rowsOf(text)).toHaveLength(12);
      expect(text).not.toContain('in a second');
    });

    it('B25: after a flood, calls that work are only counted until a second is quiet', () => {
      const text = written((lines) => {
        lines.started({ ...STARTED, page: 'http://page' });
        requests(lines, 11);
        vi.advanceTimersByTime(1000);
        lines.note('second 2');
        requests(lines, 11);
        vi.advanceTimersByTime(1000);
        lines.note('second 3');
        requests(lines, 1);
        vi.advanceTimersByTime(1000);
        lines.note('second 4');
        requests(lines, 1);
        vi.advanceTimersByTime(5000);
        lines.note('later');
      });
      const rows = rowsOf(text);
      expect(rows.slice(rows.indexOf('second 2'))).toEqual([
        'second 2',
        '11 requests in a second: 0 failed',
        'second 3',
        '1 request in a second: 0 failed',
        'page       http://page',
        'second 4',
        'time  ✔  easy sandbox             GET /payments/1 #7  200 valid token  3 ms',
        'later',
        '',
      ]);
    });

    it('B25: what is only counted changes the counts below the lines', () => {
      const text = written(
        (lines) => {
          requests(lines, 10);
          lines.request(OK, { ...COUNTS, apiRequests: 18 });
          vi.advanceTimersByTime(1000);
        },
        { isTTY: true, variables: {} },
      );
      expect(text.split(ERASED).at(-1)).toBe(
        `${styled('dim', '          11 requests in a second: 0 failed')}\n${styled('bold', '1 token request, 18 API requests, 1 failed')}`,
      );
    });

    it('B25: the end sums up, does not name the page again, and leaves no timer', () => {
      const text = written((lines) => {
        lines.started({ ...STARTED, page: 'http://page' });
        requests(lines, 11);
        vi.advanceTimersByTime(1000);
        requests(lines, 2);
        lines.ended(COUNTS);
        expect(vi.getTimerCount()).toBe(0);
      });
      expect(rowsOf(text).slice(-4)).toEqual([
        '11 requests in a second: 0 failed',
        '2 requests in a second: 0 failed',
        `Ended after ${COUNTED}.`,
        '',
      ]);
      expect(
        written((lines) => {
          requests(lines, 11);
          lines.ended(COUNTS);
          expect(vi.getTimerCount()).toBe(0);
        }),
      ).toMatch(/11 requests in a second: 0 failed\nEnded/);
    });

    it('B25: its timer does not keep the process running', () => {
      // A spy on fake timers would put them back after the test.
      vi.useRealTimers();
      const timer = { unref: vi.fn<() => object>().mockReturnThis() };
      const started = vi.spyOn(globalThis, 'setTimeout').mockReturnValue(timer as never);
      written((lines) => {
        requests(lines, 11);
        const [endOfSecond] = started.mock.calls[0] ?? [];
        endOfSecond?.();
      });
      expect(started).toHaveBeenCalledTimes(2);
      expect(timer.unref).toHaveBeenCalledTimes(2);
    });
  });
});
