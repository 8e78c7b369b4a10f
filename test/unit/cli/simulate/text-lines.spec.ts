import { describe, expect, it } from 'vitest';
import { NO_COUNTS, type ShownRequest } from '../../../../lib/cli/simulate/shown.js';
import { countsLine, TextLines } from '../../../../lib/cli/simulate/text-lines.js';
import { WrittenText } from '../../../support/application/doctor-check.js';
import { shownCall } from '../../../support/application/shown-session.js';

const REFUSED = shownCall(7, {
  path: '/payments/1',
  status: 401,
  reason: 'token revoked',
  ok: false,
  durationMs: 3,
});
/** A call of the doctor, which has no number, and got no answer. */
const BROKEN = { ...REFUSED, status: undefined, count: undefined };
const FAULT = { at: REFUSED.at, by: 'key', chain: 'token.revokeAll()' } as const;
const OK = { ...REFUSED, ok: true, status: 200, reason: 'valid token' };
const COUNTS = { ...NO_COUNTS, tokenRequests: 1, apiRequests: 7, failed: 1, failedCalls: 1 };
const COUNTED = '1 token request, 7 API requests, 1 failed';
const NO_COLOUR: NodeJS.ProcessEnv = { NO_COLOR: '1' };
const ERASED = '\r\u001b[2K';
const PAGE = 'http://127.0.0.1:8444/key/';
const STARTED = {
  origin: 'https://localhost:8443',
  settings: 'own/.env',
  ca: 'own/ca.pem',
  command: 'node dist/main.js',
  control: 'http://127.0.0.1:8444/key',
};

/** What these lines write, with each time of day replaced. Without colours, unless there are variables. */
function written(
  act: (lines: TextLines) => void,
  { isTTY = false, columns = 80, variables = NO_COLOUR } = {},
): string {
  const output = new WrittenText(isTTY, columns);
  act(new TextLines(output, variables));
  return output.marked.replaceAll(/\d\d:\d\d:05\b/g, 'time');
}

describe('the lines of provider-auth simulate for people', () => {
  it('B25: the start says where everything is, and lists the keys', () => {
    const text = written((lines) => {
      lines.started({ ...STARTED, accounts: 'merchant-1 to merchant-3', page: PAGE });
      lines.keys();
    });
    expect(text).toBe(`provider simulator  https://localhost:8443

  settings   own/.env
  authority  own/ca.pem
  accounts   merchant-1 to merchant-3: see SIMULATED_ACCOUNTS in the settings
  page       ${PAGE}
  control    http://127.0.0.1:8444/key

Build your application, then start it with this line:

  node dist/main.js

  keys       token: r revoke  5 503  9 429  i invalid client  h hang  x reset  g garbage  s short life
             API:   u 401  0 500  l late
             other: n new session  c clear  q quit

`);
  });

  it('B25: without accounts and without a page, nothing names them', () => {
    expect(written((lines) => lines.started(STARTED))).not.toMatch(/accounts|page/);
  });

  it.each<[what: string, request: ShownRequest, line: string]>([
    ['a call', OK, 'time  ✔  easy sandbox             GET /payments/1 #7  200 valid token  3 ms\n'],
    [
      'a token request of the longest pair',
      { ...REFUSED, kind: 'token', interface: 'originations', environment: 'production', count: 1 },
      'time  ✘  originations production  token #1  401 token revoked  3 ms\n',
    ],
    [
      'an account',
      { ...REFUSED, account: 'merchant-12', path: '/a' },
      'time  ✘  easy sandbox merchant-12  GET /a #7  401 token revoked  3 ms\n',
    ],
  ])('B25: the line of %s', (_, request, line) => {
    expect(written((lines) => lines.request({ ...request, counts: COUNTS }))).toBe(line);
  });

  it('B25: a fault has a line with what it returned', () => {
    const text = written((lines) => {
      lines.fault(FAULT);
      lines.fault({ ...FAULT, by: 'control', result: false });
    });
    expect(text).toBe(`time  !  fault by key: token.revokeAll()
time  !  fault by control: token.revokeAll() → false
`);
  });

  it('B25: on a terminal, lines have colours, and the counts stay below them until the end', () => {
    const options = { isTTY: true, variables: {} };
    const text = written((lines) => {
      lines.started({ ...STARTED, page: PAGE });
      lines.keys();
      lines.fault(FAULT);
      for (const request of [BROKEN, OK]) lines.request({ ...request, counts: COUNTS });
      lines.cleared({ counts: NO_COUNTS });
      lines.ended({ counts: COUNTS });
    }, options);
    const rows = text.split(ERASED).slice(1);
    expect(rows.filter((row) => /<|Ended/.test(row))).toEqual([
      '<1 provider simulator>  https://localhost:8443\n',
      `  page       <1 ${PAGE}>\n`,
      '  <32 node dist/main.js>\n',
      expect.stringContaining('<1 r> revoke  <1 5> 503  '),
      '             API:   <1 u> 401  <1 0> 500  <1 l> late\n',
      '             other: <1 n> new session  <1 c> clear  <1 q> quit\n',
      '<2 time>  <33 !>  fault by key: token.revokeAll()\n',
      `<2 time>  <31 ✘>  easy sandbox             GET /payments/1  <31 --- token revoked>  <2 3 ms>\n<1 ${COUNTED}>`,
      `<2 time>  <32 ✔>  easy sandbox             GET /payments/1 <2 #7>  <32 200 valid token>  <2 3 ms>\n<1 ${COUNTED}>`,
      'A new session begins.\n<1 0 token requests, 0 API requests, 0 failed>',
      `Ended after ${COUNTED}.\n`,
    ]);
  });

  it('B25: counts are words, and are cut to a column less than the terminal has', () => {
    const counts = { ...COUNTS, tokenRequests: 3, apiRequests: 1, failed: 0 };
    const whole = '3 token requests, 1 API request, 0 failed';
    expect(countsLine(counts)).toBe(whole);
    const footer = (columns: number): string =>
      written((lines) => lines.request({ ...OK, counts }), { isTTY: true, columns }).split('\n')[1] ?? '';
    expect([footer(0), footer(whole.length)]).toEqual([whole, whole.slice(0, -1)]);
  });
});
