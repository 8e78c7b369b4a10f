import { inspect } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { BUILT_IN_PROVIDER, EVERY_TERM } from '../../support/application/every-term.js';
import { DAY } from '../../support/token/token-fixtures.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { TokenTrial } from '../../support/token/token-trial.js';
import { flood } from '../../support/http/endless-answers.js';

type Script = (script: ProviderSimulator['token']) => void;
const members =
  (wrong: Record<string, unknown>): Script =>
  (script) =>
    script.members(wrong);
const body =
  (change: string | ((regular: string) => string | Buffer)): Script =>
  (script) =>
    script.body(change);

const REFUSED: [id: string, what: string, script: Script][] = [
  ['T06', '201 with a valid body', (script) => script.status(201, { body: (regular: string) => regular })],
  ['T07', '204', (script) => script.status(204)],
  ['T08', 'an empty body', body('')],
  ['T09', 'a login page', body('<html><form>login: <input name="password"></form></html>')],
  [
    'T11',
    'a form',
    body((regular) => new URLSearchParams(JSON.parse(regular) as Record<string, string>).toString()),
  ],
  ['T12', 'an array', body((regular) => `[${regular}]`)],
  ['T13', 'a string', body((regular) => JSON.stringify(regular))],
  ['T14', 'null', body('null')],
  ['T15', 'a number', body('42')],
  ['T16', 'truncated JSON', body((regular) => regular.slice(0, -2))],
  ['T17', 'JSON and junk', body((regular) => `${regular}junk`)],
  ['T19', 'a guard before JSON', body((regular) => `)]}'\n${regular}`)],
  [
    'T21',
    'a token in __proto__',
    body((regular) => `{"__proto__":${regular},"expires_in":60,"token_type":"Bearer"}`),
  ],
  ['T22', 'no access_token', members({ access_token: undefined })],
  ['T23', 'an empty access_token', members({ access_token: '' })],
  ['T24', 'a number as access_token', members({ access_token: 4711 })],
  ['T25', 'an array as access_token', members({ access_token: ['a'] })],
  ['T26', 'an object as access_token', members({ access_token: { value: 'a' } })],
  ['T27', 'a line break and a header in access_token', members({ access_token: 'abc\r\nX-Evil: 1' })],
  ['T28', 'a space in access_token', members({ access_token: 'abc def' })],
  ['T29', 'non-ASCII in access_token', members({ access_token: 'tökén' })],
  ['T30', 'NUL in access_token', members({ access_token: 'abc\0def' })],
  ['T31', 'an access_token of 1 MiB', members({ access_token: 'a'.repeat(2 ** 20) })],
  ['T32', 'an access_token of 20 KB', members({ access_token: 'a'.repeat(20_000) })],
  ['T33', 'an access_token in white space', members({ access_token: ' abc ' })],
  ['T34', 'no token_type', members({ token_type: undefined })],
  ['T37', 'the token_type mac', members({ token_type: 'mac' })],
  ['T38', 'the token_type DPoP', members({ token_type: 'DPoP' })],
  ['T39', 'an object as token_type', members({ token_type: { a: 'Bearer' } })],
  ['T41', 'expires_in 0', members({ expires_in: 0 })],
  ['T42', 'expires_in -1', members({ expires_in: -1 })],
  ['T43', 'expires_in 1e400', body((regular) => `${regular.slice(0, -1)},"expires_in":1e400}`)],
  ['T45', 'expires_in "soon"', members({ expires_in: 'soon' })],
  ['T47', 'an array as expires_in', members({ expires_in: [3600] })],
  ['T47', 'true as expires_in', members({ expires_in: true })],
  ['T58', '200 with an error', members({ error: 'invalid_client' })],
  ['T73', 'a body of 10 MB', body((regular) => regular.padEnd(10_000_000))],
  ['T73', 'a body of 64 KiB and a byte that would be good', body((regular) => regular.padEnd(64 * 1024 + 1))],
  ['T73', 'a body without end', (script) => script.handler(flood())],
  [
    'T74',
    'a gzip bomb',
    (script) =>
      script.answer({
        body: (regular: string) => gzipSync(regular.padEnd(20 * 2 ** 20)),
        headers: { 'content-encoding': 'gzip' },
      }),
  ],
  ['T77', '20,000 nested objects', body(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)],
  ['T79', 'JSON in UTF-16', body((regular) => Buffer.from(regular, 'utf16le'))],
  ['T80', 'status 999', (script) => script.garbage('HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n')],
];

