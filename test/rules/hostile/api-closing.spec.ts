import { describe, expect, it } from 'vitest';
import { runSource } from '../../support/run/run-source.js';

const MI = 1024 * 1024;
/** Around the size of a stream's buffer, the end of the connection and the end of the body come in another order. */
const SIZES = [1, 65_535, 65_537, MI];

/** `npm run test:matrix` has the versions that need another Node. */
const VERSIONS = ['undici', 'undici-lowest'];

const TEXT = `
  import { troubleWithClosingAnswers } from './test/support/http/closing-answers.js';
  console.log(JSON.stringify(await troubleWithClosingAnswers(${JSON.stringify(SIZES)})));
`;

/** The answer comes while the upload still waits in the socket. */
const UPLOADS = `
  import { openLoopbackClient } from './test/support/http/loopback-client.js';
  const { ours, server, close } = await openLoopbackClient();
  server.onHeaders = (request, response) =>
    response.writeHead(413, { 'content-length': 2 }).end('no', () => server.reset(request));
  const upload = () => ours.post('/x', Buffer.alloc(20_000_000), { validateStatus: null });
  const answers = await Promise.all([upload(), upload(), upload()]);
  console.log(answers.map(({ status }) => status).join());
  await close();
`;

describe('an API that ends each connection with its response', () => {
  it('B36: does not end the process if it answers and resets the connection of an upload', async () => {
    const { code, stderr, stdout } = await runSource(UPLOADS);
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: '413,413,413\n' });
  });

  it.each(VERSIONS)(
    'B36 B9: does not end the process, however the caller reads the bodies: %s',
    async (undici) => {
      const { code, stderr, stdout } = await runSource(
        TEXT,
        {},
        { timeoutMs: 100_000, packages: { undici } },
      );
      expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: '[]\n' });
    },
    120_000,
  );
});
