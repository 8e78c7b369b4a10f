import { Agent } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DOCTOR_HEADER } from '../../../../lib/catalogue/wire.js';
import type { Check } from '../../../../lib/cli/report.js';
import { probe } from '../../../../lib/cli/steps/probe.js';
import { doctorHeaders, lifetime, tokenRequest } from '../../../../lib/cli/steps/token-request.js';
import { remedyOf } from '../../../../lib/errors/troubles.js';
import { ClientTls } from '../../../../lib/net/client-tls.js';
import { systemClock } from '../../../../lib/time/clock.js';
import { checkOf, SETTINGS } from '../../../support/application/doctor-check.js';
import { givenEnvironment } from '../../../support/http/proxy-variables.js';
import { WireServer } from '../../../support/http/wire-server.js';
import { profileOf, SteeredSecret, tokenOf } from '../../../support/token/token-fixtures.js';

const ANSWER = { access_token: 'canary-of-a-token', token_type: 'Bearer', expires_in: 3600 };

let server: WireServer;
let status: number;
let answer: object;

beforeAll(async () => {
  server = await WireServer.start();
  server.handler = (_, response) => {
    response.writeHead(status);
    response.end(JSON.stringify(answer));
  };
});

beforeEach(() => {
  givenEnvironment();
  [status, answer] = [200, ANSWER];
  server.seen = [];
});

afterAll(() => server.close());

function checkAt(tokenUrl: string, overrides: Partial<Check['profile']> = {}): Check {
  return checkOf({ profile: profileOf({ tokenUrl, tls: new ClientTls({ ca: server.ca }), ...overrides }) });
}

describe('the step with the token request', () => {
  it('removes only the full stop at the end of a reason', async () => {
    const check = checkAt(`${server.url}/token`);
    const httpsAgent = new Agent({ rejectUnauthorized: false });
    const settings = { ...SETTINGS, http: { ...SETTINGS.http, httpsAgent } };
    expect(await tokenRequest.run({ ...check, settings })).toMatchObject({
      status: 'failed',
      detail:
        'http.httpsAgent turns off certificate checks (rejectUnauthorized: false, or NODE_TLS_REJECT_UNAUTHORIZED=0), so the client secret was not sent',
    });
  });

  it.each([
    ['secret', 'the client secret could not be read, nothing was sent'],
    ['key', 'the client key could not be read, nothing was sent'],
  ] as const)('sends nothing without a client %s that can be read', async (credential, detail) => {
    const clientSecret = new SteeredSecret();
    clientSecret.rejects(new Error('canary of a vault'));
    const check = checkAt(`${server.url}/token`, { clientSecret, credential });
    expect(await tokenRequest.run(check)).toEqual({
      status: 'failed',
      detail,
      code: 'SECRET_UNREADABLE',
      advice: remedyOf('secret-source', check.profile),
    });
    expect([server.seen, check.secret]).toEqual([[], undefined]);
  });
});

describe('the steps about the token', () => {
  it('B29: a token and a refusal have their facts', async () => {
    expect(await tokenRequest.run(checkAt(`${server.url}/token`))).toEqual({
      status: 'ok',
      detail: 'the endpoint issued a token (status 200)',
      facts: { status: 200 },
    });
    expect(server.seen[0]?.headers[DOCTOR_HEADER]).toBe('1');
    [status, answer] = [400, { error: 'invalid_scope' }];
    expect((await tokenRequest.run(checkAt(`${server.url}/token`))).facts).toEqual({
      status: 400,
      oauthError: 'invalid_scope',
    });
  });

  it('without a token, there is nothing to show', async () => {
    for (const step of [lifetime, probe])
      expect(await step.run(checkOf({ probe: '/' }))).toEqual({
        status: 'skipped',
        detail: 'there is no token',
      });
    expect(await probe.run(checkOf())).toEqual({
      status: 'skipped',
      detail: 'not checked whether the API accepts the token: use --probe <path>',
    });
  });

  it('S11: the lifetime is that of the endpoint', async () => {
    expect(await lifetime.run(checkOf({ token: tokenOf(systemClock, 'x', 59_000) }))).toEqual({
      status: 'ok',
      detail: 'the token lives for 59 s: one token request in that time',
      facts: { seconds: 59 },
    });
  });

  it.each([
    ['https://127.0.0.1:8443/x', true],
    ['https://localhost/x', true],
    ['https://[::1]:8443/x', true],
    ['https://auth.example/x', false],
  ])('B25: only a provider on this machine learns that the doctor asks: %s', (address, learns) => {
    expect(Object.keys(doctorHeaders(address))).toHaveLength(learns ? 1 : 0);
  });
});
