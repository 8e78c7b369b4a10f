import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { variablesOf } from '../../../lib/config/process-env/variable-names.js';
import { defineProvider } from '../../../lib/index.js';
import { partsOf } from '../../../lib/module/parts.js';
import { startSimulatorOf } from '../../support/application/simulator.js';
import { codeBlocksOf } from '../../support/package/code-blocks.js';
import { ROOT } from '../../support/package/packed-package.js';

const PAGE = 'docs/own-provider.md';
const SAMPLE = join(ROOT, 'sample/07-own-provider/src');

/** The definition of the page. */
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

const blocks = await codeBlocksOf(PAGE);

/** Pages have shorter lines than sources. */
const flat = (code: string): string => code.replaceAll(/\s/g, '').replaceAll(/,(?=[)\]}])/g, '');

it('B24: docs/own-provider.md has only code of the sample, which the tests of the samples compile and run', async () => {
  const sources = await Promise.all(
    (await readdir(SAMPLE)).map((file) => readFile(join(SAMPLE, file), 'utf8')),
  );
  const shown = blocks.filter(({ language }) => language === 'ts');
  expect(shown.length).toBeGreaterThan(4);
  const foreign = shown.filter(({ text }) => !sources.some((source) => flat(source).includes(flat(text))));
  expect(foreign.map(({ text }) => text)).toEqual([]);
});

it.each([
  ['shortest-variables', partner, '_LIVE_'],
  ['variables', warehouse, '_TEST_'],
])(
  'B24: docs/own-provider.md has the variables that its definitions need: %s',
  async (name, provider, of) => {
    const lines = blocks.find((block) => block.name === name)?.text.split('\n') ?? [];
    const shown = lines.map((line) => line.replace(/=.*/, ''));
    const known = variablesOf(partsOf(provider)!.catalogue);
    expect(shown.filter((variable) => !known.includes(variable))).toEqual([]);
    const simulated = await startSimulatorOf(provider);
    const needed = Object.keys(simulated.env()).filter((variable) => variable.includes(of));
    expect(needed.length).toBeGreaterThan(3);
    expect(needed.filter((variable) => !shown.includes(variable))).toEqual([]);
  },
);
