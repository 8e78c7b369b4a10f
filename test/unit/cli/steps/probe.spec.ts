import type { ServerResponse } from 'node:http';
import { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Check } from '../../../../lib/cli/step.js';
import { probe } from '../../../../lib/cli/steps/probe.js';
import { remedyOf, type Trouble } from '../../../../lib/errors/remedies.js';
import { ClientTls } from '../../../../lib/net/client-tls.js';
import { systemClock } from '../../../../lib/time/clock.js';
import { checkOf, SETTINGS } from '../../../support/application/doctor-check.js';
import { givenEnvironment } from '../../../support/http/proxy-variables.js';
import { WireServer } from '../../../support/http/wire-server.js';
import { HOUR, profileOf, tokenOf } from '../../../support/token/token-fixtures.js';

let server: WireServer;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  server = await WireServer.start();
  server.handler = (_, response) => answer(response);
});

beforeEach(() => {
  givenEnvironment();
  answer = (response) => void response.end('ok');
  server.seen = [];
});

afterAll(() => server.close());

const answered = (status: number, headers = {}) => {
  answer = (response) => void response.writeHead(status, headers).end('canary of a body');
};

/** The token expires before the answer. */
const answeredLate = (status: number) => {
  answer = (response) => {
    vi.spyOn(systemClock, 'wall').mockImplementation(() => Date.now() + 2 * HOUR);
    response.writeHead(status).end('canary of a body');
  };
};

interface Asked {
  readonly path?: string;
  readonly origin?: string;
  readonly http?: Partial<Check['settings']['http']>;
  readonly terms?: Check['profile']['terms'];
  readonly isProxy?: boolean;
}

function asking({
  path = '/payments',
  origin = server.url,
  http,
  terms,
  isProxy = false,
}: Asked = {}): Check {
  const destination = { host: 'api.example', port: 443, isProxy };
  return checkOf({
    profile: profileOf({
      baseUrl: `${origin}/v1`,
      tls: new ClientTls({ ca: server.ca }),
      ...(terms && { terms }),
    }),
    settings: { ...SETTINGS, http: { ...SETTINGS.http, ...http } },
    destinations: { tokenUrl: { ...destination, isProxy: false }, baseUrl: destination },
    probe: path,
    token: tokenOf(systemClock, 'canary-of-a-token'),
  });
}

const NO_PROOF =
  'This does not show that the API accepts the token. Give --probe a path that answers with 2xx.';

