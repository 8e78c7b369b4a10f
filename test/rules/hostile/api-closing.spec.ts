import { expect, it } from 'vitest';
import { runSource } from '../../support/run/run-source.js';

/**
 * Around the size of a stream's buffer, the end of the connection and the end of the body come in another order. By night, and with
 * the versions of `npm run test:matrix` that need another Node, there are more sizes.
 */
const SIZES = process.env['TEST_TIMES'] === undefined ? [1, 65_537] : [1, 65_535, 65_537, 1024 * 1024];

const VERSIONS = ['undici', 'undici-lowest'];

/** The process also has uploads that get an answer while they still wait in the socket. */
const TEXT = `
  import { troubleWithClosingAnswers } from './test/support/http/closing-answers.js';
  import { openLoopbackClient } from './test/support/http/loopback-client.js';
  const { ours, server, close } = await openLoopbackClient();
  server.onHeaders = (request, response) =>
    response.writeHead(413, { 'content-length': 2 }).end('no', () => server.reset(request));
  const upload = () => ours.post('/x', Buffer.alloc(20_000_000), { validateStatus: null });
  const answers = await Promise.all([upload(), upload(), upload()]);
  console.log(answers.map(({ status }) => status).join());
  await close();
  console.log(JSON.stringify(await troubleWithClosingAnswers(${JSON.stringify(SIZES)})));
`;

it.each(VERSIONS)(
  'B36 B9: an API that ends each connection with its response ends no process, however the caller reads the bodies: %s',
  { timeout: 120_000 },
  async (undici) => {
    const { code, stderr, stdout } = await runSource(TEXT, {}, { timeoutMs: 100_000, packages: { undici } });
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: '413,413,413\n[]\n' });
  },
);
