import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  EasyHttpService,
  ProviderAuthModule,
  type ProviderAuthOptions,
  ProviderAuthService,
} from '../../../lib/index.js';
import { ProviderAuthTestingModule, type ProviderSimulator } from '../../../lib/testing/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { startSimulator } from '../../support/application/simulator.js';
import { errorOf } from '../../support/token/token-fixtures.js';

type FakeTimers = NonNullable<Parameters<typeof vi.useFakeTimers>[0]>;

/** What users fake. Without settings, Vitest fakes everything except `nextTick` and `queueMicrotask`. */
const FAKED: readonly (readonly [string, FakeTimers])[] = [
  ['everything', {}],
  ['timers and Date', { toFake: ['setTimeout', 'clearTimeout', 'Date'] }],
];

afterEach(() => void vi.useRealTimers());

async function appWith(imports: Parameters<typeof Test.createTestingModule>[0]['imports']) {
  const app = await Test.createTestingModule({ imports: imports ?? [] }).compile();
  await app.init();
  onTestFinished(() => app.close());
  const states = () =>
    app
      .get(ProviderAuthService)
      .status()
      .map(({ state }) => state);
  return { easy: app.get(EasyHttpService), states };
}

/** Moves the fake clock until a call has ended that waits between its attempts. */
async function advanceUntilEnded<Result>(call: Promise<Result>): Promise<Result> {
  const state = { hasEnded: false };
  const ended = call.finally(() => (state.hasEnded = true));
  while (!state.hasEnded) await vi.advanceTimersByTimeAsync(100);
  return ended;
}

describe.each(FAKED)('B26: ProviderAuthTestingModule with fake timers: %s', (_, settings) => {
  it('B26: calls work, also a day later, and time out when the test says so', async () => {
    vi.useFakeTimers(settings);
    const { easy } = await appWith([ProviderAuthTestingModule.forRoot()]);
    easy.axiosRef.defaults.adapter = async (config) =>
      config.url === '/slow'
        ? new Promise<never>(() => {})
        : { status: 200, statusText: 'OK', headers: {}, data: '', config };
    expect((await easy.axiosRef.get('/payments')).status).toBe(200);
    expect((await easy.fetch('/payments')).status).toBe(200);
    vi.setSystemTime(Date.now() + 86_400_000);
    expect((await easy.axiosRef.get('/payments')).status).toBe(200);

    const slow = errorOf(easy.axiosRef.get('/slow', { timeout: 1_000 }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await slow).toMatchObject({ message: 'timeout of 1000ms exceeded' });
  });
});

describe.each(['axios', 'undici'])('B26: ProviderSimulator with fake timers: by %s', (transport) => {
  const optionsOf = (provider: ProviderSimulator): ProviderAuthOptions =>
    transport === 'axios' ? provider.options() : provider.options({ http: { transport: undiciTransport() } });

  it.each(FAKED)(
    'B26: tokens expire and calls time out by the clock of the test: %s',
    async (_, settings) => {
      vi.useFakeTimers(settings);
      const provider = await startSimulator({ lifetimeSeconds: 3_600 });
      const { easy, states } = await appWith([ProviderAuthModule.forRoot(optionsOf(provider))]);
      expect((await easy.axiosRef.get('/payments')).status).toBe(200);
      expect(await (await easy.fetch('/payments')).json()).toMatchObject({ path: '/payments' });
      expect(provider.tokenRequests).toHaveLength(1);

      vi.setSystemTime(Date.now() + 3_601_000);
      expect(states()).toContain('expired');
      expect((await easy.axiosRef.get('/payments')).status).toBe(200);
      expect(provider.tokenRequests).toHaveLength(2);

      provider.api.hang();
      const slow = errorOf(easy.axiosRef.get('/slow', { timeout: 1_000 }));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await slow).toMatchObject({ message: 'timeout of 1000ms exceeded' });
    },
  );

  it.each(FAKED)('B26: the pause before a retry ends by the clock of the test: %s', async (_, settings) => {
    const provider = await startSimulator();
    const { easy } = await appWith([ProviderAuthModule.forRoot(optionsOf(provider))]);
    provider.token.next(2).status(503);
    vi.useFakeTimers(settings);
    expect((await advanceUntilEnded(easy.axiosRef.get('/payments'))).status).toBe(200);
    expect(provider.tokenRequests).toHaveLength(3);
  });
});
