import { inspect } from 'node:util';
import { AxiosError, type AxiosProxyConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import type { InterfaceTerms } from '../../../lib/catalogue/catalogue.js';
import { ApiReport, explain, isCutShort } from '../../../lib/http/api-report.js';
import { ProxyError } from '../../../lib/net/proxy.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { profileOf } from '../../support/token/token-fixtures.js';

function givenReport(proxy?: AxiosProxyConfig, timeoutMs = 30_000, terms?: InterfaceTerms) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const line = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const report = new ApiReport(profileOf({ terms }), { httpsAgent: undefined, proxy, timeoutMs }, clock, {
    error: line('error'),
    warn: line('warn'),
    log: line('log'),
  });
  /** A call each two seconds. */
  async function each(times: number, call: () => void): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      call();
      await clock.advance(2_000);
    }
  }
  /** Reports failures of this kind, one every two seconds. Returns the error of the last caller. */
  async function fail(calls: number, code: string, ofCall?: number): Promise<AxiosError> {
    let error = unreachable(code);
    for (let call = 0; call < calls; call += 1) {
      await clock.advance(2_000);
      report.unanswered((error = unreachable(code)), ofCall);
    }
    return error;
  }
  /** The API refuses the token of a call, and the one that a renewal brings. */
  function refuse(): void {
    report.answered(401);
    report.refused(refusal(), true);
  }
  return { clock, lines, report, host: new URL(profileOf().baseUrl).host, each, fail, refuse };
}

const PROXY = { host: 'proxy.example', port: 3128 };
const ofProxy = (code: string, status?: number): AxiosError =>
  AxiosError.from(new ProxyError('no luck', code, status));
const unreachable = (code = 'ENOTFOUND'): AxiosError => new AxiosError('no luck', code);
const refusal = (): AxiosError => new AxiosError('Request failed with status code 401', 'ERR_BAD_REQUEST');

