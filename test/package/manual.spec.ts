import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RunnerTestCase, RunnerTestSuite } from 'vitest';
import { run } from '../../lib/cli/program.js';
import { defineProvider } from '../../lib/index.js';
import { codeBlocksOf } from '../support/package/code-blocks.js';
import { manifest, optionalPeers, requiredPeers, ROOT } from '../support/package/packed-package.js';
import { casesOfManual } from '../support/package/manual-app.js';
import { MANUAL, placeOf } from '../support/package/manual-pages.js';
import { WireServer } from '../support/http/wire-server.js';
import { SimulationHere } from '../support/application/simulate.js';
import { startSimulator, startSimulatorOf } from '../support/application/simulator.js';
import { Manual, without } from './manual-setup.js';
import { givenFolder } from '../support/run/given-folder.js';

/** The peers that `nest new` installs. */
const OF_NEST_NEW = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'];

/** In place of the compiled module of an application. */
const ONE_DEFINITION = join(ROOT, 'test/support/application/one-definition.ts');

/** The definition of `checkout.ts`, which blocks import. */
const WAREHOUSE = defineProvider({
  name: 'warehouse',
  environments: ['test', 'live'],
  interfaces: { stock: { scope: 'stock.read' } },
});

const manual = await Manual.forThisFile();

/** What a case reports that prints nothing else and ends well. */
async function reportOf(...given: Parameters<typeof manual.app.runCase>): Promise<unknown> {
  const { reported, output, code } = await manual.app.runCase(...given);
  expect({ output, code }).toEqual({ output: '', code: 0 });
  return reported;
}

