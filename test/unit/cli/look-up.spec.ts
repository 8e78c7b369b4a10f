import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Check } from '../../../lib/cli/step.js';
import { dns } from '../../../lib/cli/steps/dns.js';
import { validateOptions } from '../../support/application/built-in.js';
import { rightOptions } from '../../support/secrets/config-canaries.js';
import { profileOf } from '../../support/token/token-fixtures.js';

const PATIENT_MS = 60_000;

async function checkOf(host: string, timeoutMs: number): Promise<Check> {
  const settings = await validateOptions(rightOptions(), {});
  return {
    profile: profileOf(),
    settings: { ...settings, token: { ...settings.token, timeoutMs } },
    destinations: {
      tokenUrl: { host, port: 443, isProxy: false },
      baseUrl: { host, port: 443, isProxy: false },
    },
    baseUrls: [],
    probe: undefined,
  };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the look-up of a host', { timeout: 2 * PATIENT_MS }, () => {
  it('finds the addresses that the system knows, and starts no look-up in this process, which would delay its exit', async () => {
    const finding = Promise.resolve(dns.run(await checkOf('localhost', PATIENT_MS)));
    expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
    expect(await finding).toMatchObject({
      status: 'ok',
      facts: { addresses: expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]) },
    });
  });

  it('is cancelled when it takes too long', async () => {
    expect(await dns.run(await checkOf('localhost', 1))).toMatchObject({
      status: 'failed',
      code: 'ETIMEDOUT',
    });
    await expect
      .poll(() => process.getActiveResourcesInfo(), { timeout: PATIENT_MS })
      .not.toContain('ProcessWrap');
  });

  it("returns Node's code if there is no address", async () => {
    expect(await dns.run(await checkOf('no-such-host.invalid', PATIENT_MS))).toMatchObject({
      status: 'failed',
      code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
    });
  });

  it('does not use the options of this process', async () => {
    vi.stubEnv('NODE_OPTIONS', '--require ./no-such-file.cjs');
    expect(await dns.run(await checkOf('localhost', PATIENT_MS))).toMatchObject({ status: 'ok' });
  });

  it('returns the duration of the look-up, without the start of the process', async () => {
    const started = performance.now();
    const { durationMs = Number.NaN } = await dns.run(await checkOf('localhost', PATIENT_MS));
    // No machine starts Node faster.
    expect(performance.now() - started - durationMs).toBeGreaterThan(10);
  });
});
