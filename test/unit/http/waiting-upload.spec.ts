import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { steeredClient } from '../../support/http/http-client.js';
import { errorOf, failureOf } from '../../support/token/token-fixtures.js';

/** An upload that waits for a token. */
function startUpload(body: PassThrough) {
  const { axios, tokens, stub } = steeredClient();
  let give!: () => void;
  let refuse!: (why: Error) => void;
  const token = new Promise<AccessToken>((resolve, reject) => {
    give = () => resolve(tokens.another());
    refuse = reject;
  });
  tokens.inMemory = undefined;
  tokens.fetch = () => token;
  const sent: string[] = [];
  const call = axios.post('/uploads', body, {
    // Reads the body to its end, as an adapter does.
    async adapter(config) {
      for await (const chunk of config.data as PassThrough) sent.push(String(chunk));
      return stub.respond(config, 200);
    },
  });
  return { call, give, refuse, sent };
}

describe('an upload that waits for a token', () => {
  it('B9: may fail meanwhile: the process goes on, and the call fails with the error of the stream', async () => {
    const body = new PassThrough();
    const { call, give } = startUpload(body);
    const failure = new Error('no such file');
    await Promise.resolve();
    await new Promise((resolve) => body.once('close', resolve).destroy(failure));
    give();
    expect(await errorOf(call)).toBe(failure);
  });

  it.each(['before', 'after'])(
    'B28: is sent whole, also if other code has listened to it since %s the call began',
    async (moment) => {
      const body = new PassThrough();
      const counted: string[] = [];
      const count = (): void => void body.on('data', (chunk) => counted.push(String(chunk)));
      if (moment === 'before') count();
      const { call, give, sent } = startUpload(body);
      if (moment === 'after') count();
      body.write('one');
      await setImmediate();
      expect(counted).toEqual([]);
      give();
      body.end('two');
      await call;
      expect([sent.join(''), counted.join('')]).toEqual(['onetwo', 'onetwo']);
    },
  );

  it.each<[string, boolean, (body: PassThrough) => unknown]>([
    ['goes on for code that listened before the call', true, (body) => body],
    ['stays paused if it was paused before the call', false, (body) => body.pause()],
  ])('B28: that is not sent in the end %s', async (_, goesOn, prepare) => {
    const body = new PassThrough();
    const counted: string[] = [];
    body.on('data', (chunk) => counted.push(String(chunk)));
    prepare(body);
    const { call, refuse } = startUpload(body);
    body.end('one');
    refuse(failureOf());
    await errorOf(call);
    await setImmediate();
    expect(counted).toEqual(goesOn ? ['one'] : []);
  });

  it('B28: that is not sent in the end flows for code that listens later', async () => {
    const body = new PassThrough();
    const { call, refuse } = startUpload(body);
    body.end('one');
    refuse(failureOf());
    await errorOf(call);
    const listened = vi.fn<(chunk: unknown) => void>();
    body.on('data', listened);
    await setImmediate();
    expect(listened).toHaveBeenCalledOnce();
  });

  it('B9: may fail if no token was available', async () => {
    const body = new PassThrough();
    const { call, refuse } = startUpload(body);
    const none = new Error('no token');
    refuse(none);
    expect(await errorOf(call)).toBe(none);
    expect(() => body.emit('error', new Error('no such file'))).not.toThrow();
  });

  it('B28: gets only one listener, even if it is sent many times', async () => {
    const body = new PassThrough();
    const { axios } = steeredClient();
    const count = async (): Promise<number> => {
      await errorOf(axios.post('/uploads', body, { adapter: () => Promise.reject(new Error('503')) }));
      return body.listenerCount('error');
    };
    const before = await count();
    expect(await count()).toBe(before);
  });
});
