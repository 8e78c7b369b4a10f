import { describe, expect, it } from 'vitest';
import type { TokenOptions } from '../../../lib/config/options/provider-auth-options.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { startSimulator } from '../../support/application/simulator.js';
import { type Ended, runSource } from '../../support/run/run-source.js';

/** Ten minutes: what waits for this deadline does not exit by itself within a test. */
const FOREVER_MS = 600_000;

/** Runs `body` in a separate process, where `tokens` is a token provider. The process ends when nothing keeps it alive. */
function run(provider: ProviderSimulator, token: TokenOptions, body: string): Promise<Ended> {
  const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
  const sandbox = {
    tokenUrl: provider.tokenUrl('easy', 'sandbox'),
    baseUrl: provider.baseUrl('easy', 'sandbox'),
    clientId,
    clientSecret,
  };
  const text = `
    import { Agent } from 'node:https';
    import { Logger } from '@nestjs/common';
    import { validateOptions } from './test/support/application/built-in.js';
    import { systemClock } from './lib/time/clock.js';
    import { createTokenProvider } from './lib/token/create-token-provider.js';
    Logger.overrideLogger(false);
    const { options, ca } = JSON.parse(process.env.TRIAL);
    const settings = await validateOptions({ ...options, http: { httpsAgent: new Agent({ ca }) } }, {});
    const tokens = createTokenProvider(settings.profiles[0], settings, systemClock);
    const passed = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    ${body}
  `;
  return runSource(text, {
    NODE_OPTIONS: '--unhandled-rejections=strict',
    TRIAL: JSON.stringify({
      ca: provider.ca,
      options: { environment: 'sandbox', interfaces: { easy: { sandbox } }, token },
    }),
  });
}

/** A provider whose first token lives for 2 s, and whose next token request gets no response. */
async function startWithHangingRenewal(): Promise<ProviderSimulator> {
  const provider = await startSimulator({ lifetimeSeconds: 2 });
  provider.token.next().regular();
  provider.token.hang();
  return provider;
}

const EXITED = { code: 0, stderr: '' };

describe('a process', () => {
  it('B9: exits by itself with renewing ahead on', async () => {
    const provider = await startSimulator();
    const ended = await run(
      provider,
      { renewAheadMs: 60_000 },
      `await tokens.getToken(); tokens.useIfValid(); console.log('done');`,
    );
    expect(ended).toEqual({ ...EXITED, stdout: 'done\n' });
  });

  it('B9: exits by itself in a cool-down', async () => {
    const provider = await startSimulator();
    provider.token.retryAfter(3_000);
    const ended = await run(
      provider,
      {},
      `await tokens.getToken().catch((error) => console.log(error.code)); await tokens.getToken().catch(() => {});`,
    );
    expect(ended).toEqual({ ...EXITED, stdout: 'TOKEN_UNAVAILABLE\n' });
  });

  it('B9: exits by itself at the deadline of a request that no caller waits for', async () => {
    const provider = await startWithHangingRenewal();
    const ended = await run(
      provider,
      { renewAheadMs: 60_000, timeoutMs: 500, maxAttempts: 1 },
      `await tokens.getToken(); await passed(1_500); tokens.useIfValid(); console.log(tokens.status().state);`,
    );
    expect(ended).toMatchObject(EXITED);
    expect(provider.tokenRequests).toHaveLength(2);
  });

  it('B9: exits by itself with a renewal under way when it is closed', async () => {
    const provider = await startWithHangingRenewal();
    const ended = await run(
      provider,
      { renewAheadMs: 60_000, timeoutMs: FOREVER_MS },
      `await tokens.getToken(); await passed(1_500); tokens.useIfValid(); await passed(200); tokens.close(); console.log('closed');`,
    );
    expect(ended).toEqual({ ...EXITED, stdout: 'closed\n' });
    expect(provider.tokenRequests).toHaveLength(2);
  });

  it('B9: lives as long as a caller waits for an answer', async () => {
    const provider = await startSimulator();
    provider.token.delay(700);
    const ended = await run(provider, {}, `void tokens.getToken().then(() => console.log('got it'));`);
    expect(ended).toEqual({ ...EXITED, stdout: 'got it\n' });
  });

  it('B9: lives as long as a caller waits for another attempt', async () => {
    const provider = await startSimulator();
    provider.token.next().retryAfter(1);
    const ended = await run(provider, {}, `void tokens.getToken().then(() => console.log('got it'));`);
    expect(ended).toEqual({ ...EXITED, stdout: 'got it\n' });
  });

  it('B9: lives as long as a caller waits for the deadline', async () => {
    const provider = await startSimulator();
    provider.token.hang();
    const ended = await run(
      provider,
      { timeoutMs: 500, maxAttempts: 1 },
      `void tokens.getToken().catch((error) => console.log(error.code));`,
    );
    expect(ended).toEqual({ ...EXITED, stdout: 'TOKEN_UNAVAILABLE\n' });
  });

  it('B9: lives as long as a caller waits for a renewal that began in the background', async () => {
    const provider = await startSimulator({ lifetimeSeconds: 2 });
    provider.token.next().regular();
    provider.token.after(3_000).lifetime(60);
    const ended = await run(
      provider,
      { renewAheadMs: 60_000, timeoutMs: 20_000 },
      `await tokens.getToken(); await passed(1_500); tokens.useIfValid(); await passed(600);
       void tokens.getToken().then(() => console.log('got it'));`,
    );
    expect(ended).toEqual({ ...EXITED, stdout: 'got it\n' });
  });

  it('B9: sees no unhandled rejection when renewing ahead fails, or a caller looks away', async () => {
    const provider = await startSimulator({ lifetimeSeconds: 2 });
    provider.token.next().regular();
    provider.token.refuse('invalid_client');
    const ended = await run(
      provider,
      { renewAheadMs: 60_000 },
      `const first = await tokens.getToken(); await passed(1_500); tokens.useIfValid(); await passed(700);
       void tokens.getToken(); void tokens.renew(first);
       await passed(100); console.log(tokens.status().state);`,
    );
    expect(ended).toEqual({ ...EXITED, stdout: 'failing\n' });
  });
});