describe('what a new user runs first, against the packed package', () => {
  it('first-call: a service makes a call, with one token', async () => {
    const provider = await startSimulator();
    const reported = await reportOf('first-call', { provider });
    expect(reported).toMatchObject({ path: '/payments/1' });
    expect(provider.tokenRequests).toHaveLength(1);
    expect(manual.shown('first-call').split('\n').length).toBeLessThan(20);
    expect(reported).toEqual(JSON.parse(manual.shown('curl-answer')));
  });

  it('payments-module, generate: B37: the code replaces the file that the Nest CLI generates', () => {
    const [, name = ''] = /^npx nest generate module (\w+)$/.exec(manual.shown('generate')) ?? [];
    const className = `${name.charAt(0).toUpperCase()}${name.slice(1)}Module`;
    expect(manual.shown('payments-module')).toContain(`export class ${className} {}`);
    expect(manual.shown('payments-module')).toContain(`@Controller('${name}')`);
  });

  it('payments-module, both-interfaces: B37: the README has the import, the variables and the first call of the built-in provider', async () => {
    const provider = await startSimulator();
    const shown = await codeBlocksOf('README.md');
    expect(shown.map(({ name }) => name).slice(0, 4)).toEqual([
      'install',
      'generate',
      'payments-module',
      'both-interfaces',
    ]);
    const values = provider.env();
    const names = [...manual.shown('both-interfaces').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
    expect(names.toSorted()).toEqual(
      Object.keys(values)
        .filter((name) => !name.includes('_PRODUCTION_'))
        .toSorted(),
    );
    for (const left of ['', 'PROVIDER_ORIGINATIONS_']) {
      const lines = names.filter((name) => left === '' || !name.startsWith(left));
      const files = { '.env': lines.map((name) => `${name}='${values[name]}'`).join('\n') };
      expect(await reportOf('payments-module', { provider, env: without(provider), files })).toMatchObject({
        interface: 'easy',
        environment: 'sandbox',
        path: '/payments/1',
      });
    }
  });

  it('front-page: a service makes a call, with one token', async () => {
    const provider = await startAuth0();
    expect(await reportOf('front-page', { provider })).toBe('/orders/1');
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it('own-call, own-variables: a new application with a definition makes calls with these variables only', async () => {
    const provider = await startAuth0();
    const names = [...manual.shown('own-variables').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
    const values = provider.env();
    expect(names.toSorted()).toEqual(Object.keys(values).toSorted());
    expect(await reportOf('own-call', { provider })).toMatchObject([
      { path: '/orders/1' },
      { path: '/orders/..%2Fmerchants%2F7%3Fadmin%3D1' },
      // Why the page about security asks for more than `encodeURIComponent`.
      { path: '/' },
    ]);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it('several-providers: a service calls two providers, each with its own token', async () => {
    const [provider, other] = [await startSimulator(), await startSimulatorOf(WAREHOUSE)];
    const env = { ...other.env(), NODE_EXTRA_CA_CERTS: 'both.pem' };
    const files = { 'both.pem': provider.ca + other.ca };
    expect(await reportOf('several-providers', { provider, env, files })).toMatchObject([
      { interface: 'stock', path: '/items/apple' },
      { interface: 'easy', path: '/payments/42' },
    ]);
    expect([provider.tokenRequests.length, other.tokenRequests.length]).toEqual([1, 1]);
  });

  it('simulate-both, start-both, doctor-both: two simulators write two files, with which the doctor finds no problem', async () => {
    const folder = givenFolder();
    const [first = '', second = ''] = manual.shown('simulate-both').split('\n');
    const [, module = '', port = ''] =
      /^npx nestjs-provider-auth simulate --provider (\S+) --port (\d+)$/.exec(second) ?? [];
    expect([first, module, Number(port) > 8444]).toEqual([
      'npx nestjs-provider-auth simulate',
      './dist/warehouse.js',
      true,
    ]);
    for (const args of [[], ['--provider', ONE_DEFINITION]])
      await SimulationHere.start(args, { folder, entersFolder: true });
    const files = [...manual.shown('start-both').matchAll(/--env-file (\S+)/g)].map(([, file = '']) => file);
    for (const file of files)
      for (const [name, value = ''] of Object.entries(parseEnv(await readFile(join(folder, file), 'utf8'))))
        vi.stubEnv(name, value);
    const args = manual.shown('doctor-both').replace(module, ONE_DEFINITION).split(' ').slice(2);
    let output = '';
    const write = (text: string) => (output += text);
    // The process is in the folder.
    const code = await run(args, { stdout: { write }, stderr: { write } });
    expect(output).toContain('10 of 10 give a token and reach their API.');
    expect(code).toBe(0);
  });

  it('replace-both: a test of an application with two providers needs no network', async () => {
    const reported = await reportOf('replace-both', { provider: await startSimulator() });
    expect(reported).toEqual(['fake-easy-sandbox-1', 'fake-warehouse-stock-test-1']);
  });

  it('account-own: B33: a client of a definition has the token of an account', async () => {
    const provider = await startAuth0();
    provider.addAccount('merchant-42');
    const { clientId, clientSecret } = provider.credentials('orders', 'live', 'merchant-42');
    const env = { ACCOUNT_ID: clientId, ACCOUNT_SECRET: clientSecret };
    expect(await reportOf('account-own', { provider, env })).toBe('/orders/1');
    expect(provider.apiRequests.map(({ account }) => account)).toEqual(['merchant-42']);
  });

  it('start-app, curl, curl-answer: the address is the route of the controller', () => {
    expect(manual.shown('watch')).toContain(`${manual.shown('start-app')} `);
    const [, path = ''] = /^curl http:\/\/localhost:3000(\/\S+)$/.exec(manual.shown('curl')) ?? [];
    expect(path).toBe(JSON.parse(manual.shown('curl-answer')).path);
    const [prefix = '', ...rest] = path.slice(1).split('/');
    expect(manual.shown('first-call')).toContain(`@Controller('${prefix}')`);
    expect(rest).toHaveLength(1);
  });

  it('dot-env: the first call needs only these variables', async () => {
    const provider = await startSimulator();
    const names = manual
      .shown('dot-env')
      .split('\n')
      .map((line) => line.split('=')[0] ?? '');
    const values = provider.env();
    const file = names.map((name) => `${name}='${values[name]}'`).join('\n');
    const files = { '.env': file };
    expect(await reportOf('first-call', { provider, env: without(provider), files })).toMatchObject({
      interface: 'easy',
      environment: 'sandbox',
    });
  });

  it('boot-error: an application with these problems prints exactly this', async () => {
    const provider = await startSimulator();
    const { reported } = await manual.app.runCase('first-call', {
      provider,
      env: {
        PROVIDER_ORIGINATIONS_TOKEN_URL: undefined,
        PROVIDER_EASY_SANDBOX_CLIENT_ID: '<CLIENT_ID>',
        PROVIDER_EASY_PRODUCTION_BASE_URL: 'http://provider.example/easy',
      },
    });
    expect(reported).toBe(manual.shown('boot-error'));
  });

  it('inject: each injection is what its comment says', async () => {
    const provider = await startSimulator();
    const env = { PROVIDER_ENVIRONMENT: 'production' };
    expect((await manual.app.runCase('inject', { provider, env })).reported).toEqual({
      active: 'easy production',
      drill: 'originations sandbox',
      tokens: 'easy production',
      all: 4,
    });
  });

  it('over-http: B37: the spec calls the route of the tutorial', () => {
    const [, path = ''] = /^curl http:\/\/localhost:3000(\/\S+)$/.exec(manual.shown('curl')) ?? [];
    expect(manual.shown('over-http')).toContain(`.get('${path}')`);
  });

  it('fetch: a POST after a revoked token is sent again, byte for byte (B21)', async () => {
    const provider = await startSimulator();
    const steps = { revoke: () => void provider.token.revokeAll() };
    expect((await manual.app.runCase('fetch', { provider, steps })).reported).toEqual([200, 200]);
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
      'find the payment, and revoke the token in an outage'() {
        provider.reset();
        provider.token.status(503);
        provider.token.revokeAll();
      },
    };
    expect((await manual.app.runCase('errors', { provider, steps })).reported).toEqual([503, 200, 404, 503]);
  });

  it('redacted, redacted-output: the block prints exactly this', async () => {
    const provider = await startSimulator();
    const { reported, output } = await manual.app.runCase('redacted', { provider });
    expect(reported).toMatch(/^[\da-f]{16}$/);
    expect(output).toBe(`${manual.shown('redacted-output').replace(/[\da-f]{16}/, String(reported))}\n`);
  });
});

describe('the commands of the manual', () => {
  it('new-application: makes an application and installs the package as the README does', () => {
    const [make, enter, ...install] = manual.shown('new-application').split('\n');
    expect(make).toMatch(/^npx @nestjs\/cli new (\w+)$/);
    expect(enter).toBe(`cd ${make?.split(' ').at(-1)}`);
    expect(install.join('\n')).toBe(manual.shown('install'));
  });

  it('doctor-production: is the doctor with an existing option and value', async () => {
    const provider = await startSimulator();
    const [npx, command, ...args] = manual.shown('doctor-production').split(' ');
    expect([npx, command, args[0]]).toEqual(['npx', 'nestjs-provider-auth', 'doctor']);
    const { code, output } = await manual.app.doctor({ provider }, args.slice(1));
    expect(output).toContain('2 of 2 work.');
    expect(code).toBe(0);
  });

  it('doctor-issuer: B31: prints the token URL from the metadata of an authorization server', async () => {
    const [npx, command, ...args] = manual.shown('doctor-issuer').split(' ');
    expect([npx, command, ...args.slice(0, -1)]).toEqual(['npx', manifest.name, 'doctor', '--issuer']);
    const server = await WireServer.start();
    onTestFinished(() => server.close());
    const issuer = `${server.url}${new URL(args.at(-1) ?? '').pathname}`;
    server.handler = (_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ issuer, token_endpoint: `${server.url}/token` }));
    };
    const provider = { ca: server.ca, env: () => ({}) };
    const { code, stdout } = await manual.app.doctor({ provider }, ['--issuer', issuer]);
    expect(stdout).toContain(`token URL: ${server.url}/token`);
    expect(code).toBe(0);
  });

  it('install-nock: installs the version that the recipes run with', () => {
    const major = manifest.devDependencies['nock']?.split('.')[0];
    expect(manual.shown('install-nock')).toBe(`npm install --save-dev nock@${major}`);
  });

  it('two-commands: are commands of the repository', () => {
    for (const line of manual.shown('two-commands').split('\n')) {
      const [, command = ''] = /^npm ci && npm (start|test) +# /.exec(line) ?? [];
      expect(Object.keys(manifest.scripts)).toContain(command);
    }
  });

  it('install: installs every peer that `nest new` does not install', () => {
    const [name, ...packages] = installed(manual.shown('install'));
    expect(name).toBe(manifest.name);
    expect([...packages, ...OF_NEST_NEW].toSorted()).toEqual(requiredPeers.toSorted());
  });

  it('install-11: names majors that the package allows', () => {
    const packages = installed(manual.shown('install-11'));
    expect(packages.map((one) => one.replace(/@\d+$/, ''))).toEqual(installed(manual.shown('install')));
    const pinned = packages.flatMap((one) => [...one.matchAll(/^(.+)@(\d+)$/g)]);
    expect(pinned.length).toBeGreaterThan(0);
    for (const [, name = '', major] of pinned) {
      expect(manifest.peerDependencies[name]).toMatch(new RegExp(`\\^${major}\\.`));
    }
  });

  it('install-undici: B27: names an optional peer, with a major that causes no warning on any Node', () => {
    expect(installed(manual.shown('install-undici'))).toEqual(['undici@7']);
    expect(optionalPeers).toContain('undici');
    expect(manifest.peerDependencies['undici']).toContain('^7.');
  });

  it('doctor-own: B37: names the compiled file of the README, which exports its definition, and which no new application has', () => {
    const module = '--provider ./dist/orders.module.js';
    expect(manual.shown('doctor-own')).toBe(`npm run build\nnpx nestjs-provider-auth doctor ${module}`);
    expect(manual.shown('own-call')).toContain('export const auth0 = defineProvider(');
    // `src/main.ts` of a new application imports more than `AppModule` from `app.module.ts`.
    expect(manual.shown('own-call')).toContain('export class OrdersModule {}');
  });

  it('doctor: finds no problem', async () => {
    expect(manual.shown('doctor')).toBe('npx nestjs-provider-auth doctor');
    const provider = await startSimulator();
    const { code, output } = await manual.app.doctor({ provider });
    expect(output).toContain('4 of 4 give a token and reach their API.');
    expect(code).toBe(0);
  });

  it('doctor-output: with these problems the doctor prints exactly this', async () => {
    const provider = await startSimulator();
    const none = Object.keys(provider.env()).filter((name) =>
      name.startsWith('PROVIDER_ORIGINATIONS_PRODUCTION'),
    );
    const { code, stdout } = await manual.app.doctor({
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
    expect(withoutParticulars(stdout)).toEqual(withoutParticulars(`${manual.shown('doctor-output')}\n`));
    expect(code).toBe(1);
  });
});

it('the picture of the README draws each box once, and each arrow between existing boxes', () => {
  const [picture] = manual.blocks.filter(({ language }) => language === 'mermaid');
  const lines = picture?.text.split('\n').slice(1) ?? [];
  const ends = lines.flatMap((line) => line.split(/ -->(?:\|[^|]*\|)? | -- "[^"]*" --> /));
  const drawn = ends.filter((end) => /[[{]"/.test(end)).map((end) => /^ *(\w+)/.exec(end)?.[1]);
  const named = new Set(ends.map((end) => /^ *(\w+)/.exec(end)?.[1]));
  expect(drawn.length).toBeGreaterThan(5);
  expect(new Set(drawn).size).toBe(drawn.length);
  expect([...named].filter((name) => !drawn.includes(name))).toEqual([]);
});

it('B26: every block of the manual has a case here or in `manual-recipes.spec.ts`, or its page has its own spec', async ({
  task,
}) => {
  const recipes = await readFile(join(ROOT, 'test/nightly/package/manual-recipes.spec.ts'), 'utf8');
  const ofRecipes = [...recipes.matchAll(/^ +(?:it\(|\]\)\(|)'([\w., -]+): /gm)].map(
    ([, title = '']) => title,
  );
  const titles = [...testsOf(task.file).map(({ name }) => name.split(':')[0] ?? ''), ...ofRecipes];
  const lookedAfter = new Set(titles.flatMap((title) => title.split(', ')));
  const elsewhere = await pagesWithTheirOwnSpec();
  const lost = manual.blocks.filter(
    ({ page, language, name }) =>
      language !== 'mermaid' && !lookedAfter.has(name ?? '') && !elsewhere.includes(page),
  );
  expect(lost.map(placeOf)).toEqual([]);
  expect((await casesOfManual()).filter((name) => !lookedAfter.has(name))).toEqual([]);
});

/** The pages that a spec outside of this folder's specs of the manual names, for example 'docs/alerts.md'. */
async function pagesWithTheirOwnSpec(): Promise<string[]> {
  const files = await readdir(join(ROOT, 'test'), { recursive: true });
  const specs = files.filter((file) => file.endsWith('.spec.ts') && !/^package\/(manual|pages)/.test(file));
  const texts = await Promise.all(specs.map((file) => readFile(join(ROOT, 'test', file), 'utf8')));
  return MANUAL.filter((page) => page !== 'README.md' && texts.some((text) => text.includes(page)));
}

/** The provider of the README, which the simulator plays: it refuses a token request without the audience. */
function startAuth0() {
  const auth0 = defineProvider({
    name: 'auth0',
    environments: ['live'],
    interfaces: { orders: { audience: 'https://orders.example' } },
  });
  return startSimulatorOf(auth0);
}

function testsOf(suite: RunnerTestSuite): RunnerTestCase[] {
  return suite.tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task) : [task]));
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
