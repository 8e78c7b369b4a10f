import { describe, expect, it, vi } from 'vitest';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import type { CertificateKind } from '../../../lib/testing/index.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { TokenTrial } from '../../support/token/token-trial.js';
import { drip, switchProtocols } from '../../support/http/endless-answers.js';

type Script = (script: ProviderSimulator['token']) => void;
const raw =
  (...lines: string[]): Script =>
  (script) =>
    script.garbage(lines.join('\r\n'));
const GOOD = '{"access_token":"abc","token_type":"Bearer","expires_in":3600}';

/** The random numbers of a back-off that takes no time. */
const NO_PAUSE = () => 0;

const ENDLESS: [id: string, what: string, script: Script][] = [
  ['T62', 'gives no answer', (script) => script.hang()],
  ['T63', 'drips its body', (script) => script.handler(drip('body'))],
  ['T64', 'drips its headers', (script) => script.handler(drip('headers'))],
  ['T72', 'answers 102 without end', (script) => script.handler(drip('interim'))],
];

describe('a token endpoint that does not come to an end', () => {
  it.each(ENDLESS)(
    '%s B13: one that %s is given up at the deadline, and no caller hangs',
    async (_id, _what, script) => {
      const clock = new FakeClock();
      const trial = await TokenTrial.start({ clock, token: { maxAttempts: 2 } });
      script(trial.provider.token);

      const startedAt = clock.monotonic();
      const outcomes = await clock.passUntil(Promise.all([trial.ask(), trial.ask(), trial.ask()]));

      for (const { error } of outcomes) expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
      expect(String(outcomes[0]?.error)).toContain('did not answer completely');
      // Two attempts of 5 seconds, and the longest pause.
      expect(clock.monotonic() - startedAt).toBeGreaterThanOrEqual(10_000);
      expect(clock.monotonic() - startedAt).toBeLessThan(12_000);
      expect(trial.provider.tokenRequests).toHaveLength(2);
      expect(trial.leaks()).toEqual([]);
    },
  );

  it('T65 B13: one that switches protocols is given up at once', async () => {
    const trial = await TokenTrial.start({ token: { maxAttempts: 1 } });
    trial.provider.token.handler(switchProtocols);
    const { error } = await trial.ask();
    expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(String(error)).toContain('broke off (ECONNRESET)');
  });

  it('B9: what was given up leaves no connection open', async () => {
    const clock = new FakeClock();
    const trial = await TokenTrial.start({ clock, token: { maxAttempts: 1 } });
    const closed = new Promise((resolve) => {
      trial.provider.token.handler((request) => void request.socket.once('close', resolve));
    });
    await clock.passUntil(trial.ask());
    await expect(closed).resolves.toBeDefined();
  });
});

const BROKEN: [id: string, what: string, script: Script][] = [
  ['T66', 'a reset before the headers', (script) => script.reset()],
  ['T66', 'an end before the headers', (script) => script.hangUp()],
  ['T67', 'a reset in the body', (script) => script.reset('mid-body')],
  ['T67', 'an end in the body', (script) => script.hangUp('mid-body')],
  [
    'T68',
    'a good answer that is shorter than its Content-Length',
    raw('HTTP/1.1 200 OK', `Content-Length: ${GOOD.length + 9}`, '', GOOD),
  ],
  [
    'T68',
    'a good answer without the end of its chunks',
    raw('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', GOOD.length.toString(16), GOOD, ''),
  ],
  [
    'T69',
    'two Content-Lengths',
    raw('HTTP/1.1 200 OK', 'Content-Length: 5', `Content-Length: ${GOOD.length}`, '', GOOD),
  ],
  [
    'T69',
    'a Content-Length beside chunks',
    raw('HTTP/1.1 200 OK', 'Content-Length: 5', 'Transfer-Encoding: chunked', '', '0', '', ''),
  ],
  ['T70', 'bytes that are not HTTP', (script) => script.garbage()],
  [
    'T70',
    'bytes that hold the request',
    (script) => script.handler((request, _response, exchange) => void request.socket.end(exchange.body)),
  ],
  [
    'T71',
    'a header of 20 KB',
    raw('HTTP/1.1 200 OK', `X-Long: ${'x'.repeat(20_000)}`, `Content-Length: ${GOOD.length}`, '', GOOD),
  ],
  [
    'T75',
    'broken gzip',
    (script) =>
      script.body(Buffer.from('1f8b0800000000000003ffffffffffff', 'hex'), {
        headers: { 'content-encoding': 'gzip' },
      }),
  ],
  [
    'T75',
    'gzip that is none',
    (script) => script.body((regular) => regular, { headers: { 'content-encoding': 'gzip' } }),
  ],
];

