import { once } from 'node:events';
import { Agent } from 'node:https';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type AxiosRequestConfig, create } from 'axios';
import { describe, expect, it, onTestFinished } from 'vitest';
import { transportClient } from '../../support/http/transport-client.js';
import type { WireServer } from '../../support/http/wire-server.js';
import { outcomeOf } from '../../support/http/transport-outcome.js';

const ENDINGS: readonly (readonly [string, (upload: PassThrough) => void])[] = [
  ['is destroyed', (upload) => upload.destroy()],
  ['fails', (upload) => upload.destroy(Object.assign(new Error('The disk is gone.'), { code: 'EIO' }))],
];

const MOMENTS: readonly (readonly [string, Uint8Array | undefined, Record<string, string>])[] = [
  ['before the answer', undefined, {}],
  ['within the answer', Buffer.from('some'), {}],
  ['within an encoded answer', Buffer.from([0x1f, 0x8b, 8, 0]), { 'content-encoding': 'gzip' }],
];

const KINDS: readonly AxiosRequestConfig[] = [
  {},
  { responseType: 'stream' },
  { responseType: 'arraybuffer' },
];

/** After the first bytes of the upload, sends the head of a response, or nothing. */
function answerEarly(server: WireServer, head: Record<string, string>, part: Uint8Array | undefined): void {
  server.onHeaders = (request, response) => {
    request.resume();
    if (part) response.writeHead(200, head).write(part);
  };
}

describe.each(ENDINGS)('B17: an upload that %s', (_, end) => {
  describe.each(MOMENTS)('%s', (__, part, head) => {
    it.each(KINDS)('ends the call as with axios: %j', async (kind) => {
      const { server, client } = await transportClient();
      answerEarly(server, head, part);
      const agent = new Agent({ ca: server.ca, keepAlive: true });
      onTestFinished(() => agent.destroy());
      const axiosClient = create({ baseURL: server.url, maxRedirects: 0, httpsAgent: agent });
      const outcomes = [axiosClient, client].map(async (instance) => {
        const upload = new PassThrough();
        upload.write('some');
        const outcome = outcomeOf(instance, { method: 'POST', url: '/', data: upload, ...kind }, server);
        await pause(200);
        end(upload);
        return outcome;
      });
      const [expected, found] = await Promise.all(outcomes);
      expect(found).toEqual(expected);
    });
  });
});

it('B17: the reader of a response gets ERR_CANCELED if the upload was destroyed', async () => {
  const { server, client } = await transportClient();
  answerEarly(server, {}, Buffer.from('some'));
  const upload = new PassThrough();
  upload.write('some');
  const { data } = await client.post<Readable>('/', upload, { responseType: 'stream' });
  data.resume();
  const failed = once(data, 'end');
  upload.destroy();
  await expect(failed).rejects.toMatchObject({
    code: 'ERR_CANCELED',
    message: 'Request stream has been aborted',
  });
});

it.each([2, 10_000])('B29: an upload with another length than %i bytes says so', async (announced) => {
  const { client } = await transportClient();
  const headers = { 'Content-Length': announced };
  await expect(client.post('/', Readable.from([Buffer.alloc(100)]), { headers })).rejects.toMatchObject({
    code: 'ERR_HTTP_CONTENT_LENGTH_MISMATCH',
    message: 'The body of the request is not as long as its Content-Length.',
  });
});