describe('B29: ApiReport and an API that gives no response', () => {
  it.each([
    ['ENOTFOUND', 'Check the spelling of the host of the base URL (interfaces.easy.sandbox.baseUrl).'],
    ['ECONNREFUSED', 'Compare host and port of the base URL (interfaces.easy.sandbox.baseUrl)'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'Compare the host of the base URL (interfaces.easy.sandbox.baseUrl)'],
  ])('B29: says for %s what to do: to the caller, in the log and in the status', (code, advice) => {
    const { lines, report, host } = givenReport();
    const error = unreachable(code);
    report.unanswered(error);
    expect(error.message).toMatch(/^no luck\. /);
    expect(report.error).toMatchObject({ code: 'API_UNREACHABLE', at: expect.any(Date) });
    expect(lines).toEqual([`error ${report.error?.message} (API_UNREACHABLE, ${host})`]);
    for (const text of [error.message, report.error?.message]) expect(text).toContain(advice);
  });

  it.each([
    ['ECONNRESET', true],
    ['ERR_BAD_RESPONSE', true],
    ['ERR_BAD_REQUEST', false],
  ])('B29: an answer is cut short if its error has the code %s: %s', (code, isShort) => {
    const error = new AxiosError('no luck', code);
    expect(isCutShort(error)).toBe(false);
    expect(isCutShort(Object.assign(error, { response: {} }))).toBe(isShort);
    expect(isCutShort(Object.assign(new Error('no luck'), { code, response: {} }))).toBe(false);
  });

  it('B29: puts its advice behind the last full stop of a message, also without a stack', () => {
    const error = new AxiosError('a.b failed.', 'ENOTFOUND');
    delete error.stack;
    explain(error, 'Wait.');
    expect(error.message).toBe('a.b failed. Wait.');
    expect(error).not.toHaveProperty('stack');
  });

  it.each(['ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED', 'ERR_BAD_RESPONSE'])(
    'B29: says nothing about %s, which the next call may not meet',
    (code) => {
      const { lines, report } = givenReport();
      const error = unreachable(code);
      report.unanswered(error);
      report.unanswered('not even an error');
      expect([error.message, lines, report.error]).toEqual(['no luck', [], undefined]);
    },
  );

  it('B29: logs one line for an outage and one line after it', () => {
    const { lines, report } = givenReport();
    for (let call = 0; call < 100; call += 1) report.unanswered(unreachable());
    report.answered(404);
    report.answered(200);
    expect(lines).toEqual([
      expect.stringMatching(/^error No response from the API of easy sandbox: /),
      expect.stringMatching(/^log The API of easy sandbox can be reached again\. \(API_RECOVERED, .+\)$/),
    ]);
    expect(report.error).toBeUndefined();
  });

  it('B29: logs at most once a minute about an API of which one of several servers fails', async () => {
    const { clock, lines, report } = givenReport();
    for (let call = 0; call < 60; call += 1) {
      report.unanswered(unreachable('ECONNREFUSED'));
      report.answered(200);
      await clock.advance(999);
    }
    expect(lines).toHaveLength(2);
    await clock.advance(1_000);
    report.unanswered(unreachable('ECONNREFUSED'));
    expect(lines).toHaveLength(3);
  });

  it('S11: knows how long ago that was, also if the wall clock was set back', async () => {
    const { clock, report } = givenReport();
    report.unanswered(unreachable());
    clock.setWallBy(-3_600_000);
    await clock.advance(5_000);
    expect(clock.wall() - report.error!.at.getTime()).toBe(5_000);
  });

  it('B29: shows its advice in the stack too, because loggers print the stack', () => {
    const { report } = givenReport();
    const error = new AxiosError('connect to $&', 'ECONNREFUSED');
    const { stack } = error;
    report.unanswered(error);
    const frames = stack!.slice(stack!.indexOf('\n'));
    expect(error.message).toMatch(/^connect to \$&\. No server listens there\./);
    expect(error.stack).toBe(`${/^\w+/.exec(stack!)![0]}: ${error.message}${frames}`);
    expect(inspect(error)).toContain('No server listens there.');
  });

  it('B29: says nothing about one response that breaks the rules of HTTP', () => {
    const { lines, report } = givenReport();
    for (const code of ['HPE_HEADER_OVERFLOW', 'HPE_UNEXPECTED_CONTENT_LENGTH', 'HPE_INVALID_HEADER_TOKEN'])
      report.unanswered(unreachable(code));
    expect([lines, report.error]).toEqual([[], undefined]);
    report.unanswered(unreachable('HPE_INVALID_CONSTANT'));
    expect(report.error).toMatchObject({ code: 'API_UNREACHABLE' });
  });

  it('B29: adds its advice once to an error that an adapter rejects with again', () => {
    const { report } = givenReport();
    const error = unreachable();
    report.unanswered(error);
    const { message } = error;
    report.unanswered(error);
    expect(error.message).toBe(message);
    const frozen = Object.freeze(unreachable());
    report.unanswered(frozen);
    expect(frozen.message).toBe('no luck');
  });

  it.each([403, 503, 407])(
    'B29: reports a proxy that answers with %i, which may be chance unless it is a 407',
    async (status) => {
      const { clock, lines, report } = givenReport(PROXY);
      const refuse = (): AxiosError => {
        const error = ofProxy('ERR_BAD_RESPONSE', status);
        report.unanswered(error);
        return error;
      };
      expect(refuse().message).toContain(
        'Check http.proxy: the address and the credentials of the proxy, and whether it allows the host of',
      );
      expect(report.error === undefined).toBe(status !== 407);
      await clock.advance(10_000);
      for (let count = 2; count <= 5; count += 1) refuse();
      expect(report.error?.code).toBe('API_UNREACHABLE');
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(
        `No response from the API of easy sandbox: the proxy refused the connection with status ${status} ` +
          `(ERR_BAD_RESPONSE). Check http.proxy: the address and the credentials of the proxy`,
      );
    },
  );

  it.each(['ECONNREFUSED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_BAD_RESPONSE'])(
    'B29: advises to check the proxy if it could not be used: %s',
    (code) => {
      const { lines, report } = givenReport(PROXY);
      const error = ofProxy(code);
      report.unanswered(error);
      expect(error.message).toContain('Check http.proxy. ');
      expect(lines[0]).toContain(`the API could not be reached (${code}). Check http.proxy. `);
    },
  );

  it('B29: advises to check the agent if only the agent may have the proxy that refused', () => {
    const agent = { proxy: new URL('http://proxy.example:3128') };
    const report = new ApiReport(
      profileOf(),
      { httpsAgent: agent as never, proxy: false, timeoutMs: 0 },
      new FakeClock(),
    );
    const error = ofProxy('ERR_BAD_RESPONSE', 403);
    report.unanswered(error);
    expect(error.message).toContain('Check http.httpsAgent: ');
    expect(error.message).not.toContain('http.proxy');
  });
});

