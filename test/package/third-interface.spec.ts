import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocksOf } from '../support/package/code-blocks.js';
import { Compiler } from '../support/package/compiler.js';
import { ROOT, temporaryDirectory } from '../support/package/packed-package.js';
import { runNode } from '../support/run/run-command.js';

const blocks = new Map((await codeBlocksOf('CONTRIBUTING.md')).map(({ name, text }) => [name, text]));

const CATALOGUE = 'lib/catalogue/provider-catalogue.ts';
const SERVICES = 'lib/http/provider-http-services.ts';

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let compiler: Compiler;

beforeAll(async () => {
  directory = await temporaryDirectory();
  await cp(join(ROOT, 'lib'), join(directory.path, 'lib'), { recursive: true });
  for (const file of ['tsconfig.json', 'tsconfig.build.json', 'package.json'])
    await cp(join(ROOT, file), join(directory.path, file));
  await symlink(join(ROOT, 'node_modules'), join(directory.path, 'node_modules'));
  compiler = new Compiler(directory.path);
}, 60_000);

afterAll(() => directory.remove());

describe('C1: a third interface of the provider', () => {
  it('does not compile before its second edit, and the compiler names the file of that edit', async () => {
    await edit(CATALOGUE, '} as const satisfies', `${blocks.get('third-catalogue')}\n} as const satisfies`);
    const { code, output } = compiler.compile('tsconfig.build.json');
    expect(output).toMatch(/lib\/http\/provider-http-services\.ts.*\n.*'statements' is missing/);
    expect(code).not.toBe(0);
  });

  it('works after the two edits of CONTRIBUTING.md', async () => {
    await edit(
      SERVICES,
      '/** The class to inject',
      `${blocks.get('third-service')}\n\n/** The class to inject`,
    );
    await edit(
      SERVICES,
      '} as const satisfies',
      '  statements: StatementsHttpService,\n} as const satisfies',
    );
    expect(compiler.compile('tsconfig.build.json')).toEqual({ code: 0, output: '' });
    const { output } = await runNode(['--input-type=module', '--eval', PROGRAM], { cwd: directory.path });
    expect(JSON.parse(output)).toEqual({
      variable: true,
      data: { interface: 'statements', environment: 'production' },
      ofClass: true,
      tokens: 'statements sandbox',
      problem: 'PROVIDER_STATEMENTS_SANDBOX_TOKEN_URL',
    });
  });
});

const PROGRAM = `
  import 'reflect-metadata';
  import { NestFactory } from '@nestjs/core';
  import { getProviderHttpToken, getTokenProviderToken, ProviderAuthModule, providerAuthConfig } from './dist/compiled/index.js';
  import { StatementsHttpService } from './dist/compiled/http/provider-http-services.js';
  import { ProviderSimulator } from './dist/compiled/testing/index.js';
  const provider = await ProviderSimulator.start({ environment: 'production' });
  const start = (module) => NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  const app = await start(ProviderAuthModule.forRoot(provider.options()));
  const client = app.get(StatementsHttpService);
  const { data } = await client.axiosRef.get('/of-october');
  const tokens = app.get(getTokenProviderToken('statements', 'sandbox'));
  await tokens.getToken();
  Object.assign(process.env, provider.env(), { PROVIDER_STATEMENTS_SANDBOX_TOKEN_URL: 'https://provider.example/oauth/token' });
  const refused = await start(ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())).catch((error) => error);
  console.log(JSON.stringify({
    variable: 'PROVIDER_STATEMENTS_PRODUCTION_BASE_URL' in provider.env(),
    data: { interface: data.interface, environment: data.environment },
    ofClass: client === app.get(getProviderHttpToken('statements')),
    tokens: tokens.interface + ' ' + tokens.environment,
    problem: refused.problems[0].env,
  }));
  await app.close();
  await provider.close();
`;

async function edit(file: string, before: string, after: string): Promise<void> {
  const path = join(directory.path, file);
  const text = await readFile(path, 'utf8');
  expect(text.split(before)).toHaveLength(2);
  await writeFile(
    path,
    text.replace(before, () => after),
  );
}
