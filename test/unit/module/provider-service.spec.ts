import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { validateOptions } from '../../../lib/config/validate-options.js';
import { obtainTokensAtBoot, ProviderService } from '../../../lib/module/provider-service.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { systemClock } from '../../../lib/time/clock.js';
import type { TokenProvider } from '../../../lib/token/token-provider.js';
import { depotOptions, depotParts } from '../../support/application/depot.js';
import { settled } from '../../support/token/fake-clock.js';
import { errorOf, failureOf, tokenOf, Watched } from '../../support/token/token-fixtures.js';

/** A service whose tokens come from memory, and the pairs for which one was requested. */
async function serviceOf(further: object = {}, answer?: () => Promise<AccessToken>) {
  const { catalogue, httpServices } = depotParts();
  const settings = await validateOptions(catalogue, depotOptions(further), {});
  const asked: string[] = [];
  const service = new ProviderService(settings, {
    httpServices,
    endpointOf: (profile) => ({
      request: () => {
        asked.push(`${profile.interface} ${profile.environment}`);
        return answer?.() ?? Promise.resolve(tokenOf(systemClock, `token-${asked.length}`));
      },
    }),
    isMock: () => true,
  });
  onTestFinished(() => service.onApplicationShutdown());
  return { service, asked };
}

const placeOf = ({ interface: of, environment }: { interface: string; environment: string }): string =>
  `${of} ${environment}`;

describe('the service of a provider', () => {
  it('B29: counts a pair as in use if it is active, or was used', async () => {
    const { service, asked } = await serviceOf();
    const used = () => service.askedPairs.filter((client) => client.isInUse());
    expect(used().map(placeOf)).toEqual(['stock test']);
    await service.client('stock', 'live').tokens.getToken();
    expect(asked).toEqual(['stock live']);
    expect(used().map(placeOf)).toEqual(['stock test', 'stock live']);
    expect(used()[1]?.status()).toMatchObject({ state: 'valid', active: false });
  });

  it.each([['stok'], ['stock', 'prod'], ['constructor']])('B31: has no client of %s %s', async (...place) => {
    const { service } = await serviceOf();
    expect(() => service.client(...(place as [string, string?]))).toThrow(
      new TypeError('The catalogue of the provider has no such interface or environment.'),
    );
  });
});

describe('what the service does when Nest calls it', () => {
  it('B29: requests the tokens of active pairs once, although Nest may call twice', async () => {
    const { service, asked } = await serviceOf({ token: { atBoot: 'try' } });
    await Promise.all([service.onApplicationBootstrap(), service.onApplicationBootstrap()]);
    expect(asked).toEqual(['stock test']);
  });

  const [refused, bug] = [failureOf('TOKEN_REJECTED'), new TypeError('bug')];
  it.each([
    [
      'B29: require ends the boot with the error of the first pair that failed',
      'require',
      refused,
      failureOf(),
      refused,
    ],
    ['try ends the boot with a fault of this library', 'try', failureOf(), bug, bug],
  ] as const)('%s, once all have ended', async (_, atBoot, ofFirst, ofSecond, expected) => {
    const failures: ((error: unknown) => void)[] = [];
    const pair = { active: true, getToken: () => new Promise((_given, fail) => void failures.push(fail)) };
    const booted = new Watched(obtainTokensAtBoot([pair, pair] as unknown as TokenProvider[], atBoot));
    failures[1]?.(ofSecond);
    await settled();
    expect(booted.state).toBe('waiting');
    failures[0]?.(ofFirst);
    await settled();
    expect(booted).toMatchObject({ state: 'failed', error: expected });
  });

  it('B35: asks for no token after a boot that failed, even if something asks for its state', async () => {
    const { service, asked } = await serviceOf({ token: { atBoot: 'require', maxAttempts: 1 } }, () =>
      Promise.reject(failureOf()),
    );
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    await errorOf(service.onApplicationBootstrap());
    expect(service.status()[0]).toMatchObject({ state: 'failing' });
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    service.status();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toEqual(['stock test']);
  });

  it('B9: ends work in the background first, and closes all clients at the end', async () => {
    const { service } = await serviceOf();
    const clients = service.askedPairs;
    const ends = clients.map((client) => vi.spyOn(client, 'endBackgroundWork'));
    const closings = clients.map((client) => vi.spyOn(client, 'close'));
    service.onModuleDestroy();
    for (const end of ends) expect(end).toHaveBeenCalledOnce();
    for (const close of closings) expect(close).not.toHaveBeenCalled();
    // Other modules can still make calls while they close.
    expect((await service.client('stock').tokens.getToken()).reveal()).toBe('token-1');
    await service.onApplicationShutdown();
    for (const close of closings) expect(close).toHaveBeenCalledOnce();
  });
});