describe('B29: ApiReport and failures that may be chance', () => {
  it.each([
    ['a timeout', 'ECONNABORTED', 30_000, 'Check the provider and the network, or raise http.timeoutMs.'],
    ['a timeout by another code', 'ETIMEDOUT', 30_000, 'or raise http.timeoutMs.'],
    [
      'a reset',
      'ECONNRESET',
      undefined,
      'The connection was closed. If this lasts, check the port of the base',
    ],
    ['a lost connection', 'EPIPE', undefined, 'The connection was closed. If this lasts, check the port'],
    ['packets that a firewall drops', 'ETIMEDOUT', undefined, 'A firewall may drop the packets.'],
  ])('B29: reports %s once no request gets a response for 10 seconds', async (_, code, timeoutMs, advice) => {
    const { lines, report, host, fail } = givenReport();
    const early = await fail(5, code, timeoutMs);
    expect([early.message, report.error, lines]).toEqual(['no luck', undefined, []]);
    const error = await fail(1, code, timeoutMs);
    expect(report.error).toMatchObject({
      code: 'API_UNREACHABLE',
      message: expect.stringContaining(
        `No response from the API of easy sandbox: no request gets a complete response any more (${code}).`,
      ),
    });
    expect(lines).toEqual([`error ${report.error?.message} (API_UNREACHABLE, ${host})`]);
    for (const text of [error.message, report.error?.message]) expect(text).toContain(advice);
    report.answered(500);
    expect([report.error, lines.at(-1)]).toEqual([
      undefined,
      expect.stringMatching(/^log The API of easy sandbox can be reached again\. \(API_RECOVERED, .+\)$/),
    ]);
  });

  it('B29: says nothing as long as there are too few failures, or too short a time', async () => {
    const { clock, report } = givenReport();
    for (let call = 0; call < 100; call += 1) report.unanswered(unreachable('ECONNRESET'));
    expect(report.error).toBeUndefined();
    const idle = givenReport();
    for (let call = 0; call < 4; call += 1) {
      idle.report.unanswered(unreachable('ECONNRESET'));
      await idle.clock.advance(3_600_000);
    }
    expect(idle.report.error).toBeUndefined();
    await clock.advance(10_000);
    report.unanswered(unreachable('ECONNRESET'));
    expect(report.error).toBeDefined();
  });

  it.each([200, 404, 500])('B29: begins again after a response with %i', async (status) => {
    const { lines, report, fail } = givenReport();
    for (let round = 0; round < 10; round += 1) {
      await fail(5, 'ECONNABORTED', 30_000);
      report.answered(status);
    }
    expect([report.error, lines]).toEqual([undefined, []]);
  });

  it.each([
    [30_000, 1],
    [30_000, 4_999],
    [300, 299],
    [0, 4_999],
  ])(
    'B29: with http.timeoutMs %i, a caller with a timeout of %i ms cannot make the health check fail',
    async (usual, own) => {
      const { lines, report, fail } = givenReport(undefined, usual);
      await fail(100, 'ECONNABORTED', own);
      expect([report.error, lines]).toEqual([undefined, []]);
      await fail(10, 'ECONNABORTED', own + 1);
      expect(report.error === undefined).toBe(own === 1);
    },
  );

  it.each(['ERR_CANCELED', 'ERR_BAD_RESPONSE', 'ERR_NETWORK', 'ERR_HTTP_CONTENT_LENGTH_MISMATCH'])(
    'B29: never counts %s, which callers cause themselves',
    async (code) => {
      const { report, fail } = givenReport();
      await fail(100, code);
      expect(report.error).toBeUndefined();
    },
  );
});

