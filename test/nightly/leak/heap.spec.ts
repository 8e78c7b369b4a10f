import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { cluster, warehouse } from '../../support/application/warehouse.js';
import { ClientAuthority, filesOf } from '../../support/http/client-certificates.js';
import { runSource } from '../../support/run/run-source.js';
import { signedAssertion } from '../../support/secrets/signed-assertion.js';

/**
 * An application that signs assertions, and one whose assertion and certificate are in files. After their calls all files are
 * replaced and read again. Then the process writes a snapshot of its heap.
 */
const APPLICATION = `
  import { copyFileSync } from 'node:fs';
  import { writeHeapSnapshot } from 'node:v8';
  import { NestFactory } from '@nestjs/core';
  import { systemClock } from './lib/time/clock.ts';
  import { cluster, warehouse } from './test/support/application/warehouse.ts';

  const start = (provider) =>
    NestFactory.createApplicationContext(provider.Module.forRoot(provider.config()), { logger: false });
  const apps = [await start(warehouse), await start(cluster)];
  const [returns, goods] = ['returns', 'stock'].map((name) => apps[0].get(warehouse.tokenProviderToken(name)));
  const [orders, stock] = ['orders', 'stock'].map((name) => apps[1].get(cluster.tokenProviderToken(name)));
  for (const tokens of [returns, goods, orders, stock]) await tokens.renew(await tokens.getToken());
  const { env } = process;
  copyFileSync(env.NEW_CLIENT_KEY, env.WAREHOUSE_RETURNS_TEST_CLIENT_KEY_FILE);
  copyFileSync(env.NEW_SECRET, env.WAREHOUSE_STOCK_TEST_CLIENT_SECRET_FILE);
  copyFileSync(env.NEW_ASSERTION, env.CLUSTER_ORDERS_TEST_CLIENT_ASSERTION_FILE);
  copyFileSync(env.NEW_CERT, env.CLUSTER_STOCK_TEST_CERT_FILE);
  copyFileSync(env.NEW_KEY, env.CLUSTER_STOCK_TEST_KEY_FILE);
  const { monotonic } = systemClock;
  // All tokens have expired, and the certificates are looked at again.
  systemClock.monotonic = () => monotonic() + 36_000_000;
  // The simulated providers do not know the new files, so they refuse them.
  for (const tokens of [returns, goods, orders, stock, stock]) {
    await tokens.getToken().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  writeHeapSnapshot(env.SNAPSHOT);
  for (const app of apps) await app.close();
`;

/** Not the beginning: it is the same for many assertions and keys. */
const pieceOf = (part: string): string => part.slice(-60, -20);
const pieceOfKey = (pem: string): string => pem.trim().split('\n').at(-2)?.slice(0, 40) ?? '';

it('B32 S10: after a finished call the heap holds no signed assertion, and no secret, assertion or key that was replaced', async () => {
  const [signing, keyless] = await Promise.all(
    [warehouse, cluster].map((provider) =>
      ProviderSimulator.start({ provider: provider as typeof warehouse }),
    ),
  );
  if (signing === undefined || keyless === undefined) throw new Error('both are started');
  onTestFinished(async () => void (await Promise.all([signing.close(), keyless.close()])));
  const env: Record<string, string> = { ...signing.env(), ...keyless.env() };
  const { WAREHOUSE_STOCK_TEST_CLIENT_SECRET: oldSecret = '' } = env;
  const [oldAssertion, ...oldKeys] = [
    'CLUSTER_ORDERS_TEST_CLIENT_ASSERTION_FILE',
    'CLUSTER_STOCK_TEST_KEY_FILE',
    'WAREHOUSE_RETURNS_TEST_CLIENT_KEY_FILE',
  ].map((name) => readFileSync(env[name] ?? '', 'utf8').trim());
  const newAssertion = await signedAssertion({ sub: 'other' });
  const authority = await ClientAuthority.create();
  const [other, signer] = await Promise.all(['other', 'signer'].map((name) => authority.issue(name)));
  const newSecret = 'the secret that came later 1f8c';
  const files = filesOf({
    ca: signing.ca + keyless.ca,
    assertion: newAssertion,
    snapshot: '',
    oldSecret,
    newSecret,
    clientKey: signer?.key ?? '',
    cert: other?.cert ?? '',
    key: other?.key ?? '',
  });
  delete env['WAREHOUSE_STOCK_TEST_CLIENT_SECRET'];
  const { code, stderr } = await runSource(
    APPLICATION,
    {
      ...env,
      NODE_EXTRA_CA_CERTS: files.ca,
      WAREHOUSE_STOCK_TEST_CLIENT_SECRET_FILE: files.oldSecret,
      NEW_SECRET: files.newSecret,
      NEW_CLIENT_KEY: files.clientKey,
      NEW_ASSERTION: files.assertion,
      NEW_CERT: files.cert,
      NEW_KEY: files.key,
      SNAPSHOT: files.snapshot,
    },
    { timeoutMs: 60_000 },
  );
  expect([code, stderr]).toEqual([0, '']);
  const heap = readFileSync(files.snapshot, 'latin1');
  const signed = signing.tokenRequests.map(({ fields }) => fields['client_assertion'] ?? '');
  expect(signed.filter((assertion) => assertion !== '')).toHaveLength(3);
  // What the next token request needs is there, so the search would find the others.
  const present = [
    newSecret,
    pieceOf(newAssertion),
    ...[other, signer].map((one) => pieceOfKey(one?.key ?? '')),
  ];
  expect(present.filter((piece) => !heap.includes(piece))).toEqual([]);
  const assertions = [...signed, oldAssertion ?? ''].flatMap((assertion) =>
    assertion.split('.').slice(1).map(pieceOf),
  );
  const gone = [...assertions, oldSecret.slice(0, 18), ...oldKeys.map(pieceOfKey)];
  expect(gone.filter((piece) => heap.includes(piece))).toEqual([]);
}, 90_000);