it.each(REFUSED)(
  '%s B13: %s is refused at once, and nothing of it is repeated',
  async (_id, _what, script) => {
    const trial = await TokenTrial.start();
    script(trial.provider.token);

    const { error } = await trial.ask();

    expect(error).toMatchObject({ name: 'TokenRequestError', code: 'TOKEN_RESPONSE_INVALID' });
    expect(String(error)).not.toMatch(/password|junk|soon|4711|X-Evil|DPoP|invalid_client/);
    expect(trial.provider.tokenRequests).toHaveLength(1);
    expect(trial.leaks()).toEqual([]);
    expect(({} as Record<string, unknown>)['access_token']).toBeUndefined();
  },
);

it('T40 B13 B31: no expires_in is refused, unless the definition says how long a token lives', async () => {
  const outcomes = await Promise.all(
    [BUILT_IN_PROVIDER, EVERY_TERM].map(async (provider) => {
      const trial = await TokenTrial.start({ provider });
      trial.provider.token.members({ expires_in: undefined });
      const { token, error } = await trial.ask();
      expect(trial.leaks()).toEqual([]);
      return token?.lifetimeMs ?? (error as { code: string }).code;
    }),
  );
  expect(outcomes).toEqual(['TOKEN_RESPONSE_INVALID', 3_600_000]);
});

const ACCEPTED: [id: string, what: string, script: Script, lifetimeMs?: number][] = [
  [
    'T10',
    'JSON as text/plain',
    (script) => script.body((regular) => regular, { headers: { 'content-type': 'text/plain' } }),
  ],
  ['T18', 'JSON behind a byte order mark', body((regular) => `\ufeff${regular}`)],
  [
    'T20',
    'two access_tokens, of which the last counts',
    body((regular) => `{"access_token":"first",${regular.slice(1)}`),
  ],
  ['T35', 'the token_type "bearer"', members({ token_type: 'bearer' })],
  ['T36', 'the token_type "BEARER"', members({ token_type: 'BEARER' })],
  ['T43', 'expires_in beyond 30 days, capped', members({ expires_in: 31 * 24 * 3600 }), 30 * DAY],
  ['T44', 'expires_in "3600"', members({ expires_in: '3600' }), 3_600_000],
  ['T46', 'expires_in 2^53, capped', members({ expires_in: 2 ** 53 }), 30 * DAY],
  ['T48', 'expires_in 1', members({ expires_in: 1 }), 1_000],
  ['T49', 'a narrower scope', members({ scope: 'less' })],
  [
    'T50',
    'further tokens, which are ignored',
    members({ refresh_token: 'r'.repeat(40), id_token: 'i'.repeat(40) }),
  ],
  ['T73', 'a body of 64 KiB', body((regular) => regular.padEnd(64 * 1024))],
  [
    'T76',
    'a body in gzip',
    (script) =>
      script.answer({
        body: (regular: string) => gzipSync(regular),
        headers: { 'content-encoding': 'gzip' },
      }),
  ],
  [
    'T76',
    'a body in brotli',
    (script) =>
      script.answer({
        body: (regular: string) => brotliCompressSync(regular),
        headers: { 'content-encoding': 'br' },
      }),
  ],
];

it.each(ACCEPTED)('%s S3: accepted: %s', async (_id, _what, script, lifetimeMs) => {
  const trial = await TokenTrial.start();
  script(trial.provider.token);

  const { token, error } = await trial.ask();

  expect(error).toBeUndefined();
  expect(token?.reveal()).toBe(trial.provider.tokenRequests[0]?.token);
  expect(token?.lifetimeMs).toBe(lifetimeMs ?? 3_600_000);
  expect(trial.provider.tokenRequests).toHaveLength(1);
  expect(trial.leaks()).toEqual([]);
  expect(inspect([token, trial.events, trial.logged], { depth: 9 })).not.toMatch(/r{40}|i{40}/);
});

it('T48 S8: a token of one second makes no storm', async () => {
  const clock = new FakeClock();
  const trial = await TokenTrial.start({
    clock,
    simulator: { lifetimeSeconds: 1 },
    token: { expiryLeewayMs: 60_000, renewAheadMs: 60_000 },
  });
  const seconds = 5;
  for (const end = clock.monotonic() + seconds * 1_000; clock.monotonic() < end; await clock.advance(25)) {
    await clock.passUntil(Promise.all(Array.from({ length: 20 }, () => trial.ask())));
  }
  // The leeway takes half of the lifetime, the time ahead half of the rest.
  const perSecond = 4;
  expect(trial.provider.tokenRequests.length).toBeGreaterThan(seconds);
  expect(trial.provider.tokenRequests.length).toBeLessThanOrEqual(seconds * perSecond + 1);
  expect(trial.thrown).toEqual([]);
});

it('T78 S1: a cookie is not kept', async () => {
  const trial = await TokenTrial.start();
  trial.provider.token.body((regular) => regular, { headers: { 'set-cookie': 'session=abc' } });
  await trial.tokens.renew(await trial.tokens.getToken());
  expect(trial.provider.tokenRequests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  expect(trial.leaks()).toEqual([]);
});
