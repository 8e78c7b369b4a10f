import { describe, expect, it } from 'vitest';
import { consult, leaksIn } from '../../support/application/doctor.js';
import { startSimulator } from '../../support/application/simulator.js';
import { EASY_SANDBOX, itNamesTheStep, TOKEN_URL, type Trouble } from './doctor-cases.js';

/** One case for each step that can fail. `doctor-troubles.spec.ts` has other certificates, `unit/cli/steps` the other cases. */
const TROUBLES: Record<string, Trouble> = {
  'a wrong secret': {
    env: () => ({ PROVIDER_EASY_SANDBOX_CLIENT_SECRET: 'not-the-right-secret' }),
    step: 'token-request',
    code: 'TOKEN_REJECTED',
    says: [
      /status 401 \(invalid_client\)/,
      /Check PROVIDER_EASY_SANDBOX_CLIENT_ID and PROVIDER_EASY_SANDBOX_CLIENT_SECRET/,
    ],
  },
  'a certificate of an unknown issuer': {
    env: () => ({ NODE_EXTRA_CA_CERTS: undefined }),
    step: 'tls',
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    says: [
      /issued by Provider Simulator CA, is not trusted/,
      /set PROVIDER_EASY_SANDBOX_CA_FILE to its PEM file/,
    ],
  },
  'a host without an address': {
    env: () => ({ [TOKEN_URL]: 'https://no-such-host.invalid/auth/v0/connect/token' }),
    step: 'dns',
    // On a machine without a name server, the second text is printed.
    code: 'ENOTFOUND|EAI_AGAIN',
    says: [/no-such-host\.invalid is not found/, /Check/],
  },
  'a refused connection': {
    env: () => ({ [TOKEN_URL]: 'https://127.0.0.1:1/auth/v0/connect/token' }),
    step: 'tcp',
    code: 'ECONNREFUSED',
    says: [/no connection to 127\.0\.0\.1:1/, /No server listens there/],
  },
};

