import { expect, it, vi } from 'vitest';
import { readBody } from '../../../../lib/testing/simulator/request-body.js';
import { ReceivedRequest, type WrittenRequest } from '../../../support/http/received-request.js';
import { settled } from '../../../support/token/fake-clock.js';

it.each<[what: string, written: WrittenRequest]>([
  ['neither Content-Length nor Transfer-Encoding', {}],
  ['a Content-Length of 0', { method: 'POST', headers: { 'content-length': '0' } }],
])('a request with %s has no body, and is not waited for', async (_, written) => {
  const { request } = await ReceivedRequest.with(written);
  const done = vi.fn<(body: Buffer) => void>();
  readBody(request, done);
  expect(done.mock.calls).toEqual([[Buffer.alloc(0)]]);
  await settled();
  // Node's server reads no further request from a connection before this one has been read.
  expect(request.readableEnded).toBe(true);
  expect(done).toHaveBeenCalledTimes(1);
});

it('a body that comes in pieces is read once, when it is complete', async () => {
  const received = await ReceivedRequest.with({ method: 'POST', headers: { 'content-length': '6' } });
  const done = vi.fn<(body: Buffer) => void>();
  readBody(received.request, done);
  received.write('abc');
  await settled();
  expect(done).not.toHaveBeenCalled();
  received.write('def');
  await settled();
  expect(done.mock.calls).toEqual([[Buffer.from('abcdef')]]);
});

it('a chunked body is read', async () => {
  const headers = { 'transfer-encoding': 'chunked' };
  const received = await ReceivedRequest.with({ method: 'POST', headers });
  const done = vi.fn<(body: Buffer) => void>();
  readBody(received.request, done);
  received.write('3\r\nabc\r\n0\r\n\r\n');
  await settled();
  expect(done.mock.calls).toEqual([[Buffer.from('abc')]]);
});
