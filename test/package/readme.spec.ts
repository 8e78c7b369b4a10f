import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunnerTestCase, RunnerTestSuite } from 'vitest';
import type { CodeBlock } from '../support/package/code-blocks.js';
import { manifest, optionalPeers, requiredPeers, ROOT } from '../support/package/packed-package.js';
import { casesOfReadme } from '../support/package/readme-app.js';
import { testNamesIn } from '../support/package/test-names.js';
import { startSimulator } from '../support/application/simulator.js';
import { Readme, without } from './readme-setup.js';

/** The peers that `nest new` installs. */
const OF_NEST_NEW = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'];

const readme = await Readme.forThisFile();

describe('what a new user runs first, against the packed package', () => {
  it('first-call: a service makes a call, with one token', async () => {
    const provider = await startSimulator();
    const { reported, output, code } = await readme.app.runCase('first-call', { provider });
    expect({ reported, output, code }).toMatchObject({
      reported: { path: '/payments/1' },
      output: '',
      code: 0,
    });
    expect(provider.tokenRequests).toHaveLength(1);
    expect(readme.shown('first-call').split('\n').length).toBeLessThan(20);
  });

  it('dot-env: the first call needs only these variables', async () => {
    const provider = await startSimulator();
    const names = readme
      .shown('dot-env')
      .split('\n')
      .map((line) => line.split('=')[0] ?? '');
    const values = provider.env();
    const file = names.map((name) => `${name}='${values[name]}'`).join('\n');
    const { reported } = await readme.app.runCase('first-call', {
      provider,
      env: without(provider),
      files: { '.env': file },
    });
    expect(reported).toMatchObject({ interface: 'easy', environment: 'sandbox' });
  });

  it('boot-error: an application with these problems prints exactly this', async () => {
    const provider = await startSimulator();
    const { reported } = await readme.app.runCase('first-call', {
      provider,
      env: {
        PROVIDER_ORIGINATIONS_TOKEN_URL: undefined,
        PROVIDER_EASY_SANDBOX_CLIENT_ID: '<CLIENT_ID>',
        PROVIDER_EASY_PRODUCTION_BASE_URL: 'http://provider.example/easy',
      },
    });
    expect(reported).toBe(readme.shown('boot-error'));
  });

  it('inject: each injection is what its comment says', async () => {
    const provider = await startSimulator();
    const env = { PROVIDER_ENVIRONMENT: 'production' };
    expect((await readme.app.runCase('inject', { provider, env })).reported).toEqual({
      active: 'easy production',
      drill: 'originations sandbox',
      tokens: 'easy production',
      all: 4,
    });
  });

  it('fetch: a POST after a revoked token is sent again, byte for byte (B21)', async () => {
    const provider = await startSimulator();
    const steps = { revoke: () => void provider.token.revokeAll() };
    expect((await readme.app.runCase('fetch', { provider, steps })).reported).toEqual([200, 200]);
    expect(provider.apiRequests.map(({ status }) => status)).toEqual([200, 401, 200]);
    expect(provider.apiRequests.map(({ body }) => body.toString())).toEqual([
      '{"amount":1}',
      '{"amount":2}',
      '{"amount":2}',
    ]);
    expect(provider.tokenRequests).toHaveLength(2);
  });

  it('errors: each error gets its own status', async () => {
    const provider = await startSimulator();
    provider.token.status(503);
    const steps = {
      'fix the token endpoint': () => provider.reset(),
      'lose the payment': () => provider.api.status(404),
    };
    expect((await readme.app.runCase('errors', { provider, steps })).reported).toEqual([503, 200, 404]);
  });

  it('redacted, redacted-output: the block prints exactly this', async () => {
    const provider = await startSimulator();
    const { reported, output } = await readme.app.runCase('redacted', { provider });
    expect(reported).toMatch(/^[\da-f]{16}$/);
    expect(output).toBe(`${readme.shown('redacted-output').replace(/[\da-f]{16}/, String(reported))}\n`);
  });
});

describe('the commands of the README', () => {
  it('two-commands: are commands of the repository', () => {
    for (const line of readme.shown('two-commands').split('\n')) {
      const [, command = ''] = /^npm ci && npm (start|test) +# /.exec(line) ?? [];
      expect(Object.keys(manifest.scripts)).toContain(command);
    }
  });

  it('install: installs every peer that `nest new` does not install', () => {
    const [name, ...packages] = installed(readme.shown('install'));
    expect(name).toBe(manifest.name);
    expect([...packages, ...OF_NEST_NEW].toSorted()).toEqual(requiredPeers.toSorted());
  });

  it('install-11: names majors that the package allows', () => {
    const packages = installed(readme.shown('install-11'));
    expect(packages.map((one) => one.replace(/@\d+$/, ''))).toEqual(installed(readme.shown('install')));
    const pinned = packages.flatMap((one) => [...one.matchAll(/^(.+)@(\d+)$/g)]);
    expect(pinned.length).toBeGreaterThan(0);
    for (const [, name = '', major] of pinned) {
      expect(manifest.peerDependencies[name]).toMatch(new RegExp(`\\^${major}\\.`));
    }
  });

  it('install-undici: B27: names an optional peer, with a major that causes no warning on any Node', () => {
    expect(installed(readme.shown('install-undici'))).toEqual(['undici@7']);
    expect(optionalPeers).toContain('undici');
    expect(manifest.peerDependencies['undici']).toContain('^7.');
  });

  it('doctor: finds no problem', async () => {
    expect(readme.shown('doctor')).toBe('npx provider-auth doctor');
    const provider = await startSimulator();
    const { code, output } = await readme.app.doctor({ provider });
    expect(output).toContain('4 of 4 give a token and reach their API.');
    expect(code).toBe(0);
  });

  it('doctor-output: with these problems the doctor prints exactly this', async () => {
    const provider = await startSimulator();
    const none = Object.keys(provider.env()).filter((name) =>
      name.startsWith('PROVIDER_ORIGINATIONS_PRODUCTION'),
    );
    const { code, stdout } = await readme.app.doctor({
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
    expect(withoutParticulars(stdout)).toEqual(withoutParticulars(`${readme.shown('doctor-output')}\n`));
    expect(code).toBe(1);
  });
});

describe('the picture of the README', () => {
  it('draws each box once, and each arrow between existing boxes', () => {
    const [picture] = readme.blocks.filter(({ language }) => language === 'mermaid');
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
  it('has a case here or in `readme-recipes.spec.ts`', async ({ task }) => {
    const recipes = await testNamesIn(join(ROOT, 'test/package/readme-recipes.spec.ts'));
    const names = [...testsOf(task.file).map(({ name }) => name), ...recipes];
    const titles = names.map((name) => name.split(':')[0] ?? '');
    const lookedAfter = new Set(titles.flatMap((title) => title.split(', ')));
    const lost = readme.blocks.filter(
      ({ language, name }) => language !== 'mermaid' && !lookedAfter.has(name ?? ''),
    );
    expect(lost.map(placeOf)).toEqual([]);
    expect((await casesOfReadme()).filter((name) => !lookedAfter.has(name))).toEqual([]);
    const code = readme.blocks.filter(({ language }) => language === 'ts').map(({ name }) => name);
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

/** The same address with a host name, because a numeric address has no DNS step. */
function named(url: string): string {
  return url.replace('127.0.0.1', 'localhost');
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
