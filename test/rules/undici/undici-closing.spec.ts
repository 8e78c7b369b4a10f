import { describe, expect, it } from 'vitest';
import { runSource } from '../../support/run/run-source.js';

const MI = 1024 * 1024;
/** Around the size of a stream's buffer, the end of the connection and the end of the body come in another order. */
const SIZES = [1, 65_535, 65_536, 65_537, MI];

const TEXT = `
  import https from 'node:https';
  import { AxiosHeaders } from 'axios';
  import { issueServerCertificate } from './lib/testing/simulator/certificate-authority.js';
  import { ClientTls } from './lib/net/client-tls.js';
  import { undiciTransport } from './lib/undici/undici-transport.js';
  import { Cancellation } from './lib/wire/call-budget.js';

  const { ca, cert, key } = await issueServerCertificate('trusted');
  const server = https.createServer({ cert, key }, (request, response) => {
    const [, size, ending] = request.url.split('/');
    response.writeHead(200, { connection: 'close', ...(ending === 'length' && { 'content-length': size }) });
    response.write(Buffer.alloc(Number(size)), () => {
      if (ending === 'reset') request.socket.destroy();
      else response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL('https://127.0.0.1:' + server.address().port);
  const source = undiciTransport().open({ interface: 'easy', environment: 'sandbox', baseUrl: url.href, tls: new ClientTls({ ca }) });
  const config = { headers: new AxiosHeaders(), responseType: 'stream' };
  const call = async (path) => {
    const sent = { method: 'GET', url, path, headers: [], body: null, isRepeatable: true, isUnderBase: true, config };
    const { response } = await new Promise((resolve) => source.send({ ...sent, cancellation: new Cancellation() }, resolve));
    await new Promise((resolve) => setTimeout(resolve, 100));
    try {
      let length = 0;
      for (let chunk = await response.data.next(); chunk; chunk = await response.data.next()) length += chunk.length;
      return length;
    } catch (error) {
      return error.code;
    }
  };
  const found = {};
  for (const size of ${JSON.stringify(SIZES)})
    for (const ending of ['length', 'chunked', 'reset']) found[size + ending] = await call('/' + size + '/' + ending);
  console.log(JSON.stringify(found));
  await source.close(Promise.resolve());
  server.close();
`;

describe('an API that ends each connection with its response', () => {
  it.each(['undici', 'undici-lowest'])(
    'B36 B9: does not end the process, although the reader is slow: %s',
    async (undici) => {
      const { code, stderr, stdout } = await runSource(TEXT, {}, { timeoutMs: 30_000, packages: { undici } });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const found = JSON.parse(stdout) as Record<string, unknown>;
      for (const size of SIZES) {
        expect(found[`${size}length`]).toBe(size);
        expect(found[`${size}chunked`]).toBe(size);
        expect([size, 'ECONNRESET']).toContain(found[`${size}reset`]);
      }
    },
    60_000,
  );
});
