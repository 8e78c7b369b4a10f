import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { given, TRANSPORT } from '../../support/http/given.js';

const CHUNK = 64 * 1024;
const TOTAL = 192 * 1024 * 1024;
/** What all buffers on the way may hold together: of both streams, of both sockets and of TLS. */
const MOST_ON_THE_WAY = 24 * 1024 * 1024;

/** The `fetch` of an application whose API is this listener. The simulator would keep whole bodies. */
async function start(listener: RequestListener) {
  const { ca, cert, key } = await issueServerCertificate('trusted');
  const server = createServer({ cert, key }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const { easy } = await given()
    .app((provider) => {
      const transport = TRANSPORT === 'undici' ? { transport: undiciTransport() } : {};
      const options = provider.options({ http: { timeoutMs: 100_000, ...transport } });
      const { easy } = options.interfaces;
      const sandbox = { ...easy?.sandbox, baseUrl, tls: { ca: provider.ca + ca } } as NonNullable<
        NonNullable<typeof easy>['sandbox']
      >;
      return { ...options, interfaces: { ...options.interfaces, easy: { sandbox } } };
    })
    .start();
  return easy.fetch;
}

describe('a large body', { timeout: 120_000 }, () => {
  it.each(['a stream', 'a Request'])('B21: is uploaded in constant memory as %s', async (form) => {
    let received = 0;
    let made = 0;
    let most = 0;
    const fetch = await start((request, response) => {
      request.on('data', (chunk: Buffer) => (received += chunk.length));
      request.on('end', () => response.end(String(received)));
    });
    const body = new ReadableStream(
      {
        pull(controller) {
          most = Math.max(most, made - received);
          made += CHUNK;
          controller.enqueue(new Uint8Array(CHUNK));
          if (made >= TOTAL) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const init = { method: 'POST', body, duplex: 'half' as const };
    const answer = await (form === 'a stream'
      ? fetch('/up', init)
      : fetch(new Request(`${fetch.baseUrl}/up`, init)));
    expect(await answer.text()).toBe(String(TOTAL));
    expect(most).toBeLessThan(MOST_ON_THE_WAY);
  });

  it('B21: is downloaded in constant memory', async () => {
    let sent = 0;
    const fetch = await start((_, response) => {
      const chunk = Buffer.alloc(CHUNK);
      const write = (): void => {
        while (sent < TOTAL) {
          sent += CHUNK;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    });
    let received = 0;
    let most = 0;
    const { body } = await fetch('/down');
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      received += chunk.length;
      most = Math.max(most, sent - received);
    }
    expect(received).toBe(TOTAL);
    expect(most).toBeLessThan(MOST_ON_THE_WAY);
  });
});
