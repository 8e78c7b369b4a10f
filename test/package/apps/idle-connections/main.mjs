/**
 * Counts the requests and answers of 40 calls that idle connections keep in memory (B38), once for each way to send calls. Prints
 * them as JSON, with the heap, and ends with 1 if there are more than two of either. `client.mjs` is the application. Its API and
 * the proxy are in this process.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';

const CLIENT = join(dirname(fileURLToPath(import.meta.url)), 'client.mjs');

/** The transport, whose agent it uses, and whether there is a proxy. */
const WAYS = [
  ['plain axios', 'application', 'direct'],
  ['default', 'own', 'direct'],
  ['default', 'application', 'direct'],
  ['default, with redirects', 'own', 'direct'],
  ['default, with redirects', 'application', 'direct'],
  ['default', 'own', 'proxy'],
  ['default', 'application', 'proxy'],
  ['default', 'agent with proxyEnv', 'proxy'],
  ['undici', 'own', 'direct'],
  ['undici', 'own', 'proxy'],
];

/** How many of the requests, and of the answers, may still be in memory. */
const MOST = 2;

const LARGE = Buffer.from(JSON.stringify({ text: 'x'.repeat(3_000_000) }));
const SMALL = Buffer.from(JSON.stringify({ text: 'small' }));

function startProxy() {
  const proxy = createServer().on('connect', ({ url }, client) => {
    const { hostname, port } = new URL(`https://${url}`);
    const there = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(there).pipe(client);
    });
    for (const socket of [client, there]) socket.on('error', () => {}).on('close', () => client.destroy());
    there.on('close', () => client.destroy());
    client.on('close', () => there.destroy());
  });
  return proxy.listen(0, '127.0.0.1');
}

const home = await mkdtemp(join(tmpdir(), 'idle-connections-'));
const provider = await ProviderSimulator.start();
const proxy = startProxy();
try {
  await once(proxy, 'listening');
  provider.api.handler(({ url }, response) => {
    response.setHeader('content-type', 'application/json').end(url.endsWith('/large') ? LARGE : SMALL);
  });
  const ca = join(home, 'ca.pem');
  await writeFile(ca, provider.ca);
  // By name: Node 26 refuses an IP address as the server name, which axios' tunnel gives to TLS.
  const settings = Object.entries(provider.env()).map(([name, value]) => [
    name,
    value.replaceAll('//127.0.0.1:', '//localhost:'),
  ]);
  const env = {
    PATH: process.env.PATH,
    ...Object.fromEntries(settings),
    NODE_EXTRA_CA_CERTS: ca,
    PROXY_PORT: String(proxy.address().port),
  };
  const report = {};
  for (const way of WAYS) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', CLIENT, ...way], { env });
    report[way.join(', ')] = JSON.parse(stdout);
  }
  console.log(JSON.stringify(report, undefined, 1));
  const ours = Object.entries(report).filter(([way]) => !way.startsWith('plain'));
  process.exitCode = ours.some(([, { requests, answers }]) => Math.max(requests, answers) > MOST) ? 1 : 0;
} finally {
  await provider.close();
  proxy.close();
  await rm(home, { recursive: true });
}
