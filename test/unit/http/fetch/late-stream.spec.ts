import { expect, it } from 'vitest';
import { LateStream } from '../../../../lib/http/fetch/body-stream.js';

it('B21: the Response of this Node asks our stream, also for what was read before', async () => {
  const [late, read] = ['late', 'read'].map((text) => new LateStream(Buffer.from(text), undefined));
  const [response, ofRead] = [late, read].map((stream) => new Response(stream as unknown as ReadableStream));
  expect([read?.takeText(), ofRead?.bodyUsed, ofRead?.body?.locked]).toEqual(['read', true, true]);
  await expect(ofRead?.text()).rejects.toThrow(TypeError);
  expect([response?.bodyUsed, response?.body?.locked]).toEqual([false, false]);
  expect([await response?.text(), late?.takeText(), response?.bodyUsed]).toEqual(['late', undefined, true]);
});
