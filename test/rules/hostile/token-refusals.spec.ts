import { describe, expect, it } from 'vitest';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { TokenTrial } from '../../support/token/token-trial.js';
import { flood } from '../../support/http/endless-answers.js';

type Script = (script: ProviderSimulator['token']) => void;

const refuse =
  (...given: Parameters<ProviderSimulator['token']['refuse']>): Script =>
  (script) =>
    script.refuse(...given);
const status =
  (...given: Parameters<ProviderSimulator['token']['status']>): Script =>
  (script) =>
    script.status(...given);

/** The request's own form, echoed in a refusal. */
function echo(part: (form: string, secret: string) => object): Script {
  return (script) =>
    script.handler((_request, response, exchange) => {
      const form = exchange.body.toString();
      const fields = new URLSearchParams(form);
      const secret = fields.get('client_secret') ?? fields.get('client_assertion')?.split('.').at(-1) ?? '';
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(part(form, secret)));
    });
}

const REFUSALS: [id: string, what: string, script: Script, status: number, oauthError?: string][] = [
  ['T51', '400 invalid_client', refuse('invalid_client', { status: 400 }), 400, 'invalid_client'],
  ['T51', '400 unauthorized_client', refuse('unauthorized_client'), 400, 'unauthorized_client'],
  ['T52', '401 with WWW-Authenticate', refuse('invalid_client'), 401, 'invalid_client'],
  [
    'T53',
    'an error_description with the form',
    echo((form) => ({ error: 'invalid_client', error_description: form })),
    400,
    'invalid_client',
  ],
  ['T54', 'an error that is the secret', echo((_, secret) => ({ error: secret })), 400],
  [
    'T54',
    'an error that holds the secret in base64',
    echo((_, secret) => ({ error: Buffer.from(secret).toString('base64') })),
    400,
  ],
  [
    'T54',
    'an error that holds half of the secret',
    echo((_, secret) => ({ error: `bad: ${secret.slice(0, 19)}` })),
    400,
  ],
  [
    'T55',
    'an error with a line break and ANSI codes',
    refuse('bad\n\u001b[31mERROR forged', { status: 400 }),
    400,
  ],
  ['T56', 'an error that is an object', status(400, { body: '{"error":{"code":"invalid_client"}}' }), 400],
  ['T57', 'a page', status(400, { body: '<html>Bad Request</html>' }), 400],
  ['T57', '403 with nothing', status(403), 403],
  ['T57', '404', status(404, { body: 'no such page' }), 404],
  [
    'T61',
    'the whole form as body',
    (script) =>
      script.handler((_request, response, exchange) => void response.writeHead(401).end(exchange.body)),
    401,
  ],
  ['T61', '10 MB of body', status(400, { body: 'x'.repeat(10_000_000) }), 400],
  ['T61', 'a body without end', (script) => script.handler(flood(401)), 401],
];

it.each(REFUSALS)(
  '%s B7 S10: %s is not retried, and only a well-formed code is repeated',
  async (_id, _what, script, status, oauthError) => {
    const trial = await TokenTrial.start();
    script(trial.provider.token);

    const { error } = await trial.ask();
    const again = await trial.ask();

    expect(error).toMatchObject({ name: 'TokenRequestError', code: 'TOKEN_REJECTED', status });
    expect((error as { oauthError?: string }).oauthError).toBe(oauthError);
    // oxlint-disable-next-line no-control-regex
    expect(String(error)).not.toMatch(/[\0-\x1f]|forged|<html>/);
    expect(again.error).toEqual(error);
    expect(trial.provider.tokenRequests).toHaveLength(1);
    expect(trial.lines).toHaveLength(1);
    expect(trial.leaks()).toEqual([]);
  },
);

it.each([
  ['that breaks off', true],
  ['that never ends', false],
])('T66 B7: 401 with a body %s is a refusal all the same', async (_what, breaksOff) => {
  const clock = new FakeClock();
  const trial = await TokenTrial.start({ clock });
  trial.provider.token.handler((_request, response) => {
    response.writeHead(401, { 'content-length': 100 });
    response.write('{"error":', () => breaksOff && response.destroy());
  });
  const startedAt = clock.monotonic();
  const { error } = await clock.passUntil(trial.ask());
  expect(error).toMatchObject({ code: 'TOKEN_REJECTED', status: 401 });
  expect(clock.monotonic() - startedAt).toBeLessThan(6_000);
  expect(trial.provider.tokenRequests).toHaveLength(1);
  expect(trial.leaks()).toEqual([]);
});

/** The headers of an endpoint that names the moment to come back, by a clock that may be wrong. */
function dated(laterMs: number, wrongByMs = 0) {
  const now = Date.now() + wrongByMs;
  const [date, later] = [now, now + laterMs].map((moment) => new Date(moment).toUTCString());
  return { date, 'retry-after': later };
}

describe('a request to come back later', () => {
  it.each([
    ['T59', 429, 'seconds', () => ({ 'retry-after': '1' })],
    ['T59', 503, 'seconds', () => ({ 'retry-after': '1' })],
    ['T59', 503, 'a date', () => dated(1_000)],
  ])('%s B6: the Retry-After of a %i in %s is waited for', async (_id, status, _what, headers) => {
    const clock = new FakeClock();
    const trial = await TokenTrial.start({ clock });
    const refusedAt: number[] = [];
    trial.provider.token.next().handler((_request, response) => {
      refusedAt.push(clock.monotonic());
      response.writeHead(status, headers()).end();
    });
    const { token } = await clock.passUntil(trial.ask());
    expect(token).toBeDefined();
    expect(trial.provider.tokenRequests).toHaveLength(2);
    expect(clock.monotonic() - (refusedAt[0] ?? NaN)).toBeGreaterThanOrEqual(1_000);
    expect(trial.leaks()).toEqual([]);
  });

  it.each([
    ['seconds', '86400'],
    ['a date', new Date(Date.now() + 86_400_000)],
  ])(
    'T60 B6: a long Retry-After in %s is not waited for: it becomes the cool-down, of an hour at most',
    async (_what, when) => {
      const trial = await TokenTrial.start();
      trial.provider.token.retryAfter(when);
      const { error } = await trial.ask();
      expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE', status: 503 });
      const { retryAt } = error as { retryAt: Date };
      const minutes = (retryAt.getTime() - Date.now()) / 60_000;
      expect(minutes).toBeGreaterThan(58);
      expect(minutes).toBeLessThanOrEqual(60);
      expect((await trial.ask()).error).toEqual(error);
      expect(trial.provider.tokenRequests).toHaveLength(1);
      expect(trial.leaks()).toEqual([]);
    },
  );

  it.each([408, 425, 429, 500, 502, 503, 504])(
    'B6: %i is tried again, up to three attempts in all',
    async (status) => {
      const trial = await TokenTrial.start({ random: () => 0 });
      trial.provider.token.status(status, { body: 'out of order' });
      const { error } = await trial.ask();
      expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE', status });
      expect(trial.provider.tokenRequests).toHaveLength(3);
      expect(trial.leaks()).toEqual([]);
    },
  );
});
