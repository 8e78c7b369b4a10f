import { describe, expect, it } from 'vitest';
import { cancellationBy, readLimited } from '../../../lib/wire/own-request.js';
import { ReceivedBody } from '../../../lib/wire/received-body.js';

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

it.each(['before', 'after'])('B5: an own request ends with its signal, aborted %s it began', (moment) => {
  const abort = new AbortController();
  if (moment === 'before') abort.abort();
  const { cancellation } = cancellationBy(abort.signal);
  expect(cancellation.reason === undefined).toBe(moment === 'after');
  abort.abort();
  expect(cancellation.reason).toMatchObject({ code: 'ERR_CANCELED' });
});
