import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { Test } from '@nestjs/testing';
import nock from 'nock';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EasyHttpService } from '../../../lib/index.js';
import { ProviderAuthTestingModule } from '../../../lib/testing/index.js';
import { errorOf } from '../../support/token/token-fixtures.js';

async function givenEasy(http = {}): Promise<EasyHttpService> {
  const imports = [ProviderAuthTestingModule.forRoot({ http })];
  const app = await Test.createTestingModule({ imports }).compile();
  onTestFinished(() => app.close());
  return app.get(EasyHttpService);
}

/** Where nock 15 and its interceptors take a request: they replace this method. */
function mockConnect(connect: () => never) {
  return vi.spyOn(Socket.prototype, 'connect').mockImplementation(connect);
}

describe('B29: a mock of sockets, as in nock 15', () => {
  it('B29: that fails keeps its error in the cause and in the message', async () => {
    const easy = await givenEasy();
    const failure = new TypeError('Promise.withResolvers is not a function');
    const mock = mockConnect(() => {
      throw failure;
    });
    const error = await errorOf(easy.axiosRef.get('/payments/1'));
    expect(mock).toHaveBeenCalledTimes(1);
    expect(error).toMatchObject({
      message:
        'The mock that was to answer GET https://easy.sandbox.invalid/payments/1 failed: Promise.withResolvers is not a function',
      code: 'ERR_MOCK_FAILED',
    });
    const causes: unknown[] = [];
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
    expect(causes).toContain(failure);
  });

  it.each(['127.0.0.1', '[::1]'])('B29: opens no connection to %s, which needs no look-up', async (host) => {
    const connections: string[] = [];
    const server = createServer((socket) => {
      connections.push(host);
      socket.destroy();
    });
    server.listen(0, host.replaceAll(/[[\]]/g, ''));
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    onTestFinished(() => nock.restore());
    if (!nock.isActive()) nock.activate();
    const { port } = server.address() as AddressInfo;
    nock(ProviderAuthTestingModule.baseUrl('easy'))
      .get('/payments/1')
      .reply(302, '', { location: `https://${host}:${port}/` });
    const easy = await givenEasy({ maxRedirects: 1 });
    expect(await errorOf(easy.axiosRef.get('/payments/1'))).toMatchObject({ code: 'ERR_NO_MOCK' });
    expect(connections).toEqual([]);
  });
});
