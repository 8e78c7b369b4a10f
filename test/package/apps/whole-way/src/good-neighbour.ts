import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';

const run = promisify(execFile);

/** Shows the side effects of the library on a process: it does not change `fetch`, and makes one tunnel for a connection. */
export async function goodNeighbour(provider: ProviderSimulator) {
  return { ownFetch: await printedBy('own-fetch.js'), behindProxy: await behindProxy(provider) };
}

/** A separate process makes the calls, because Node reads these variables when it starts. */
async function behindProxy(provider: ProviderSimulator) {
  provider.reset();
  const proxy = await startProxy();
  const folder = await mkdtemp(join(tmpdir(), 'whole-way-'));
  try {
    const ca = join(folder, 'ca.pem');
    await writeFile(ca, provider.ca);
    const address = `http://127.0.0.1:${proxy.port}`;
    const answers = await printedBy('behind-proxy.js', {
      ...byName(provider.env()),
      NODE_EXTRA_CA_CERTS: ca,
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: address,
      HTTP_PROXY: address,
      NO_PROXY: '',
    });
    const { port } = new URL(provider.baseUrl('easy', 'sandbox'));
    return {
      answers,
      tunnels: proxy.tunnels.length,
      tunnelsElsewhere: proxy.tunnels.filter((target) => target !== `localhost:${port}`),
    };
  } finally {
    proxy.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** On Node 26, https-proxy-agent 5, which axios uses, makes no tunnel to a numeric address. */
function byName(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replace('127.0.0.1', 'localhost')]),
  );
}

async function printedBy(file: string, env: Record<string, string> = {}): Promise<unknown> {
  const { stdout } = await run(process.execPath, [join(dirname(process.argv[1] ?? ''), file)], {
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  return JSON.parse(stdout);
}

/** A proxy that makes tunnels and records their targets. */
async function startProxy() {
  const tunnels: string[] = [];
  const server = createServer((_, response) => void response.writeHead(400).end());
  server.on('connect', ({ url = '' }, client: Duplex) => {
    tunnels.push(url);
    const { hostname, port } = new URL(`https://${url}`);
    const there = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(there).pipe(client);
    });
    client.on('error', () => there.destroy());
    there.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, tunnels, close: () => void server.close() };
}
