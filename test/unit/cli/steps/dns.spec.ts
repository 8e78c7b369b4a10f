import childProcess, { type ChildProcess } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Check } from '../../../../lib/cli/step.js';
import { apiDns, dns } from '../../../../lib/cli/steps/dns.js';
import { remedyOf, type Trouble } from '../../../../lib/errors/remedies.js';
import { checkTo } from '../../../support/application/doctor-check.js';
import { replaceBuiltIn } from '../../../support/application/replaced-builtin.js';
import { profileOf } from '../../../support/token/token-fixtures.js';

const profile = profileOf();

function lookingFor(host: string, timeoutMs = 5_000, isProxy = false): Check {
  const check = checkTo({ host, isProxy, timeoutMs }, { profile });
  const baseUrl = { host: 'elsewhere.invalid', port: 443, isProxy: false };
  return { ...check, destinations: { ...check.destinations, baseUrl } };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

type Answer = (error: Error | null, stdout?: string) => void;

/** No process is started. `answer` gets what would be called at its end. */
function withoutProcess(answer: (done: Answer) => void) {
  const started: unknown[] = [];
  const kill = vi.fn<(signal: string) => boolean>(() => true);
  const execFile = (...args: unknown[]): Partial<ChildProcess> => {
    const done = args.pop() as Answer;
    started.push(args);
    queueMicrotask(() => answer(done));
    return { kill: kill as never };
  };
  replaceBuiltIn(childProcess, { execFile: execFile as typeof childProcess.execFile });
  return { started, kill };
}

const printed =
  (result: object) =>
  (done: Answer): void =>
    done(null, `${JSON.stringify(result)}\n`);

describe('the step about DNS', () => {
  it.each(['127.0.0.1', '::1'])('looks nothing up for an IP address: %s', async (host) => {
    const { started } = withoutProcess(() => undefined);
    expect(await dns.run(lookingFor(host))).toEqual({
      status: 'ok',
      detail: `${host} is an IP address: nothing to look up`,
    });
    expect(started).toEqual([]);
  });

  it('reports all addresses and the duration', async () => {
    const addresses = ['203.0.113.7', '2001:db8::7'];
    const { started, kill } = withoutProcess(printed({ addresses, durationMs: 3.5 }));
    vi.stubEnv('NODE_OPTIONS', '--inspect-brk');
    expect(await dns.run(lookingFor('provider.example'))).toEqual({
      status: 'ok',
      detail: 'provider.example is 203.0.113.7, 2001:db8::7',
      facts: { host: 'provider.example', addresses },
      durationMs: 3.5,
    });
    expect(started).toEqual([
      [
        process.execPath,
        ['--eval', expect.stringContaining("require('node:dns').lookup("), '--', 'provider.example'],
        { env: { ...process.env, NODE_OPTIONS: '' } },
      ],
    ]);
    expect(kill).not.toHaveBeenCalled();
  });

  it.each<[string, boolean, Trouble]>([
    ['ENOTFOUND', false, 'unknown-host'],
    ['EAI_AGAIN', false, 'name-server'],
    ['ESOMETHING', false, 'name-server'],
    ['ENOTFOUND', true, 'proxy'],
  ])('fails with the code %s, behind a proxy: %s', async (code, isProxy, trouble) => {
    withoutProcess(printed({ code, addresses: [], durationMs: 2 }));
    expect(await dns.run(lookingFor('provider.example', 5_000, isProxy))).toEqual({
      status: 'failed',
      detail: `provider.example is not found (${code})`,
      code,
      advice: remedyOf(trouble, profile, 'tokenUrl'),
      facts: { host: 'provider.example' },
      durationMs: 2,
    });
  });

  it.each([
    [Object.assign(new Error('no Node'), { code: 'ENOENT' }), 'ENOENT'],
    [new Error('something'), 'UNKNOWN'],
  ])('fails if the process for the look-up fails: %s', async (error, code) => {
    withoutProcess((done) => done(error));
    expect(await dns.run(lookingFor('provider.example'))).toEqual({
      status: 'failed',
      detail: `provider.example is not found (${code})`,
      code,
      advice: remedyOf('name-server', profile, 'tokenUrl'),
      facts: { host: 'provider.example' },
    });
  });

  it('says that no answer came in time, and ends the process for the look-up', async () => {
    const { kill } = withoutProcess(() => undefined);
    expect(await dns.run(lookingFor('provider.example', 5))).toEqual({
      status: 'failed',
      detail: 'no DNS answer for provider.example (ETIMEDOUT)',
      code: 'ETIMEDOUT',
      advice: remedyOf('name-server', profile, 'tokenUrl'),
      facts: { host: 'provider.example' },
    });
    expect(kill.mock.calls).toEqual([['SIGKILL']]);
  });

  it('is for the token URL, and for the base URL with its own name', () => {
    expect([dns.name, apiDns.name]).toEqual(['dns', 'api-dns']);
  });
});

/** For processes on a busy machine. */
const PATIENT_MS = 60_000;

describe('the look-up of a host', { timeout: 2 * PATIENT_MS }, () => {
  it('finds the addresses that the system knows, and starts no look-up in this process, which would delay its exit', async () => {
    const finding = Promise.resolve(dns.run(lookingFor('localhost', PATIENT_MS)));
    expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
    expect(await finding).toMatchObject({
      status: 'ok',
      facts: { addresses: expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]) },
    });
  });

  it('is cancelled when it takes too long', async () => {
    expect(await dns.run(lookingFor('localhost', 1))).toMatchObject({
      status: 'failed',
      code: 'ETIMEDOUT',
    });
    await expect
      .poll(() => process.getActiveResourcesInfo(), { timeout: PATIENT_MS })
      .not.toContain('ProcessWrap');
  });

  it("returns Node's code if there is no address", async () => {
    expect(await dns.run(lookingFor('no-such-host.invalid', PATIENT_MS))).toMatchObject({
      status: 'failed',
      code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
    });
  });

  it('does not use the options of this process', async () => {
    vi.stubEnv('NODE_OPTIONS', '--require ./no-such-file.cjs');
    expect(await dns.run(lookingFor('localhost', PATIENT_MS))).toMatchObject({ status: 'ok' });
  });

  it('returns the duration of the look-up, without the start of the process', async () => {
    const started = performance.now();
    const { durationMs = Number.NaN } = await dns.run(lookingFor('localhost', PATIENT_MS));
    // No machine starts Node faster.
    expect(performance.now() - started - durationMs).toBeGreaterThan(10);
  });
});