describe('provider-auth doctor', () => {
  it('runs all steps for each configured pair, and exits with 0 if all pairs give tokens', async () => {
    const provider = await startSimulator();
    const { code, stdout } = await consult(provider);
    expect(code).toBe(0);
    for (const pair of [
      'originations sandbox active',
      'originations production',
      'easy sandbox active',
      'easy production',
    ])
      expect(stdout).toContain(`\n${pair}`.slice(stdout.startsWith(pair) ? 1 : 0));
    expect(
      stdout.match(/✔ TLS .* ms {2}TLSv1\.3, issued by Provider Simulator CA, \d+ days left/g),
    ).toHaveLength(4);
    expect(stdout.match(/✔ lifetime .*3600 s/g)).toHaveLength(4);
    expect(stdout.match(/✔ claims .*iss https:.*, aud https:.*, exp 20/g)).toHaveLength(4);
    expect(stdout).not.toContain('✘');
    expect(stdout.trimEnd().endsWith('4 of 4 give a token and reach their API.')).toBe(true);
    expect(provider.tokenRequests).toHaveLength(4);
  });

  it('checks only the chosen interface and environment', async () => {
    const provider = await startSimulator();
    const { code, report } = await consult(provider, { args: ['--interface', 'easy', '--json'] });
    expect(code).toBe(0);
    expect(report.results.map(({ interface: name, environment }) => `${name} ${environment}`)).toEqual([
      'easy sandbox',
      'easy production',
    ]);
    expect(provider.tokenRequests.map((request) => request.interface)).toEqual(['easy', 'easy']);
  });

  itNamesTheStep(TROUBLES);

  it('C4: lists every problem of the configuration and still checks the pairs that are right', async () => {
    const provider = await startSimulator();
    const env = {
      PROVIDER_EASY_SANDBOX_CLIENT_SECRET: undefined,
      PROVIDER_EASY_PRODUCTION_BASE_URL: 'http://api.example.com/easy',
    };
    const { code, stdout, output } = await consult(provider, { env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✘ PROVIDER_EASY_SANDBOX_CLIENT_SECRET +is missing/);
    expect(stdout).toMatch(/✘ PROVIDER_EASY_PRODUCTION_BASE_URL +is not https/);
    expect(stdout).toMatch(/easy sandbox.*\n +✘ configuration/);
    expect(
      stdout.trimEnd().endsWith('2 problems in the configuration. 2 of 4 give a token and reach their API.'),
    ).toBe(true);
    expect(provider.tokenRequests.map((request) => request.interface)).toEqual([
      'originations',
      'originations',
    ]);
    expect(leaksIn(output, provider)).toEqual([]);

    const { report } = await consult(provider, { env, args: ['--json'] });
    expect(report).toMatchObject({
      ok: false,
      problems: [
        { env: 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET', path: 'interfaces.easy.sandbox.clientSecret' },
        { env: 'PROVIDER_EASY_PRODUCTION_BASE_URL' },
      ],
    });
    expect(report.results.map(({ ok }) => ok)).toEqual([true, true, false, false]);
  });

  it('S9: sends no credential if certificates are not checked', async () => {
    const provider = await startSimulator();
    const { code, stdout } = await consult(provider, { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✘ NODE_TLS_REJECT_UNAUTHORIZED +turns off certificate checks/);
    expect(provider.tokenRequests).toEqual([]);
  });

  it('S10: prints one JSON object with a fixed shape and no credential, whatever the server sends', async () => {
    const provider = await startSimulator();
    const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
    const claims = {
      iss: `https://issuer.example/${encodeURIComponent(clientSecret)}`,
      aud: [clientId, 'https://api.example', Buffer.from(clientId).toString('base64'), 'red\u001b[31m'],
      exp: Math.floor(Date.now() / 1000) + 600,
      sub: clientId,
    };
    const token = ['e30', Buffer.from(JSON.stringify(claims)).toString('base64url'), 'c2lnbmF0dXJl'].join(
      '.',
    );
    provider.token.members({ access_token: token });
    const [json, text] = await Promise.all([
      consult(provider, { args: [...EASY_SANDBOX, '--json'] }),
      consult(provider, { args: EASY_SANDBOX }),
    ]);
    expect(json.code).toBe(0);
    const { results, ...rest } = json.report;
    expect(rest).toEqual({ ok: true, probed: false });
    expect(Object.keys(results[0] ?? {}).toSorted()).toEqual([
      'active',
      'environment',
      'host',
      'interface',
      'ok',
      'steps',
    ]);
    expect(results[0]?.steps.map(({ name }) => name)).toEqual([
      'configuration',
      'dns',
      'tcp',
      'tls',
      'token-request',
      'lifetime',
      'claims',
      'clock',
      'api-dns',
      'api-tcp',
      'api-tls',
      'probe',
    ]);
    expect(results[0]?.steps[6]).toMatchObject({
      facts: {
        iss: '[redacted]',
        aud: ['[redacted]', 'https://api.example', '[redacted]', 'red\ufffd[31m'],
        exp: new Date(claims.exp * 1000).toISOString(),
      },
      advice: expect.stringMatching(/^exp is \d+ s earlier than expires_in says/),
    });
    expect(leaksIn(json.output + text.output, provider)).toEqual([]);
    expect(json.output + text.output).not.toContain(token);
    expect(text.stdout).not.toContain('\u001b');
  });

  it('S10: repeats no error code of a server that echoes a credential', async () => {
    const provider = await startSimulator();
    const { clientId } = provider.credentials('easy', 'sandbox');
    provider.token.refuse(clientId, { status: 400, description: clientId });
    const { code, output } = await consult(provider, { args: EASY_SANDBOX });
    expect(code).toBe(1);
    expect(output).toContain('status 400');
    expect(leaksIn(output, provider)).toEqual([]);
  });
});