describe('the step with the probe', () => {
  it('is skipped without a path, and names the option', async () => {
    expect(await probe.run({ ...asking(), probe: undefined })).toEqual({
      status: 'skipped',
      detail: 'not checked whether the API accepts the token: use --probe <path>',
    });
  });

  it('is skipped without a token', async () => {
    const { token: _, ...check } = asking();
    expect(await probe.run(check)).toEqual({ status: 'skipped', detail: 'there is no token' });
  });

  it('has the name that --json shows', () => {
    expect(probe.name).toBe('probe');
  });

  it('sends one GET with the token and the headers of the application, and leaves no connection open', async () => {
    const headers = { 'x-application': 'checkout' };
    expect(await probe.run(asking({ path: 'payments/7?x=1', http: { headers } }))).toEqual({
      status: 'ok',
      detail: 'the API answered with status 200',
      facts: { status: 200 },
    });
    expect(
      server.seen.map(({ method, url, headers: sent }) => [
        method,
        url,
        sent.authorization,
        sent['x-application'],
      ]),
    ).toEqual([['GET', '/v1/payments/7?x=1', 'Bearer canary-of-a-token', 'checkout']]);
    await expect.poll(() => server.openConnections).toBe(0);
  });

  it('does not wait for the end of the body', async () => {
    answer = (response) => void response.write('begin');
    expect(await probe.run(asking())).toMatchObject({ status: 'ok', facts: { status: 200 } });
    await expect.poll(() => server.openConnections).toBe(0);
  });

  it.each([204, 302, 304, 399])('accepts the status %i', async (status) => {
    answered(status, { location: '/v1/elsewhere' });
    expect(await probe.run(asking())).toEqual({
      status: 'ok',
      detail: `the API answered with status ${status}`,
      facts: { status },
    });
    // It follows no redirect.
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    [400, ''],
    [404, ': nothing was found there'],
    [429, ''],
    [499, ''],
  ])('B35: reports the status %i as a warning', async (status, remark) => {
    answered(status);
    expect(await probe.run(asking())).toEqual({
      status: 'ok',
      detail: `the API answered with status ${status}${remark}`,
      code: `HTTP_${status}`,
      advice: NO_PROOF,
      facts: { status },
    });
  });

  it.each<[number, Trouble, Check['profile']['terms']?]>([
    [401, 'refused-token'],
    [403, 'forbidden'],
    [407, 'proxy'],
    [500, 'server-trouble'],
    [503, 'server-trouble'],
    [401, 'forbidden', { refusedWith: [403] }],
    [403, 'refused-token', { refusedWith: [403] }],
    [401, 'refused-token', { refusedWith: [401, 403] }],
    [403, 'refused-token', { refusedWith: [401, 403] }],
  ])('B29: fails for the status %i, which means: %s', async (status, trouble, terms) => {
    answered(status);
    const check = asking({ terms });
    expect(await probe.run(check)).toEqual({
      status: 'failed',
      detail: `the API answered with status ${status}`,
      code: `HTTP_${status}`,
      advice: remedyOf(trouble, check.profile, 'baseUrl'),
      facts: { status },
    });
    // It asks for no other token.
    expect(server.seen).toHaveLength(1);
  });

  describe('B29: with a token that expires before the answer', () => {
    it('does not blame the settings for a refused token', async () => {
      answeredLate(401);
      const check = asking();
      expect(await probe.run(check)).toEqual({
        status: 'ok',
        detail: 'the API answered with status 401, but the token had expired',
        code: 'HTTP_401',
        advice: remedyOf('brief-token', check.profile),
        facts: { status: 401 },
      });
    });

    it.each([
      [200, 'ok', undefined],
      [404, 'ok', NO_PROOF],
      [403, 'failed', remedyOf('forbidden', profileOf(), 'baseUrl')],
    ])('says nothing of the token for the status %i', async (code, status, advice) => {
      answeredLate(code);
      const finding = await probe.run(asking());
      expect([finding.status, finding.advice]).toEqual([status, advice]);
      expect(finding.detail).not.toContain('expired');
    });
  });

  it('S6: does not send a request to an address that is not under the base URL', async () => {
    expect(await probe.run(asking({ path: '/../../x' }))).toEqual({
      status: 'failed',
      detail: 'the request was not sent, because its address is not under the base URL',
      code: 'OUTSIDE_BASE_URL',
      advice: 'Give --probe a path that stays under the base URL.',
    });
    expect(server.seen).toEqual([]);
  });

  it.each<[boolean, Trouble]>([
    [false, 'refused-connection'],
    [true, 'proxy'],
  ])('fails if there is no answer, behind a proxy: %s', async (isProxy, trouble) => {
    const check = asking({ origin: 'https://127.0.0.1:1', isProxy });
    expect(await probe.run(check)).toEqual({
      status: 'failed',
      detail: 'the API did not answer (ECONNREFUSED)',
      code: 'ECONNREFUSED',
      advice: remedyOf(trouble, check.profile, 'baseUrl'),
    });
  });

  it.each<[boolean, Trouble]>([
    [false, 'unanswered'],
    [true, 'unanswered-by-proxy'],
  ])('fails if no answer comes in time, behind a proxy: %s', async (isProxy, trouble) => {
    answer = () => undefined;
    const check = asking({ http: { timeoutMs: 100 }, isProxy });
    expect(await probe.run(check)).toEqual({
      status: 'failed',
      detail: 'the API did not answer within 100 ms (ECONNABORTED)',
      code: 'ECONNABORTED',
      advice: remedyOf(trouble, check.profile, 'baseUrl'),
    });
  });

  it.each<[string | undefined, string, Trouble]>([
    ['ETIMEDOUT', ' within 30000 ms (ETIMEDOUT)', 'unanswered'],
    ['EHOSTUNREACH', ' (EHOSTUNREACH)', 'no-route'],
    [undefined, ' (UNKNOWN)', 'unreachable'],
  ])('fails with the code of a connection: %s', async (code, words, trouble) => {
    const lookup: LookupFunction = (_host, _options, found) =>
      found(Object.assign(new Error('broken'), { code }), []);
    const check = asking({ origin: 'https://api.example', http: { httpsAgent: new Agent({ lookup }) } });
    expect(await probe.run(check)).toEqual({
      status: 'failed',
      detail: `the API did not answer${words}`,
      code: code ?? 'UNKNOWN',
      advice: remedyOf(trouble, check.profile, 'baseUrl'),
    });
  });
});
