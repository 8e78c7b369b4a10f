import { AxiosError, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Settings } from '../../../lib/config/options/profile.js';
import { validateOptions } from '../../../lib/config/validate-options.js';
import { type ClientParts, connect, unconfigured } from '../../../lib/module/client.js';
import { systemClock } from '../../../lib/time/clock.js';
import { depotOptions, depotParts } from '../../support/application/depot.js';
import { errorOf, tokenOf } from '../../support/token/token-fixtures.js';

const DOUBLES: ClientParts = {
  endpointOf: () => ({ request: () => Promise.resolve(tokenOf(systemClock, 'token-1')) }),
  isMock: () => true,
};

const notFound = (config: InternalAxiosRequestConfig): AxiosError =>
  new AxiosError('getaddrinfo ENOTFOUND stock.test.example', 'ENOTFOUND', config);
const unreachable = (config: InternalAxiosRequestConfig) => Promise.reject(notFound(config));

const settingsOf = (further: object = {}): Promise<Settings> =>
  validateOptions(depotParts().catalogue, depotOptions(further), {});

async function connected(further: object = {}, tls?: object) {
  const settings = await settingsOf(further);
  const [profile] = settings.profiles;
  if (profile === undefined) throw new TypeError('There is no profile.');
  const client = connect({ ...profile, ...(tls && { tls: tls as never }) }, settings, systemClock, DOUBLES);
  onTestFinished(async () => {
    client.endBackgroundWork();
    await client.close();
  });
  return client;
}

describe('the client of a pair', () => {
  it('B29: shows when the client certificate expires, and looks for a new one only in use', async () => {
    const tls = { endsAt: new Date('2027-01-01'), look: vi.fn<(afterMs: number) => void>() };
    const client = await connected({}, tls);
    expect(client.status().certificateEndsAt).toBe(tls.endsAt);
    // An active pair is always in use.
    expect(tls.look.mock.calls).toEqual([[3_600_000]]);
  });

  it('B14: opens the connection of a transport at boot, with the place of the pair, and closes it at the end', async () => {
    const close = vi.fn<() => Promise<void>>(() => Promise.resolve());
    const open = vi.fn<(pair: unknown) => object>(() => ({ close }));
    const client = await connected({ http: { transport: { open } } });
    const place = { provider: 'depot', interface: 'stock', environment: 'test' };
    expect(open.mock.calls).toEqual([[expect.objectContaining(place)]]);
    await client.close();
    expect(close).toHaveBeenCalledOnce();
    expect(open).toHaveBeenCalledOnce();
  });
});

const PAIR = { interface: 'bankOrders', environment: 'live', provider: 'depot' };

it('S7 C4: the client of a pair without settings sends nothing, also by an adapter of the caller, and each use names the missing settings', async () => {
  const client = unconfigured(PAIR, await settingsOf());
  const uses = [
    client.tokens.getToken(),
    client.http.axiosRef.get('https://any.example/x'),
    client.http.axiosRef.get('https://any.example/x', { adapter: unreachable }),
    client.http.fetch('/x'),
  ];
  for (const use of uses)
    expect(await errorOf(use)).toMatchObject({
      code: 'NOT_CONFIGURED',
      problems: expect.arrayContaining([
        expect.objectContaining({ path: 'interfaces.bankOrders.live.clientSecret' }),
      ]),
    });
  expect(client.tokens.status().state).toBe('empty');
});
