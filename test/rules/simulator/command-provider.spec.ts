import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { HttpService } from '@nestjs/axios';
import { firstValueFrom } from 'rxjs';
import { expect, it, vi } from 'vitest';
import { SimulationHere } from '../../support/application/simulate.js';
import { cluster, warehouse } from '../../support/application/warehouse.js';
import { ROOT } from '../../support/package/packed-package.js';
import { bootWith } from '../../support/application/boot.js';
import { givenFolder } from '../../support/run/given-folder.js';

const ONE = join(ROOT, 'test/support/application/one-definition.ts');
const KEYLESS = join(ROOT, 'test/support/application/keyless-definition.ts');

/** Starts the command, and stops it when the test ends. */
function start(folder: string, port = '0'): Promise<SimulationHere> {
  const kept = join(folder, 'authority');
  return SimulationHere.start(['--provider', ONE, '--keep-ca', kept, '--port', port], { folder });
}

/** An application with the variables that the command wrote. Returns one call of each interface. */
async function applicationOf({ variables }: SimulationHere) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const module = warehouse.Module.forRootAsync(warehouse.config.asProvider());
  const { app } = await bootWith([module]);
  return async () => {
    const answers = (['stock', 'bankOrders', 'returns'] as const).map((name) =>
      firstValueFrom(app.get<HttpService>(warehouse.httpToken(name)).get('/items/1')),
    );
    return (await Promise.all(answers)).map(({ status }) => status);
  };
}

it('B32: simulates clients without a secret, and an application goes on after a restart', async () => {
  const folder = givenFolder();
  const begin = (port: string) =>
    SimulationHere.start(['--provider', KEYLESS, '--keep-ca', join(folder, 'authority'), '--port', port], {
      folder,
    });
  const first = await begin('0');
  for (const [name, value] of Object.entries(first.variables)) vi.stubEnv(name, value);
  const module = cluster.Module.forRootAsync(cluster.config.asProvider());
  const { app } = await bootWith([module]);
  const call = async () => {
    const clients = (['orders', 'stock'] as const).map((name) =>
      app.get<HttpService>(cluster.httpToken(name)),
    );
    const answers = await Promise.all(clients.map((client) => firstValueFrom(client.get('/items/1'))));
    return answers.map(({ status }) => status);
  };
  expect(await call()).toEqual([200, 200]);
  const { port } = new URL(String(first.started['origin']));
  await first.end();
  await begin(port);
  expect(await call()).toEqual([200, 200]);
});

it('B25: simulates a definition of the application, with each way to authenticate, also after a restart', async () => {
  const folder = givenFolder();
  const first = await start(folder);
  expect(Object.keys(first.variables).filter((name) => !name.startsWith('WAREHOUSE_'))).toEqual([]);
  const key = first.variables['WAREHOUSE_RETURNS_TEST_CLIENT_KEY_FILE'] ?? 'missing';
  expect(statSync(key).mode & 0o777).toBe(0o600);
  const firstKey = readFileSync(key);
  const call = await applicationOf(first);
  expect(await call()).toEqual([200, 200, 200]);
  const { port } = new URL(String(first.started['origin']));
  await first.end();
  const second = await start(folder, port);
  expect(readFileSync(key)).toEqual(firstKey);
  // The simulator has forgotten its tokens, and accepts the same credentials.
  expect(await call()).toEqual([200, 200, 200]);
  const seen = (await second.requests(9)).map(({ kind, status }) => `${kind} ${status}`);
  expect(seen.toSorted()).toEqual([
    ...Array.from({ length: 3 }, () => 'api 200'),
    ...Array.from({ length: 3 }, () => 'api 401'),
    ...Array.from({ length: 3 }, () => 'token 200'),
  ]);
});

it('B25 B40: names its files and its lines after the definition, so that two simulators share a folder', async ({
  skip,
}) => {
  skip(!isMainThread, 'A thread cannot change its folder.');
  const folder = givenFolder();
  const here = { folder, entersFolder: true };
  const builtIn = await SimulationHere.start([], here);
  const own = await SimulationHere.start(['--provider', ONE], here);
  expect([builtIn.started['settings'], own.started['settings']]).toEqual([
    '.provider-simulator/.env',
    '.provider-simulator/warehouse.env',
  ]);
  expect(own.started['command']).toBe('node --env-file=.provider-simulator/warehouse.env dist/main.js');
  expect(readdirSync(join(folder, '.provider-simulator')).toSorted()).toEqual(
    ['.env', '.gitignore', 'ca-key.pem', 'ca.pem', 'key', 'warehouse.env']
      .concat(['live', 'test'].map((environment) => `warehouse.returns.${environment}.key.pem`))
      .toSorted(),
  );
  await own.control('test-call', {});
  expect((await own.requests(2))[0]).toMatchObject({ provider: 'warehouse', interface: 'stock' });
  const { pairs } = (await (await fetch(`${own.started['control']}/state`)).json()) as { pairs: object[] };
  expect(pairs[0]).toMatchObject({ name: 'warehouse stock test' });
});

it('B25: says if the module exports no definition', async () => {
  const simulation = await SimulationHere.start(['--provider', join(ROOT, 'package.json')]);
  expect(await simulation.ended).toBe(2);
  expect(simulation.text).toMatch(/package\.json (exports no definition|cannot be imported)/);
});