describe('a token endpoint that breaks off', () => {
  it.each(BROKEN)(
    '%s B6 B13: %s is an outage, is tried again, and its error holds nothing of the connection',
    async (_id, _what, script) => {
      const trial = await TokenTrial.start({ token: { maxAttempts: 2 }, random: NO_PAUSE });
      script(trial.provider.token);

      const { error } = await trial.ask();

      expect(error).toMatchObject({ name: 'TokenRequestError', code: 'TOKEN_UNAVAILABLE' });
      expect(Object.keys(error as object)).not.toContain('cause');
      expect(trial.provider.tokenRequests).toHaveLength(2);
      expect(trial.leaks()).toEqual([]);
    },
  );

  it.each(BROKEN)('%s B6: after %s the next attempt brings a token', async (_id, _what, script) => {
    const trial = await TokenTrial.start({ random: NO_PAUSE });
    script(trial.provider.token.next());
    expect((await trial.ask()).token).toBeDefined();
    expect(trial.provider.tokenRequests).toHaveLength(2);
  });

  it('B6: a port without a server is an outage', async () => {
    const trial = await TokenTrial.start({
      token: { maxAttempts: 2 },
      random: NO_PAUSE,
      profile: (profile) => ({ ...profile, tokenUrl: 'https://127.0.0.1:1/auth/v0/connect/token' }),
    });
    const { error } = await trial.ask();
    expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(String(error)).toContain('ECONNREFUSED');
    expect(trial.leaks()).toEqual([]);
  });

  it('B6: a host that does not exist is an outage', async () => {
    const trial = await TokenTrial.start({
      token: { maxAttempts: 1 },
      profile: (profile) => ({ ...profile, tokenUrl: 'https://nowhere.invalid/auth/v0/connect/token' }),
    });
    const { error } = await trial.ask();
    expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(trial.leaks()).toEqual([]);
  });
});

it.each<CertificateKind>(['self-signed', 'wrong-host', 'expired'])(
  'T81 B13 S9: %s: nothing is sent, nothing is tried again',
  async (certificate) => {
    const trial = await TokenTrial.start({ simulator: { certificate } });
    const { error } = await trial.ask();
    expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(String(error)).toMatch(
      /certificate (is not trusted|is for another host name|expired on \d{4}-\d\d-\d\d) \(/,
    );
    expect(trial.events['token-request']).toHaveLength(1);
    expect(trial.provider.tokenRequests).toEqual([]);
    expect(trial.leaks()).toEqual([]);
  },
);

it('T81 S9: a process that checks no certificates since its boot changes nothing', async () => {
  const trial = await TokenTrial.start({ simulator: { certificate: 'self-signed' } });
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const { error } = await trial.ask();
  expect(String(error)).toContain('not trusted');
  expect(trial.provider.tokenRequests).toEqual([]);
});

it('T81 S9: an authority that is not configured is not trusted', async () => {
  const trial = await TokenTrial.start();
  const other = await TokenTrial.start({
    profile: (profile) => ({ ...profile, tokenUrl: trial.provider.tokenUrl('easy', 'sandbox') }),
  });
  const { error } = await other.ask();
  expect(String(error)).toContain('not trusted');
  expect(trial.provider.tokenRequests).toEqual([]);
});
