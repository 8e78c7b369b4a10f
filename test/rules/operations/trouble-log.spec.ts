import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as passed } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { expect, it, vi } from 'vitest';
import { PROVIDER_INTERFACES } from '../../support/application/built-in.js';
import { ConnectProxy } from '../../support/http/connect-proxy.js';
import { given, type RunningApp } from '../../support/http/given.js';
import { errorOf } from '../../support/token/token-fixtures.js';

it.each(['without', 'through'])(
  'B35: a log line about trouble names the day on which the certificate of the server expired, %s a proxy',
  async (way) => {
    const proxy = way === 'through' && (await ConnectProxy.start()).setting;
    const running = await given()
      .simulator({ certificate: 'expired' })
      .app((provider) => provider.options({ http: { ...provider.options().http, proxy } }))
      .start();
    await errorOf(running.tokens.getToken());
    expect(running.logs.linesAboutTrouble()[0]).toContain(
      "the token endpoint's certificate expired on 2001-01-01 (CERT_HAS_EXPIRED). Report this to the provider.",
    );
  },
);

it('B35: a log line about trouble leaves no listener on a socket that is used again', async () => {
  const { provider, status } = await given()
    .app((one) =>
      one.options({ http: { httpsAgent: new HttpsAgent({ maxSockets: 1, keepAlive: true, ca: one.ca }) } }),
    )
    .start();
  const added = vi.spyOn(TLSSocket.prototype, 'prependOnceListener');
  // All but the first request wait for the only socket.
  await Promise.all(
    status
      .providers()
      .filter(({ active }) => active)
      .map((tokens) => tokens.getToken()),
  );
  expect(provider.tokenRequests).toHaveLength(PROVIDER_INTERFACES.length);
  expect(added.mock.calls.filter(([event]) => (event as string) === 'secure')).toHaveLength(1);
});

it('B29: a token endpoint that hangs is in the log after its first attempt, once, long before callers get the error', async () => {
  const running = await given()
    .simulator({}, ({ token }) => token.hang())
    .app({ token: { timeoutMs: 1_000, maxAttempts: 3 } })
    .start();
  const started = performance.now();
  const failed = errorOf(running.tokens.getToken()).then(() => performance.now() - started);
  await vi.waitFor(() => expect(running.logs.linesAboutTrouble()).not.toEqual([]), {
    timeout: 20_000,
    interval: 10,
  });
  const warnedAfter = performance.now() - started;
  const { host } = new URL(running.provider.tokenUrl('easy', 'sandbox'));
  expect(running.logs.linesAboutTrouble()).toEqual([
    'warn No access token for easy sandbox yet: the token endpoint did not answer completely within 1000 ms. ' +
      `The request is sent again. Check the provider and the network, or raise token.timeoutMs. (TOKEN_UNAVAILABLE, ${host})`,
  ]);
  // Two more attempts are to come.
  expect(warnedAfter).toBeLessThan((await failed) * 0.7);
  expect(running.logs.linesAboutTrouble().map((line) => line.split(' ')[0])).toEqual(['warn', 'error']);
});

it('B29: a token endpoint that hangs is said to work again where a later attempt brings a token', async () => {
  const running = await given()
    .simulator({}, ({ token }) => token.next().hang())
    .app({ token: { timeoutMs: 1_500, maxAttempts: 2 } })
    .start();
  await running.tokens.getToken();
  expect(running.logs.linesAboutTrouble()).toEqual([
    expect.stringMatching(/^warn No access token for easy sandbox yet: /),
    expect.stringMatching(
      /^log Access tokens for easy sandbox are available again\. \(TOKENS_RECOVERED, .+\)$/,
    ),
  ]);
});

it('B29: a token endpoint that hangs is reported with the time limit of the setting, not with what was left of it', async () => {
  const running = await given()
    .simulator({}, ({ token }) => token.hang())
    .app((provider) => {
      const options = provider.options({ token: { timeoutMs: 900, maxAttempts: 1 } });
      const sandbox = options.interfaces.easy!.sandbox!;
      const { clientSecret } = provider.credentials('easy', 'sandbox');
      const slowly = (): Promise<string> => passed(100, clientSecret);
      return { ...options, interfaces: { easy: { sandbox: { ...sandbox, clientSecret: slowly } } } };
    })
    .start();
  expect(await errorOf(running.tokens.getToken())).toMatchObject({
    message: expect.stringContaining('did not answer completely within 900 ms.'),
  });
});

/** Uses the token until the log has a line about trouble. */
async function troubleInUse({ tokens, logs }: RunningApp): Promise<void> {
  await vi.waitFor(
    async () => {
      await tokens.getToken();
      expect(logs.linesAboutTrouble()).not.toEqual([]);
    },
    { timeout: 20_000, interval: 10 },
  );
}

it('B29: a renewal ahead that fails is a warning that says until when the token is valid; callers notice nothing', async () => {
  const running = await given()
    .simulator({ lifetimeSeconds: 10 })
    .app({ token: { renewAheadMs: 60_000, maxAttempts: 1 } })
    .start();
  const token = await running.tokens.getToken();
  await running.tokens.getToken();
  running.provider.token.status(503);
  await troubleInUse(running);
  expect((await running.tokens.getToken()).reveal()).toBe(token.reveal());
  expect(running.logs.linesAboutTrouble()).toEqual([
    expect.stringContaining(
      'warn The access token of easy sandbox could not be renewed: the token endpoint answered with status 503. ' +
        `The current token is valid until ${token.expiresAt.toISOString()}. `,
    ),
  ]);
  const [status] = running.status.status().filter(({ lastError }) => lastError);
  expect(status).toMatchObject({ interface: 'easy', state: 'valid' });
});

it('B29: a renewal ahead that fails is in the log after its first attempt if the endpoint hangs', async () => {
  const running = await given()
    .simulator({ lifetimeSeconds: 6 })
    .app({ token: { renewAheadMs: 60_000, maxAttempts: 3, timeoutMs: 1_500 } })
    .start();
  await running.tokens.getToken();
  await running.tokens.getToken();
  running.provider.token.hang();
  await troubleInUse(running);
  // Two more attempts are to come.
  expect(running.logs.linesAboutTrouble()).toEqual([
    expect.stringMatching(
      /^warn The access token of easy sandbox is not renewed yet: .* did not answer completely within 1500 ms\. The request is sent again\. Check the provider .* \(TOKEN_UNAVAILABLE, /,
    ),
  ]);
});
