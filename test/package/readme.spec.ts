import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RunnerTestCase, RunnerTestSuite } from 'vitest';
import type { ProviderSimulator } from '../../lib/testing/index.js';
import { type CodeBlock, codeBlocksOf } from '../support/package/code-blocks.js';
import {
  manifest,
  optionalPeers,
  requiredPeers,
  ROOT,
  temporaryDirectory,
} from '../support/package/packed-package.js';
import { casesOfReadme, ReadmeApp } from '../support/package/readme-app.js';
import { RedisServer } from '../support/fleet/redis-server.js';
import { ClientAuthority } from '../support/http/client-certificates.js';
import { startSimulator } from '../support/application/simulator.js';

const blocks = await codeBlocksOf('README.md');
const byName = new Map(blocks.map((block) => [block.name, block]));

/** The peers that `nest new` installs. */
const OF_NEST_NEW = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'];

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let app: ReadmeApp;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const code = blocks.flatMap(({ name, language, text }) =>
    language === 'ts' && name !== undefined ? [[name, text] as const] : [],
  );
  app = await ReadmeApp.make(directory.path, new Map(code));
  const { output } = await app.compile();
  if (output !== '') throw new Error(`The README does not compile:\n${output}`);
}, 240_000);

afterAll(() => directory.remove());

/** The text of a block. The name of a test starts with the names of its blocks. */
function shown(name: string): string {
  const block = byName.get(name);
  if (block === undefined) throw new Error(`The README has no block ${name}.`);
  return block.text;
}

