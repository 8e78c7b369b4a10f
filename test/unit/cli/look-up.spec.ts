import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Check } from '../../../lib/cli/step.js';
import { dns } from '../../../lib/cli/steps/dns.js';
import { validateOptions } from '../../../lib/config/validate-options.js';
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
  it('finds what the system knows, and leaves no look-up in this process that would hold its exit', async () => {
    const finding = Promise.resolve(dns.run(await checkOf('localhost', PATIENT_MS)));
    expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
    expect(await finding).toMatchObject({
      status: 'ok',
      facts: { addresses: expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]) },
    });
  });

  it('is given up, and ended, when it takes too long', async () => {
    expect(await dns.run(await checkOf('localhost', 1))).toMatchObject({
      status: 'failed',
      code: 'ETIMEDOUT',
    });
    await expect
      .poll(() => process.getActiveResourcesInfo(), { timeout: PATIENT_MS })
      .not.toContain('ProcessWrap');
  });

  it("tells Node's code where there is no address", async () => {
    expect(await dns.run(await checkOf('no-such-host.invalid', PATIENT_MS))).toMatchObject({
      status: 'failed',
      code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
    });
  });

  it('is untouched by the options of this process', async () => {
    vi.stubEnv('NODE_OPTIONS', '--require ./no-such-file.cjs');
    expect(await dns.run(await checkOf('localhost', PATIENT_MS))).toMatchObject({ status: 'ok' });
  });

  it('tells how long the system took, not how long a process takes to start', async () => {
    const started = performance.now();
    const { durationMs = Number.NaN } = await dns.run(await checkOf('localhost', PATIENT_MS));
    // No machine starts Node in less.
    expect(performance.now() - started - durationMs).toBeGreaterThan(10);
  });
});
