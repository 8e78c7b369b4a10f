import { connect } from 'node:net';
import { setTimeout as passed } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { byName, ConnectProxy } from '../../support/http/connect-proxy.js';
import { TokenTrial } from '../../support/token/token-trial.js';

/** An answer with a token, as a token endpoint gives it. */
function token(statusLine: string): string {
  const body = '{"access_token":"forged-by-the-proxy","token_type":"Bearer","expires_in":3600}';
  return `${statusLine}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function refusal(statusLine: string): string {
  const body = '{"error":"invalid_client"}';
  return `HTTP/1.1 ${statusLine}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

const ANSWERS: readonly [what: string, answer: string, status: number, attempts: number][] = [
  ['403', refusal('403 Forbidden'), 403, 1],
  ['407', refusal('407 Proxy Authentication Required'), 407, 1],
  ['401 with an error code of OAuth', refusal('401 Unauthorized'), 401, 1],
  ['302', 'HTTP/1.1 302 Found\r\nlocation: https://login.example/\r\ncontent-length: 0\r\n\r\n', 302, 1],
  ['502', refusal('502 Bad Gateway'), 502, 3],
  ['503 with Retry-After', 'HTTP/1.1 503 Busy\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n', 503, 3],
  ['202 with a token', token('HTTP/1.1 202 Accepted'), 202, 1],
  // Node takes the first answer for that to CONNECT.
  ['100 and then 200 with a token', `HTTP/1.1 100 Continue\r\n\r\n${token('HTTP/1.1 200 OK')}`, 100, 1],
];

it.each(ANSWERS)(
  'B6 B7 B28: %s of a proxy is not taken for an answer of the token endpoint',
  async (_, answer, status, attempts) => {
    const proxy = await ConnectProxy.start(answer);
    const trial = await TokenTrial.start({ http: { proxy: proxy.setting } });

    const { error } = await trial.ask();

    expect(error).toMatchObject({ name: 'TokenRequestError', code: 'TOKEN_UNAVAILABLE' });
    expect(error).not.toHaveProperty('status');
    expect(error).not.toHaveProperty('oauthError');
    expect(String(error)).toContain(
      `the proxy refused the connection to the token endpoint with status ${status}. Check http.proxy:`,
    );
    const { retryAt } = error as { retryAt: Date };
    expect(retryAt.getTime() - Date.now()).toBeLessThanOrEqual(300);
    expect((error as { failure: object }).failure).toMatchObject({ local: true });
    expect(proxy.tunnels).toHaveLength(attempts);
    expect(trial.provider.tokenRequests).toEqual([]);
    expect(trial.leaks()).toEqual([]);
  },
);

it('B29: names the variables if the environment names the proxy', async () => {
  const { port } = await ConnectProxy.start(refusal('407 Proxy Authentication Required'));
  const trial = await TokenTrial.start();
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${port}`);
  vi.stubEnv('NO_PROXY', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(String((await trial.ask()).error)).toContain('Check HTTPS_PROXY and NO_PROXY:');
});

it('B29: names the setting of a proxy that closes the connection instead of an answer', async () => {
  const proxy = await ConnectProxy.start('');
  const trial = await TokenTrial.start({ http: { proxy: proxy.setting }, token: { maxAttempts: 1 } });
  const { error } = await trial.ask();
  expect(String(error)).toContain('the proxy could not be reached (ECONNRESET). ');
  expect(String(error)).toContain('http.proxy');
  expect(proxy.tunnels).toHaveLength(1);
});

it('S9: the certificate of a proxy is checked, also in a process that checks none', async () => {
  const { cert, key } = issueServerCertificate('trusted');
  const proxy = await ConnectProxy.start(undefined, { cert, key });
  const trial = await TokenTrial.start({ http: { proxy: proxy.setting }, token: { maxAttempts: 1 } });
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await trial.ask()).error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  expect(proxy.tunnels).toEqual([]);
});

it('B28: an answer over a connection without encryption is none of the token endpoint', async () => {
  const { port } = await ConnectProxy.start();
  const trial = await TokenTrial.start();
  const httpsAgent = trial.provider.agent();
  httpsAgent.createConnection = () => connect(port, '127.0.0.1');
  const tokens = await trial.another({ http: { httpsAgent, proxy: false } });
  const { error } = await trial.ask(tokens);
  expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  expect(error).not.toHaveProperty('status');
});

it('B18: callers get a token soon after the proxy connects again', async () => {
  const proxy = await ConnectProxy.start(refusal('407 Proxy Authentication Required'));
  const trial = await TokenTrial.start({
    http: { proxy: proxy.setting },
    profile: (profile) => ({ ...profile, tokenUrl: byName(profile.tokenUrl) }),
  });
  const { error } = await trial.ask();
  proxy.refusal = undefined;
  const pause = (error as { retryAt: Date }).retryAt.getTime() - Date.now();
  expect(pause).toBeLessThan(1_000);
  await passed(pause + 20);
  expect((await trial.ask()).token).toBeDefined();
  expect(proxy.tunnels).toHaveLength(2);
});