describe('B29: ApiReport and an API that refuses new tokens', () => {
  it('B29: says to the caller and in the status what to do, until a request gets another answer', () => {
    const { report } = givenReport();
    const error = refusal();
    report.refused(error, false);
    expect(error.message).toMatch(
      /^Request failed with status code 401\. The API of easy sandbox refuses tokens that were just obtained\. Set the base URL \(interfaces\.easy\.sandbox\.baseUrl\)/,
    );
    expect(error.message).toContain(report.error?.message);
    expect(report.error?.code).toBe('RENEWALS_PAUSED');
    report.answered(200);
    expect(report.error).toBeUndefined();
  });

  it('B29: keeps the status healthy if the API has accepted a token before: a caller may have asked for something forbidden', () => {
    const { report } = givenReport();
    const error = refusal();
    report.refused(error, true);
    expect(error.message).toContain('The API accepted tokens before.');
    expect(report.error).toBeUndefined();
  });
});

describe('B35: ApiReport and an API that answers, but with errors only', () => {
  it('B35: an API that refuses every renewed token after it had accepted some: an error line, and a failure', async () => {
    const { lines, report, host, each, refuse } = givenReport();
    report.answered(200);
    await each(5, refuse);
    expect([report.error, lines]).toEqual([undefined, []]);
    refuse();
    expect(report.error).toMatchObject({ code: 'RENEWALS_PAUSED' });
    expect(lines).toEqual([`error ${report.error?.message} (RENEWALS_PAUSED, ${host})`]);
    expect(report.error?.message).toContain('The API accepted tokens before.');
    expect(report.error?.message).not.toContain('baseUrl');
    report.answered(200);
    expect(report.error).toBeUndefined();
    expect(lines.at(-1)).toMatch(/^log The API of easy sandbox works again\. \(API_RECOVERED, .+\)$/);
  });

  it('B35: one accepted token in between, and it is about single requests', async () => {
    const { lines, report, each, refuse } = givenReport();
    await each(30, () => {
      for (let call = 0; call < 3; call += 1) refuse();
      report.answered(200);
    });
    expect([report.error, lines]).toEqual([undefined, []]);
  });

  it.each([401, 403, 404, 429, 500, 503])(
    'B35: a %d does not show that an API accepts tokens again that refused all of them',
    async (status) => {
      const { lines, report, host, each, refuse } = givenReport();
      // Each second answer is a refusal.
      await each(5, () => {
        refuse();
        report.answered(status);
      });
      expect([report.error, lines]).toEqual([undefined, []]);
      refuse();
      report.answered(status);
      expect(report.error).toMatchObject({ code: 'RENEWALS_PAUSED' });
      expect(lines).toEqual([`error ${report.error?.message} (RENEWALS_PAUSED, ${host})`]);
    },
  );

  it.each([401, 429])(
    'B35: a %d does not show that an API works again that gave errors only',
    async (status) => {
      const { lines, report, each } = givenReport();
      await each(20, () => report.answered(503));
      expect(report.error).toMatchObject({ code: 'API_FAILING' });
      report.answered(status);
      report.answered(503);
      expect(report.error).toMatchObject({ code: 'API_FAILING' });
      expect(lines).toHaveLength(1);
    },
  );

  it.each([401, 429])(
    'B35: nothing but 503 with one %d each ten calls is not "each request"',
    async (status) => {
      const { clock, lines, report, each } = givenReport();
      await each(100, () => {
        if (clock.wall() % 20_000 < 2_000) report.answered(status);
        report.answered(503);
      });
      expect([report.error, lines]).toEqual([undefined, []]);
    },
  );

  it.each([200, 304, 400, 409, 422])('B35: a %d shows that an API works again', async (status) => {
    const { lines, report, each, refuse } = givenReport();
    await each(6, refuse);
    report.answered(status);
    expect(report.error).toBeUndefined();
    await each(40, () => report.answered(503));
    expect(report.error).toMatchObject({ code: 'API_FAILING' });
    report.answered(status);
    expect(report.error).toBeUndefined();
    expect(lines.map((line) => line.replace(/ .*\(([A-Z_]+), .*/, ' $1'))).toEqual([
      'error RENEWALS_PAUSED',
      'log API_RECOVERED',
      'warn API_FAILING',
      'log API_RECOVERED',
    ]);
  });

  it('B33: the answer for an account shows only that the API can be reached', async () => {
    const { report, each, refuse } = givenReport();
    await each(6, refuse);
    report.answered(200, false);
    expect(report.error).toMatchObject({ code: 'RENEWALS_PAUSED' });
    report.unanswered(unreachable());
    report.answered(401, false);
    expect(report.error).toBeUndefined();
    refuse();
    expect(report.error).toMatchObject({ code: 'RENEWALS_PAUSED' });
  });

  it('B33 B35: a success for an account shows that the API does not answer with errors only', async () => {
    const { report, each } = givenReport();
    report.answered(200);
    await each(40, () => report.answered(404));
    report.answered(404, false);
    report.answered(401, false);
    expect(report.error).toMatchObject({ code: 'API_FAILING' });
    report.answered(200, false);
    expect(report.error).toBeUndefined();
    await each(19, () => report.answered(404));
    report.answered(200, false);
    await each(19, () => report.answered(404));
    expect(report.error).toBeUndefined();
  });

  it.each([
    [403, 'have no access to this path'],
    [404, 'Check the path of the base URL (interfaces.easy.sandbox.baseUrl)'],
    [500, 'Wait for the provider.'],
    [503, 'Wait for the provider.'],
  ])('B35: nothing but %d for 30 s and 20 requests: a warning', async (status, advice) => {
    const { lines, report, host, each } = givenReport();
    report.answered(200);
    await each(19, () => report.answered(status));
    expect([report.error, lines]).toEqual([undefined, []]);
    report.answered(status);
    report.answered(status);
    expect(report.error).toMatchObject({ code: 'API_FAILING' });
    expect(lines).toEqual([`warn ${report.error?.message} (API_FAILING, ${host})`]);
    expect(report.error?.message).toContain(`the last one with ${status}. `);
    expect(report.error?.message).toContain(advice);
    report.answered(409);
    expect(report.error).toBeUndefined();
    expect(lines.at(-1)).toMatch(/^log The API of easy sandbox works again\. \(API_RECOVERED, .+\)$/);
  });

  it('B35: 100 of them in one second are no failure yet, and another answer starts the count again', async () => {
    const { clock, lines, report } = givenReport();
    for (let call = 0; call < 100; call += 1) report.answered(404);
    await clock.advance(30_000);
    report.answered(200);
    report.answered(404);
    expect([report.error, lines]).toEqual([undefined, []]);
  });

  it.each<[InterfaceTerms['refusedWith'] & object, number, string | undefined]>([
    [[401], 403, '403, 404 or 5xx'],
    [[403], 401, '401, 404 or 5xx'],
    [[403], 403, undefined],
    [[401, 403], 401, undefined],
    [[401, 403], 403, undefined],
    [[401, 403], 404, '404 or 5xx'],
  ])(
    'B31: with refusedWith %j, nothing but %d is no failure of the API if it refuses a token',
    async (refusedWith, status, failures) => {
      const { report, each } = givenReport(undefined, undefined, { refusedWith });
      report.answered(200);
      await each(30, () => report.answered(status));
      expect(report.error?.code).toBe(failures && 'API_FAILING');
      const text =
        failures === undefined ? '' : `each request with ${failures}, the last one with ${status}. `;
      expect(report.error?.message ?? '').toContain(text);
    },
  );
});
