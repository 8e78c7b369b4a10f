import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { steeredClient } from '../../support/http/http-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

/** An upload that waits for a token. */
function given(body: PassThrough) {
  const { axios, tokens, stub } = steeredClient();
  let give!: () => void;
  let refuse!: (why: Error) => void;
  const token = new Promise<AccessToken>((resolve, reject) => {
    give = () => resolve(tokens.another());
    refuse = reject;
  });
  tokens.inMemory = undefined;
  tokens.fetch = () => token;
  const call = axios.post('/uploads', body, {
    // Reads the body to its end, as an adapter does.
    async adapter(config) {
      for await (const _ of config.data as PassThrough);
      return stub.respond(config, 200);
    },
  });
  return { call, give, refuse };
}

describe('an upload that waits for a token', () => {
  it('B9: may fail meanwhile: the process lives on, and the call fails as the stream did', async () => {
    const body = new PassThrough();
    const { call, give } = given(body);
    const failure = new Error('no such file');
    await Promise.resolve();
    await new Promise((resolve) => body.once('close', resolve).destroy(failure));
    give();
    expect(await errorOf(call)).toBe(failure);
  });

  it('B9: may fail when no token was had', async () => {
    const body = new PassThrough();
    const { call, refuse } = given(body);
    const none = new Error('no token');
    refuse(none);
    expect(await errorOf(call)).toBe(none);
    expect(() => body.emit('error', new Error('no such file'))).not.toThrow();
  });

  it('B28: gets one listener for that, however often it is sent', async () => {
    const body = new PassThrough();
    const { axios } = steeredClient();
    const count = async (): Promise<number> => {
      await errorOf(axios.post('/uploads', body, { adapter: () => Promise.reject(new Error('503')) }));
      return body.listenerCount('error');
    };
    const before = await count();
    // The other is that of the body which is handed to the adapter.
    expect(await count()).toBe(before + 1);
  });
});
