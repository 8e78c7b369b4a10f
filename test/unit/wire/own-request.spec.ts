import { Agent } from 'node:https';
import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../lib/wire/call-budget.js';
import { cancellationBy, readLimited, sendOwnRequest } from '../../../lib/wire/own-request.js';
import { ReceivedBody } from '../../../lib/wire/received-body.js';
import { WireServer } from '../../support/http/wire-server.js';

function answerOf(...chunks: string[]) {
  let isClosed = false;
  const data = new ReceivedBody({ resume: () => undefined, closed: () => (isClosed = true) });
  for (const chunk of chunks) data.push(Buffer.from(chunk));
  return { data, isClosed: () => isClosed };
}

describe('the body of an answer to a request of the module', () => {
  it('B13: is read to its end, up to the limit', async () => {
    const { data } = answerOf('abc', 'de');
    data.push(null);
    expect(String(await readLimited({ data }, 5))).toBe('abcde');
  });

  it('B13: is given up one byte past the limit, without its end', async () => {
    const { data, isClosed } = answerOf('abc', 'def');
    expect(await readLimited({ data }, 5)).toBeUndefined();
    expect(isClosed()).toBe(true);
  });

  it('B13: that breaks off is none', async () => {
    const { data } = answerOf('abc');
    const reading = readLimited({ data }, 5);
    data.destroy(new Error('cut'));
    await expect(reading).rejects.toThrow('cut');
  });
});

describe('a request of the module', () => {
  it.each([
    ['GET', {}, undefined],
    ['POST', { body: Buffer.from('four') }, '4'],
  ] as const)('S2: %s with %j names the length %s', async (method, body, length) => {
    const server = await WireServer.start();
    const agent = new Agent({ ca: server.ca });
    const cancellation = new Cancellation();
    await sendOwnRequest({ method, url: server.url, headers: [], ...body, agent, cancellation });
    await server.close();
    expect(server.seen[0]?.headers['content-length']).toBe(length);
  });

  it.each(['before', 'after'])('B5: ends with its signal, aborted %s the request began', (moment) => {
    const abort = new AbortController();
    if (moment === 'before') abort.abort();
    const { cancellation } = cancellationBy(abort.signal);
    abort.abort();
    expect(cancellation.reason).toMatchObject({ code: 'ERR_CANCELED' });
  });
});
