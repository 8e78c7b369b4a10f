import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { defineProvider } from '../../../lib/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { codeBlocksOf } from '../../support/package/code-blocks.js';
import { Compiler } from '../../support/package/compiler.js';
import { variablesOf } from '../../../lib/config/process-env/variable-names.js';
import { partsOf } from '../../../lib/module/parts.js';
import {
  installedWith,
  manifest,
  requiredPeers,
  ROOT,
  type TemporaryDirectory,
} from '../../support/package/packed-package.js';
import { runNode } from '../../support/run/run-command.js';

const PAGE = 'docs/own-provider.md';
const SAMPLE = join(ROOT, 'sample/07-own-provider/src');

/** The definition of the page. The simulator refuses a request with any other field. */
const warehouse = defineProvider({
  name: 'warehouse',
  environments: ['test', 'live'],
  interfaces: {
    stock: { scope: 'stock.read' },
    bankOrders: {
      tokenUrlPer: 'interface',
      tokenPath: /\/oauth2\/token$/,
      audience: 'https://orders.example',
      clientAuth: 'basic',
    },
    returns: { clientAuth: 'private_key_jwt' },
  },
});

/** The shorter definition of the page. */
const partner = defineProvider({
  name: 'partner',
  environments: ['live'],
  interfaces: { orders: { scope: 'orders.read', audience: 'https://orders.example' } },
});

const blocks = new Map((await codeBlocksOf(PAGE)).map(({ name = '', text }) => [name, text]));

/** Pages have shorter lines than sources. */
const flat = (code: string): string => code.replaceAll(/\s/g, '').replaceAll(/,(?=[)\]}])/g, '');

const OPTIONS = {
  strict: true,
  noEmitOnError: true,
  declaration: true,
  target: 'es2023',
  types: ['node'],
  skipLibCheck: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
};

/** The files of one application are an ES module and a CommonJS module. */
const ENDINGS = ['mts', 'cts'];

let directory: TemporaryDirectory;
let compiler: Compiler;
let result: Awaited<ReturnType<typeof compiled>>;

beforeAll(async () => {
  directory = await installedWith([...requiredPeers, ...Object.keys(manifest.dependencies), '@types/node']);
  compiler = new Compiler(directory.path);
  result = await compiled({ shop: SHOP });
});

afterAll(() => directory.remove());

/** Compiles applications, each with both endings. They are compiled together, because the declarations of NestJS take the time. */
async function compiled(applications: Record<string, string>): Promise<{ code: number; output: string }> {
  const texts = Object.entries(applications).flatMap(([name, text]) =>
    ENDINGS.map((ending) => [`${name}.${ending}`, text] as const),
  );
  for (const [file, text] of texts) await writeFile(join(directory.path, file), text);
  const module = { module: 'nodenext', moduleResolution: 'nodenext' };
  const files = texts.map(([file]) => file);
  await writeFile(
    join(directory.path, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...OPTIONS, ...module }, files }),
  );
  return compiler.compile('tsconfig.json');
}

const SHOP = `
import 'reflect-metadata';
import type { HttpService } from '@nestjs/axios';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ProviderFetch } from 'nestjs-provider-auth';
${blocks.get('definition')}

@Injectable()
export class ShopService {
  ${blocks.get('inject-own')?.replaceAll('private readonly', 'readonly')}
}

@Module({
  imports: [warehouse.Module.forRootAsync(warehouse.config.asProvider())],
  providers: [ShopService],
})
class AppModule {}

export async function run(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  const { stock, orders, returns } = app.get(ShopService);
  const answers = [
    (await stock.axiosRef.get<{ interface: string }>('/')).data.interface,
    ((await (await orders('/')).json()) as { interface: string }).interface,
    (await returns.axiosRef.get<{ interface: string }>('/')).data.interface,
  ];
  console.log(answers.join(), app.get(warehouse.Service).status().length);
  await app.close();
}
void run();
`;

/** The variables of a block of the page, and no others, with the values of the simulator. */
function shownVariables(block: string, values: Readonly<Record<string, string>>): Record<string, string> {
  const names = (blocks.get(block) ?? '').split('\n').map((line) => line.replace(/=.*/, ''));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

it('B24: the application of the page compiles', () => {
  expect(result).toEqual({ code: 0, output: '' });
});

describe.each(ENDINGS)('B24: an application that is compiled as .%s', (ending) => {
  it('B24: runs the definition of the page against the simulator', async () => {
    const simulated = await ProviderSimulator.start({ provider: warehouse });
    onTestFinished(() => simulated.close());
    const ca = join(directory.path, 'ca.pem');
    await writeFile(ca, simulated.ca);
    const { output, code } = await runNode([`shop.${ending.replace('ts', 'js')}`], {
      cwd: directory.path,
      env: { ...shownVariables('variables', simulated.env()), NODE_EXTRA_CA_CERTS: ca },
    });
    expect([output.trim(), code]).toEqual(['stock,bankOrders,returns 3', 0]);
  });
});

describe('docs/own-provider.md', () => {
  it('B24: has only code of the sample, which the tests of the samples run', async () => {
    const sources = await Promise.all(
      (await readdir(SAMPLE)).map((file) => readFile(join(SAMPLE, file), 'utf8')),
    );
    const shown = (await codeBlocksOf(PAGE)).filter(({ language }) => language === 'ts');
    expect(shown.length).toBeGreaterThan(4);
    const foreign = shown.filter(({ text }) => !sources.some((source) => flat(source).includes(flat(text))));
    expect(foreign.map(({ text }) => text)).toEqual([]);
  });

  it('B24: has only variables that the definition has', () => {
    const lines = ['shortest-variables', 'variables'].flatMap(
      (block) => blocks.get(block)?.split('\n') ?? [],
    );
    const known = [partner, warehouse].flatMap((provider) => variablesOf(partsOf(provider)!.catalogue));
    expect(lines.map((line) => line.replace(/=.*/, '')).filter((name) => !known.includes(name))).toEqual([]);
    expect(lines.length).toBeGreaterThan(10);
  });
});
