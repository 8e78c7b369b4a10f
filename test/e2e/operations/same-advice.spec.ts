import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readEnvironmentVariables, TRUST_PRIVATE_AUTHORITY } from '../../support/application/built-in.js';
import { trustPrivateAuthority } from '../../../lib/errors/troubles.js';
import type { ProviderAuthOptions } from '../../../lib/index.js';
import type { ProviderSimulator, ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import { consult, leaksIn } from '../../support/application/doctor.js';
import { filesOf } from '../../support/http/client-certificates.js';
import { given, type RunningApp } from '../../support/http/given.js';
import { runs } from '../../support/run/runs.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const TOKEN_URL = 'PROVIDER_EASY_SANDBOX_TOKEN_URL';
const CLIENT_ID = 'PROVIDER_EASY_SANDBOX_CLIENT_ID';
const SECRET = 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET';
const BASE_URL = 'PROVIDER_EASY_SANDBOX_BASE_URL';
const EASY_SANDBOX = ['--interface', 'easy', '--environment', 'sandbox', '--json'];

type Variables = Readonly<Record<string, string | undefined>>;

interface Trouble {
  readonly simulator?: ProviderSimulatorOptions;
  readonly script?: (provider: ProviderSimulator) => void;
  readonly env?: (provider: ProviderSimulator) => Variables;
  /** Whether the application and the doctor know the authority of the provider. */
  readonly untrusting?: boolean;
  /** What each report must name. */
  readonly names: readonly string[];
}

const TROUBLES: Record<string, Trouble> = {
  'refused credentials': { env: () => ({ [SECRET]: 'wrong' }), names: [CLIENT_ID, SECRET] },
  'a secret in quotes': {
    env: () => ({ [SECRET]: '"quoted"' }),
    names: [`The value of ${SECRET} is in quotes`],
  },
  'the secret of the other environment': {
    env: (provider) => ({ [SECRET]: provider.credentials('easy', 'production').clientSecret }),
    names: [`${SECRET} has the same value as PROVIDER_EASY_PRODUCTION_CLIENT_SECRET.`, CLIENT_ID, SECRET],
  },
  'a missing right': {
    script: (provider) => provider.token.refuse('unauthorized_client'),
    names: [CLIENT_ID, 'grant client_credentials'],
  },
  'a wrong path': {
    env: ({ origin }) => ({ [TOKEN_URL]: `${origin}/elsewhere/auth/v0/connect/token` }),
    names: [TOKEN_URL],
  },
  'an untrusted certificate': {
    untrusting: true,
    names: [trustPrivateAuthority('PROVIDER_EASY_SANDBOX_CA_FILE'), 'Waiting does not help.'],
  },
  'an expired certificate': {
    simulator: { certificate: 'expired' },
    names: ['Report this to the provider', 'Waiting does not help.'],
  },
  'a certificate for another host': {
    simulator: { certificate: 'wrong-host' },
    names: [TOKEN_URL, 'Waiting does not help.'],
  },
  'an unknown host': {
    env: () => ({ [TOKEN_URL]: 'https://no-such-host.invalid/auth/v0/connect/token' }),
    // Without a name server, no program can know that the host does not exist.
    names: ['name server'],
  },
  'a refused connection': {
    env: () => ({ [TOKEN_URL]: 'https://127.0.0.1:1/auth/v0/connect/token' }),
    names: [TOKEN_URL, 'No server listens there'],
  },
  'a proxy that is not there': {
    env: () => ({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: undefined, no_proxy: undefined }),
    untrusting: true,
    names: ['HTTPS_PROXY', 'NO_PROXY'],
  },
  'an endpoint that speaks no HTTP': {
    script: (provider) => provider.token.garbage(),
    names: [TOKEN_URL, 'does not speak HTTP'],
  },
  'a connection that breaks off': { script: (provider) => provider.token.reset(), names: [TOKEN_URL] },
  'an endpoint that never answers': {
    script: (provider) => provider.token.hang(),
    names: ['raise token.timeoutMs'],
  },
  'a redirect': {
    script: (provider) => provider.token.redirect('https://elsewhere.invalid/oauth/token'),
    names: [TOKEN_URL, 'to the final address'],
  },
  'an answer in HTML': {
    script: (provider) => provider.token.body('<html>Please log in</html>'),
    names: [TOKEN_URL, 'a login page may answer'],
  },
  'a provider in trouble': {
    script: (provider) => provider.token.status(503),
    names: ['Wait for the provider'],
  },
};

/** Each trouble needs a process, so `npm test` has one of each kind: configuration, DNS and TLS, connection, answer. */
const FIRST = ['a secret in quotes', 'an untrusted certificate', 'a refused connection', 'an answer in HTML'];
const PLAYED = [...new Set([...FIRST, ...Object.keys(TROUBLES)])].slice(0, runs(FIRST.length));

/** An application that reads its options from these variables. */
function configured(
  provider: ProviderSimulator,
  { env = () => ({}), untrusting = false }: Pick<Trouble, 'env' | 'untrusting'>,
): ProviderAuthOptions {
  const { HTTPS_PROXY, ...variables } = env(provider);
  if (HTTPS_PROXY !== undefined) {
    vi.stubEnv('HTTPS_PROXY', HTTPS_PROXY);
    for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, undefined);
  }
  const trusting = untrusting ? {} : { PROVIDER_EASY_SANDBOX_CA_FILE: filesOf({ ca: provider.ca }).ca };
  return {
    ...(readEnvironmentVariables({ ...provider.env(), ...trusting, ...variables }) as ProviderAuthOptions),
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
  it.each(PLAYED)('B29: for %s', async (name) => {
    const trouble = TROUBLES[name] ?? { names: [] };
    const { simulator = {}, script = () => {}, env = () => ({}), untrusting, names } = trouble;
    const running = await given()
      .simulator(simulator, script)
      .app((provider) => configured(provider, trouble))
      .start();
    const reports = await reportsAtRunTime(running);
    vi.unstubAllEnvs();
    const { provider } = running;
    const { code, report, output } = await consult(provider, {
      args: EASY_SANDBOX,
      env: { ...env(provider), ...(untrusting === true && { NODE_EXTRA_CA_CERTS: undefined }) },
    });
    expect(code).toBe(1);
    const [advice = ''] =
      report.results[0]?.steps.flatMap((step) => (step.status === 'failed' ? [step.advice ?? ''] : [])) ?? [];
    for (const name of names) expect(advice).toContain(name);
    for (const text of reports) expect(text).toContain(advice);
    expect(leaksIn(output + reports.join(), provider)).toEqual([]);
  });

  it('B29: for a base URL of another environment', async () => {
    const env = swappedBaseUrls;
    const { easy, logs, provider } = await given()
      .simulator({})
      .app((started) => configured(started, { env }))
      .start();
    for (let calls = 0; calls < 2; calls += 1)
      await expect(firstValueFrom(easy.get('/payments'))).rejects.toMatchObject({
        response: { status: 401 },
      });
    const [warning = ''] = logs.of('ProviderAuth').filter((line) => line.startsWith('warn '));
    const remedy =
      /Set the base URL \(PROVIDER_EASY_SANDBOX_BASE_URL\).*(?= \(RENEWALS_PAUSED)/.exec(warning)?.[0] ??
      'nothing';
    expect(remedy).toContain(CLIENT_ID);
    const { report } = await consult(provider, { args: EASY_SANDBOX, env: env(provider) });
    expect(report.results[0]?.steps.find(({ name }) => name === 'claims')?.advice).toContain(remedy);
    provider.token.members({ access_token: 'opaque' });
    const probed = await consult(provider, {
      args: [...EASY_SANDBOX, '--probe', '/payments'],
      env: env(provider),
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
        const read = configured(provider, {});
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
      .app((provider) =>
        configured(provider, { env: () => ({ [SECRET]: undefined, [`${SECRET}_FILE`]: file }) }),
      )
      .start();
    for (const text of await reportsAtRunTime(running)) {
      expect(text).toContain(`The value of ${SECRET}_FILE is in quotes: remove them.`);
      expect(text).not.toContain(folder);
    }
    rmSync(file);
    const { tokens } = await given()
      .app((provider) => {
        writeFileSync(file, 'there at boot');
        return configured(provider, { env: () => ({ [SECRET]: undefined, [`${SECRET}_FILE`]: file }) });
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
          return configured(provider, { untrusting: true });
        })
        .start(),
    );
    expect(error).toHaveProperty('message', expect.stringContaining(TRUST_PRIVATE_AUTHORITY));
  });
});
