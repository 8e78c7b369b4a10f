import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Check } from '../../../../lib/cli/report.js';
import { probe } from '../../../../lib/cli/steps/probe.js';
import { remedyOf, type Trouble } from '../../../../lib/errors/troubles.js';
import { ClientTls } from '../../../../lib/net/client-tls.js';
import { systemClock } from '../../../../lib/time/clock.js';
import { checkOf, SETTINGS } from '../../../support/application/doctor-check.js';
import { blackHole } from '../../../support/http/black-hole.js';
import { givenEnvironment } from '../../../support/http/proxy-variables.js';
import { WireServer } from '../../../support/http/wire-server.js';
import { profileOf, tokenOf } from '../../../support/token/token-fixtures.js';

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

interface Asked {
  readonly path?: string;
  readonly origin?: string;
  readonly http?: Partial<Check['settings']['http']>;
  readonly terms?: Check['profile']['terms'];
}

function asking({ path = '/payments', origin = server.url, http, terms }: Asked = {}): Check {
  return checkOf({
    profile: profileOf({
      baseUrl: `${origin}/v1`,
      tls: new ClientTls({ ca: server.ca }),
      ...(terms && { terms }),
    }),
    settings: { ...SETTINGS, http: { ...SETTINGS.http, ...http } },
    probe: path,
    token: tokenOf(systemClock, 'canary-of-a-token'),
  });
}

const NO_PROOF =
  'This does not show that the API accepts the token. Give --probe a path that answers with 2xx.';

describe('the step with the probe', () => {
  it.each([204, 302])('accepts the status %i', async (status) => {
    answered(status, { location: '/v1/elsewhere' });
    expect(await probe.run(asking())).toEqual({
      status: 'ok',
      detail: `the API answered with status ${status}`,
      facts: { status },
    });
    // It follows no redirect.
    expect(server.seen).toHaveLength(1);
  });

  it('B29: names the path of the base URL if nothing is there, and the token is for another path', async () => {
    answered(404);
    const check = asking();
    const { advice } = await probe.run({ ...check, isForOtherPath: true });
    expect(advice).toBe(
      `The path of ${check.profile.names.baseUrl} is probably wrong: nothing was found under it, and the aud of this token names another address on the same host.`,
    );
  });

  it.each([
    [400, ''],
    [404, ': nothing was found there'],
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

  it('B6: says how long the API had to answer', async () => {
    const origin = `https://127.0.0.1:${await blackHole()}`;
    const check = asking({ origin, http: { timeoutMs: 20 } });
    const finding = await probe.run(check);
    expect(finding).toEqual({
      status: 'failed',
      detail: `the API did not answer within 20 ms (${finding.code})`,
      code: expect.stringMatching(/^(ECONNABORTED|ETIMEDOUT)$/),
      advice: remedyOf('unanswered', check.profile, 'baseUrl'),
    });
  });

  it.each<[number, Trouble, Check['profile']['terms']?]>([
    [401, 'refused-token'],
    [403, 'forbidden'],
    [407, 'proxy'],
    [500, 'server-trouble'],
    [401, 'forbidden', { refusedWith: [403] }],
    [403, 'refused-token', { refusedWith: [403] }],
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
});