describe('the code of the README, against the packed package', () => {
  it('first-call: a service makes a call, with one token', async () => {
    const provider = await startSimulator();
    const { reported, output, code } = await app.runCase('first-call', { provider });
    expect({ reported, output, code }).toMatchObject({
      reported: { path: '/payments/1' },
      output: '',
      code: 0,
    });
    expect(provider.tokenRequests).toHaveLength(1);
    expect(shown('first-call').split('\n').length).toBeLessThan(20);
  });

  it('dot-env: the first call needs only these variables', async () => {
    const provider = await startSimulator();
    const names = shown('dot-env')
      .split('\n')
      .map((line) => line.split('=')[0] ?? '');
    const values = provider.env();
    const file = names.map((name) => `${name}='${values[name]}'`).join('\n');
    const { reported } = await app.runCase('first-call', {
      provider,
      env: without(provider),
      files: { '.env': file },
    });
    expect(reported).toMatchObject({ interface: 'easy', environment: 'sandbox' });
  });

  it('provider, doctor-of-provider: a simulated provider works without credentials of a real one', async () => {
    const [, variable = '', file = ''] =
      /^(\w+)=(\S+) npx provider-auth doctor$/.exec(shown('doctor-of-provider')) ?? [];
    const elsewhere = await startSimulator();
    const env = without(elsewhere);
    const outputs: string[] = [];
    const steps = {
      'consult the doctor': async (cwd: string) => {
        const trusting = { ...env, [variable]: file };
        outputs.push((await app.doctor({ provider: elsewhere, env: trusting }, cwd)).output);
      },
    };
    expect(await app.runCase('provider', { provider: elsewhere, env, steps })).toMatchObject({ code: 0 });
    expect(outputs.join()).toContain('4 of 4 give a token and reach their API.');
    expect(elsewhere.tokenRequests).toEqual([]);
  });

  it('boot-error: an application with these problems prints exactly this', async () => {
    const provider = await startSimulator();
    const { reported } = await app.runCase('first-call', {
      provider,
      env: {
        PROVIDER_ORIGINATIONS_TOKEN_URL: undefined,
        PROVIDER_EASY_SANDBOX_CLIENT_ID: '<CLIENT_ID>',
        PROVIDER_EASY_PRODUCTION_BASE_URL: 'http://provider.example/easy',
      },
    });
    expect(reported).toBe(shown('boot-error'));
  });

  it('by-code: options override the variables', async () => {
    const provider = await startSimulator();
    const { reported, output } = await app.runCase('by-code', { provider });
    expect({ reported, output }).toEqual({ reported: { timeout: 10_000 }, output: '' });
    expect(provider.apiRequests[0]?.headers['user-agent']).toBe('checkout/1.4');
  });

  it('inject: each injection is what its comment says', async () => {
    const provider = await startSimulator();
    const env = { PROVIDER_ENVIRONMENT: 'production' };
    expect((await app.runCase('inject', { provider, env })).reported).toEqual({
      active: 'easy production',
      drill: 'originations sandbox',
      tokens: 'easy production',
      all: 4,
    });
  });

  it('mixed: one interface stays in the other environment', async () => {
    const provider = await startSimulator();
    const env = Object.fromEntries(
      shown('mixed')
        .split('\n')
        .map((line) => line.split('=')),
    );
    const { reported } = await app.runCase('inject', { provider, env });
    expect(reported).toMatchObject({ active: 'easy production', drill: 'originations sandbox' });
    const { reported: health } = await app.runCase('health', { provider, env });
    expect(health).toMatchObject({
      details: {
        provider: { easy: { environment: 'production' }, originations: { environment: 'sandbox' } },
      },
    });
  });

  it('other-client: fetch follows the rule for a 401', async () => {
    const provider = await startSimulator();
    const steps = { revoke: () => void provider.token.revokeAll() };
    expect((await app.runCase('other-client', { provider, steps })).reported).toEqual([200, 200]);
    expect(provider.apiRequests.map(({ status }) => status)).toEqual([200, 401, 200]);
    expect(provider.tokenRequests).toHaveLength(2);
  });

  it('errors: each error gets its own status', async () => {
    const provider = await startSimulator();
    provider.token.status(503);
    const steps = {
      'fix the token endpoint': () => provider.reset(),
      'lose the payment': () => provider.api.status(404),
    };
    expect((await app.runCase('errors', { provider, steps })).reported).toEqual([503, 200, 404]);
  });

  it('redacted, redacted-output: the block prints exactly this', async () => {
    const provider = await startSimulator();
    const { reported, output } = await app.runCase('redacted', { provider });
    expect(reported).toMatch(/^[\da-f]{16}$/);
    expect(output).toBe(`${shown('redacted-output').replace(/[\da-f]{16}/, String(reported))}\n`);
  });

  it('secret-file: the file is read again after the secret was rotated', async () => {
    const provider = await startSimulator();
    const [variable = '', file = ''] = shown('secret-file').split('=');
    const secret = provider.credentials('easy', 'sandbox').clientSecret;
    const env = { [variable]: `.${file}`, [variable.replace(/_FILE$/, '')]: undefined };
    const steps = {
      revoke: (cwd: string) => {
        writeFileSync(join(cwd, file), `${provider.rotateSecret('easy', 'sandbox')}\n`);
        provider.token.revokeAll();
      },
    };
    const files = { [file]: `${secret}\n` };
    expect((await app.runCase('other-client', { provider, env, files, steps })).reported).toEqual([200, 200]);
    expect(provider.tokenRequests.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('vault: a secret that is rotated while the application runs is read', async () => {
    const provider = await startSimulator();
    let secret = provider.credentials('easy', 'sandbox').clientSecret;
    const asked: (string | undefined)[] = [];
    const vault = createServer((request, response) => {
      asked.push(`${request.url} ${String(request.headers['x-vault-token'])}`);
      response.end(JSON.stringify({ data: { data: { client_secret: secret } } }));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void vault.close());
    await once(vault, 'listening');
    const { reported } = await app.runCase('vault', {
      provider,
      env: {
        VAULT_ADDR: `http://127.0.0.1:${(vault.address() as AddressInfo).port}`,
        VAULT_TOKEN: 'of-this-test',
        EASY_TOKEN_URL: provider.tokenUrl('easy', 'sandbox'),
        EASY_BASE_URL: provider.baseUrl('easy', 'sandbox'),
        EASY_CLIENT_ID: provider.credentials('easy', 'sandbox').clientId,
      },
      steps: {
        'rotate the secret and revoke the token': () => {
          secret = provider.rotateSecret('easy', 'sandbox');
          provider.token.revokeAll();
        },
      },
    });
    expect(reported).toEqual([200, 200]);
    expect(asked).toEqual(Array.from({ length: 2 }, () => '/v1/secret/data/provider/easy of-this-test'));
  });

  it('redis: the token is stored there', async () => {
    const [provider, redis] = await Promise.all([startSimulator(), RedisServer.start()]);
    onTestFinished(() => redis.close());
    const env = { REDIS_URL: `redis://127.0.0.1:${redis.port}` };
    const steps = { revoke: () => provider.token.revokeAll() };
    const { reported } = await app.runCase('redis', { provider, env, steps });
    expect(reported).toEqual({ statuses: [200], keys: 1 });
  });

  it('undici: requests use the pools of undici', async () => {
    const provider = await startSimulator();
    const { reported } = await app.runCase('undici', { provider });
    expect(reported).toEqual({ status: 200, byUndici: ['/payments/1'] });
  });

  it('tls, tls-files: an authority and a client certificate from files are enough', async () => {
    const provider = await startSimulator();
    const clients = await ClientAuthority.create();
    const { cert, key } = await clients.issue('reader');
    const files = { 'client.pem': cert, 'client-key.pem': key };
    const trust = { NODE_EXTRA_CA_CERTS: undefined };
    const { reported, output } = await app.runCase('tls', { provider, files, env: trust });
    expect({ reported, output }).toEqual({ reported: 200, output: '' });
    const variables = shown('tls-files')
      .split('\n')
      .map((line) => line.replace('/run/secrets/', '').split('='));
    const env = { ...trust, ...Object.fromEntries(variables) };
    expect((await app.runCase('first-call', { provider, files, env })).reported).toMatchObject({
      path: '/payments/1',
    });
  });

  it('health, health-answer: one interface has a token, the other fails', async () => {
    const provider = await startSimulator();
    provider.token.for('easy').status(503);
    const { reported } = await app.runCase('health', { provider });
    expect(reported).toMatchObject({ before: 200, after: 503 });
    const { details } = reported as { details: unknown };
    expect(withoutDates(details)).toEqual(withoutDates(JSON.parse(shown('health-answer'))));
  });

  it('telemetry: an application exports the metrics of the table', async () => {
    const provider = await startSimulator();
    provider.api.next().unauthorized();
    const { reported } = await app.runCase('telemetry', { provider });
    const page = await readFile(join(ROOT, 'README.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(provider_auth\.[\w.]+)`.*$/gm)];
    // The application of this block has no store.
    const table = rows
      .filter(([row]) => !row.includes('absent without a store'))
      .map(([, name = '']) => name);
    expect(rows.length - table.length).toBe(1);
    expect(reported).toEqual(table.toSorted());
  });

  it('diagnostics: operators get an alert', async () => {
    const provider = await startSimulator();
    provider.token.refuse('invalid_client');
    expect((await app.runCase('diagnostics', { provider })).reported).toEqual([
      ['failing', 'TOKEN_REJECTED'],
    ]);
  });

  it('interceptor: runs before the token is attached, and cannot remove the token', async () => {
    const provider = await startSimulator();
    expect((await app.runCase('interceptor', { provider })).reported).toBe('refused to send');
    expect(provider.apiRequests).toHaveLength(1);
    expect(provider.apiRequests[0]?.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  });

  it.each([
    ['store-checks.spec', /Tests +\d\d passed/],
    ['simulator.spec', /Tests +3 passed/],
    ['sandbox.spec', /Tests +1 passed/],
  ])('%s: passes with Vitest in the application of a reader', async (name, passed) => {
    const provider = await startSimulator();
    const { code, output } = await app.vitest(name, { provider });
    expect(output).toMatch(passed);
    expect(code).toBe(0);
  });

  it.each([
    ['no-network.spec', /Tests +2 passed/],
    ['whole-application.spec', /Tests +1 passed/],
  ])('%s: passes without any configuration', async (name, passed) => {
    const provider = await startSimulator();
    const { code, output } = await app.vitest(name, { provider, env: without(provider) });
    expect(output).toMatch(passed);
    expect(code).toBe(0);
    expect(provider.tokenRequests).toEqual([]);
  });

  it('sandbox.spec: is skipped without credentials', async () => {
    const provider = await startSimulator();
    const env = { PROVIDER_EASY_SANDBOX_CLIENT_ID: undefined };
    expect((await app.vitest('sandbox.spec', { provider, env })).output).toMatch(/Tests +1 skipped/);
  });
});

describe('the commands of the README', () => {
  it('two-commands: are commands of the repository', () => {
    for (const line of shown('two-commands').split('\n')) {
      const [, command = ''] = /^npm ci && npm (start|test) +# /.exec(line) ?? [];
      expect(Object.keys(manifest.scripts)).toContain(command);
    }
  });

  it('install: installs every peer that `nest new` does not install', () => {
    const [name, ...packages] = installed(shown('install'));
    expect(name).toBe(manifest.name);
    expect([...packages, ...OF_NEST_NEW].toSorted()).toEqual(requiredPeers.toSorted());
  });

  it('install-11: names majors that the package allows', () => {
    const packages = installed(shown('install-11'));
    expect(packages.map((one) => one.replace(/@\d+$/, ''))).toEqual(installed(shown('install')));
    const pinned = packages.flatMap((one) => [...one.matchAll(/^(.+)@(\d+)$/g)]);
    expect(pinned.length).toBeGreaterThan(0);
    for (const [, name = '', major] of pinned) {
      expect(manifest.peerDependencies[name]).toMatch(new RegExp(`\\^${major}\\.`));
    }
  });

  it('install-undici: B27: names an optional peer, with a major that causes no warning on any Node', () => {
    expect(installed(shown('install-undici'))).toEqual(['undici@7']);
    expect(optionalPeers).toContain('undici');
    expect(manifest.peerDependencies['undici']).toContain('^7.');
  });

  it('doctor: finds no problem', async () => {
    expect(shown('doctor')).toBe('npx provider-auth doctor');
    const provider = await startSimulator();
    const { code, output } = await app.doctor({ provider });
    expect(output).toContain('4 of 4 give a token and reach their API.');
    expect(code).toBe(0);
  });

  it('doctor-output: with these problems the doctor prints exactly this', async () => {
    const provider = await startSimulator();
    const none = Object.keys(provider.env()).filter((name) =>
      name.startsWith('PROVIDER_ORIGINATIONS_PRODUCTION'),
    );
    const { code, stdout } = await app.doctor({
      provider,
      env: {
        ...Object.fromEntries(none.map((name) => [name, undefined])),
        PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL: undefined,
        PROVIDER_EASY_SANDBOX_TOKEN_URL: named(provider.tokenUrl('easy', 'sandbox')),
        PROVIDER_EASY_PRODUCTION_TOKEN_URL: named(provider.tokenUrl('easy', 'production')),
        PROVIDER_EASY_SANDBOX_BASE_URL: named(provider.baseUrl('easy', 'sandbox')),
        PROVIDER_EASY_PRODUCTION_BASE_URL: named(provider.baseUrl('easy', 'production')),
        PROVIDER_EASY_PRODUCTION_CLIENT_SECRET: 'not-the-right-secret',
      },
    });
    expect(withoutParticulars(stdout)).toEqual(withoutParticulars(`${shown('doctor-output')}\n`));
    expect(code).toBe(1);
  });
});

describe('the picture of the README', () => {
  it('draws each box once, and each arrow between existing boxes', () => {
    const [picture] = blocks.filter(({ language }) => language === 'mermaid');
    const lines = picture?.text.split('\n').slice(1) ?? [];
    const ends = lines.flatMap((line) => line.split(/ -->(?:\|[^|]*\|)? | -- "[^"]*" --> /));
    const drawn = ends.filter((end) => /[[{]"/.test(end)).map((end) => /^ *(\w+)/.exec(end)?.[1]);
    const named = new Set(ends.map((end) => /^ *(\w+)/.exec(end)?.[1]));
    expect(drawn.length).toBeGreaterThan(5);
    expect(new Set(drawn).size).toBe(drawn.length);
    expect([...named].filter((name) => !drawn.includes(name))).toEqual([]);
  });
});

describe('every block of the README', () => {
  it('has a case here', async ({ task }) => {
    const titles = testsOf(task.file).map(({ name }) => name.split(':')[0] ?? '');
    const lookedAfter = new Set(titles.flatMap((title) => title.split(', ')));
    const lost = blocks.filter(
      ({ language, name }) => language !== 'mermaid' && !lookedAfter.has(name ?? ''),
    );
    expect(lost.map(placeOf)).toEqual([]);
    expect((await casesOfReadme()).filter((name) => !lookedAfter.has(name))).toEqual([]);
    const code = blocks.filter(({ language }) => language === 'ts').map(({ name }) => name);
    expect(code.length).toBe(new Set(code).size);
  });
});

function testsOf(suite: RunnerTestSuite): RunnerTestCase[] {
  return suite.tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task) : [task]));
}

function placeOf({ page, line, name }: CodeBlock): string {
  return `${page}:${line} ${name ?? 'without a name'}`;
}

function installed(command: string): string[] {
  expect(command).toMatch(/^npm install( [\w@/-]+)+$/);
  return command.split(' ').slice(2);
}

/** Removes all variables of the provider. */
function without(provider: ProviderSimulator): Record<string, undefined> {
  return Object.fromEntries(Object.keys(provider.env()).map((name) => [name, undefined]));
}

/** The same address with a host name, because a numeric address has no DNS step. */
function named(url: string): string {
  return url.replace('127.0.0.1', 'localhost');
}

function withoutDates(report: unknown): unknown {
  return JSON.parse(JSON.stringify(report).replaceAll(/"\d{4}-[^"]*Z"/g, '"a moment"'));
}

/** The lines of the doctor's report, without hosts, times and numbers. */
function withoutParticulars(report: string): string[] {
  return report
    .replaceAll(/https:\/\/[^\s,]+/g, '<address>')
    .replaceAll(/(localhost|[\w.]*provider\.example)(:\d+)?/g, '<host>')
    .replaceAll(/(127\.0\.0\.1|203\.0\.113\.\d+)/g, '<number>')
    .replaceAll(/issued by [^,]+, \d+ days/g, 'issued by <authority>, <n> days')
    .replaceAll(/ +\d+ ms/g, ' <n> ms')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<moment>')
    .split('\n');
}
