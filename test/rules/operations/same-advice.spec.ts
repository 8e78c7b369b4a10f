import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readEnvironmentVariables, TRUST_PRIVATE_AUTHORITY } from '../../support/application/built-in.js';
import type { ProviderAuthOptions } from '../../../lib/index.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { consult } from '../../support/application/doctor.js';
import { filesOf } from '../../support/http/client-certificates.js';
import { given, type RunningApp } from '../../support/http/given.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const CLIENT_ID = 'PROVIDER_EASY_SANDBOX_CLIENT_ID';
const SECRET = 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET';
const BASE_URL = 'PROVIDER_EASY_SANDBOX_BASE_URL';
const EASY_SANDBOX = ['--interface', 'easy', '--environment', 'sandbox', '--json'];

type Variables = Readonly<Record<string, string | undefined>>;

/** An application that reads its options from these variables. */
function configured(
  provider: ProviderSimulator,
  env: Variables = {},
  untrusting = false,
): ProviderAuthOptions {
  const trusting = untrusting ? {} : { PROVIDER_EASY_SANDBOX_CA_FILE: filesOf({ ca: provider.ca }).ca };
  return {
    ...(readEnvironmentVariables({ ...provider.env(), ...trusting, ...env }) as ProviderAuthOptions),
    token: { maxAttempts: 1 },
  };
}

/** All reports of a failed token request in a running application: the error, the log line and the status. */
async function reportsAtRunTime({ tokens, status, logs }: RunningApp): Promise<string[]> {
  const error = await errorOf(tokens.getToken());
  const [line] = logs.of('ProviderAuth').filter((one) => one.startsWith('error '));
  const known = status.status().find(({ state }) => state === 'failing');
  return [error instanceof Error ? error.message : '', line ?? '', known?.lastError?.message ?? ''];
}

function swappedBaseUrls(provider: ProviderSimulator): Variables {
  return {
    [BASE_URL]: provider.baseUrl('easy', 'production'),
    PROVIDER_EASY_PRODUCTION_BASE_URL: provider.baseUrl('easy', 'sandbox'),
  };
}

describe('B29: run time and doctor give the same advice', () => {
  it('B29: for a base URL of another environment', async () => {
    const { easy, logs, provider } = await given()
      .simulator({})
      .app((started) => configured(started, swappedBaseUrls(started)))
      .start();
    const env = swappedBaseUrls(provider);
    for (let calls = 0; calls < 2; calls += 1)
      await expect(firstValueFrom(easy.get('/payments'))).rejects.toMatchObject({
        response: { status: 401 },
      });
    const [warning = ''] = logs.of('ProviderAuth').filter((line) => line.startsWith('warn '));
    const remedy =
      /Set the base URL \(PROVIDER_EASY_SANDBOX_BASE_URL\).*(?= \(RENEWALS_PAUSED)/.exec(warning)?.[0] ??
      'nothing';
    expect(remedy).toContain(CLIENT_ID);
    const { report } = await consult(provider, { args: EASY_SANDBOX, env });
    expect(report.results[0]?.steps.find(({ name }) => name === 'claims')?.advice).toContain(remedy);
    provider.token.members({ access_token: 'opaque' });
    const probed = await consult(provider, {
      args: [...EASY_SANDBOX, '--probe', '/payments'],
      env,
    });
    expect(probed.report.results[0]?.steps.find(({ name }) => name === 'probe')?.advice).toBe(remedy);
  });

  it('B29: names the path of an option that came from code', async () => {
    const running = await given()
      .simulator({}, (provider) => void provider.rotateSecret('easy', 'sandbox'))
      .app((provider) => {
        const options = provider.options({ token: { maxAttempts: 1 } });
        provider.rotateSecret('easy', 'sandbox');
        return options;
      })
      .start();
    for (const text of await reportsAtRunTime(running))
      expect(text).toContain(
        'Check interfaces.easy.sandbox.clientId and interfaces.easy.sandbox.clientSecret: both must belong to easy sandbox',
      );
  });

  it('B29: names the option, not the variable, if code has replaced the value of the variable', async () => {
    const running = await given()
      .app((provider) => {
        const read = configured(provider);
        const { easy } = read.interfaces;
        const sandbox = { ...easy?.sandbox, clientSecret: 'another' } as NonNullable<typeof easy>['sandbox'];
        return {
          ...read,
          interfaces: { ...read.interfaces, easy: { ...easy, sandbox } },
        };
      })
      .start();
    const [message] = await reportsAtRunTime(running);
    expect(message).toContain(`Check ${CLIENT_ID} and interfaces.easy.sandbox.clientSecret: `);
  });

  it('B29: names the variable of the file that a secret came from', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'provider-auth-secret-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'secret');
    writeFileSync(file, "'wrong'\n");
    const running = await given()
      .app((provider) => configured(provider, { [SECRET]: undefined, [`${SECRET}_FILE`]: file }))
      .start();
    for (const text of await reportsAtRunTime(running)) {
      expect(text).toContain(`The value of ${SECRET}_FILE is in quotes: remove them.`);
      expect(text).not.toContain(folder);
    }
    rmSync(file);
    const { tokens } = await given()
      .app((provider) => {
        writeFileSync(file, 'there at boot');
        return configured(provider, { [SECRET]: undefined, [`${SECRET}_FILE`]: file });
      })
      .start();
    rmSync(file);
    expect(await errorOf(tokens.getToken())).toHaveProperty(
      'message',
      expect.stringContaining(`${SECRET}_FILE names a file that does not exist`),
    );
  });

  it('B29: boot, errors and advice say with the same words how to trust a private authority', async () => {
    const error = await errorOf(
      given()
        .app((provider) => {
          vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
          return configured(provider, {}, true);
        })
        .start(),
    );
    expect(error).toHaveProperty('message', expect.stringContaining(TRUST_PRIVATE_AUTHORITY));
  });
});
