import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { EasyHttpService } from '../../../lib/index.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { startSimulatorWithCaFile } from '../../support/application/simulator.js';
import { given, TRANSPORT } from '../../support/http/given.js';
import { runSource } from '../../support/run/run-source.js';
import { errorOf } from '../../support/token/token-fixtures.js';

/** Ten minutes: what waits for a token request does not end by itself within a test. */
const token = { timeoutMs: 600_000 };

interface Way {
  readonly way: string;
  /** The application has a token, which the API refuses. */
  readonly isWarm?: boolean;
  /** @param arrived waits until the token request is under way. */
  readonly leave: (easy: EasyHttpService, arrived: () => Promise<void>) => Promise<unknown>;
}

/** Calls with a signal, which ends them when their token request is under way. */
async function abort(call: (signal: AbortSignal) => Promise<unknown>, arrived: () => Promise<void>) {
  const leaving = new AbortController();
  const left = errorOf(call(leaving.signal));
  await arrived();
  leaving.abort();
  await left;
}

/** Each way in which a caller leaves while a token is requested. */
const WAYS: readonly Way[] = [
  { way: 'timeout', leave: (easy) => errorOf(easy.axiosRef.get('/things', { timeout: 100 })) },
  {
    way: 'signal',
    leave: (easy, arrived) => abort((signal) => easy.axiosRef.get('/things', { signal }), arrived),
  },
  {
    way: 'fetch signal',
    leave: (easy, arrived) => abort((signal) => easy.fetch('/things', { signal }), arrived),
  },
  {
    way: 'unsubscribe',
    leave: async (easy, arrived) => {
      const subscription = easy.get('/things').subscribe();
      await arrived();
      subscription.unsubscribe();
    },
  },
  {
    way: 'signal after a 401',
    isWarm: true,
    leave: (easy, arrived) => abort((signal) => easy.axiosRef.get('/things', { signal }), arrived),
  },
  {
    way: 'one-shot body',
    isWarm: true,
    leave: (easy) => errorOf(easy.axiosRef.post('/things', Readable.from(['x']))),
  },
  {
    way: 'one-shot body of fetch',
    isWarm: true,
    leave: (easy) =>
      easy.fetch('/things', { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' }),
  },
];

/** From now on, or from the second request on, the token endpoint never answers. Returns the requests under way. */
function hang(provider: ProviderSimulator, isWarm = false): Set<ServerResponse> {
  const open = new Set<ServerResponse>();
  if (isWarm) {
    provider.token.next().regular();
    provider.api.next().unauthorized();
  }
  provider.token.handler((_, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
  });
  return open;
}

describe('callers that have left, in an application that closes', () => {
  it.each(WAYS)('B9: $way: no token request goes on, and none starts', async ({ isWarm, leave }) => {
    let open = new Set<ServerResponse>();
    const { app, easy, provider } = await given()
      .simulator({}, (one) => void (open = hang(one, isWarm)))
      .app({ token })
      .start();
    const arrived = async (): Promise<void> => {
      await expect.poll(() => open.size).toBe(1);
    };
    await leave(easy, arrived);
    await arrived();
    const asked = provider.tokenRequests.length;
    await app.close();
    await expect.poll(() => open.size).toBe(0);
    expect(provider.tokenRequests).toHaveLength(asked);
  });

  it('B9: the last one leaves after the close: no token request goes on', async () => {
    let open = new Set<ServerResponse>();
    const { app, tokens } = await given()
      .simulator({}, (one) => void (open = hang(one)))
      .app({ token })
      .start();
    const leaving = new AbortController();
    const left = errorOf(tokens.getToken({ signal: leaving.signal }));
    await expect.poll(() => open.size).toBe(1);
    await app.close();
    expect(open.size).toBe(1);
    leaving.abort();
    await left;
    await expect.poll(() => open.size).toBe(0);
  });

  it('B9: the last one leaves after the close, for a token of an account that was first used then', async () => {
    let open = new Set<ServerResponse>();
    const { app, tokens } = await given()
      .simulator({}, (one) => {
        one.addAccount('late');
        open = hang(one);
      })
      .app({ token })
      .start();
    await app.close();
    const leaving = new AbortController();
    const left = errorOf(tokens.for({ account: 'late' }).getToken({ signal: leaving.signal }));
    await expect.poll(() => open.size).toBe(1);
    leaving.abort();
    await left;
    await expect.poll(() => open.size).toBe(0);
  });
});

// undici waits ten seconds.
it.skipIf(TRANSPORT === 'undici')(
  'B9: an application closes while a call goes on, and the call gets its answer',
  async () => {
    const { app, easy, provider } = await given().app().start();
    const held = provider.api.next().hold();
    const call = easy.axiosRef.get('/things', { timeout: 0 });
    await expect.poll(() => provider.apiRequests).toHaveLength(1);
    await app.close();
    held.release();
    expect((await call).status).toBe(200);
  },
);

/** The same ways, in the source of an application. */
const SOURCES = [
  ['timeout', `easy.axiosRef.get('/things', { timeout: 100 })`],
  ['signal', `easy.axiosRef.get('/things', { signal: AbortSignal.timeout(100) })`],
  ['fetch signal', `easy.fetch('/things', { signal: AbortSignal.timeout(100) })`],
  ['one-shot body', `easy.axiosRef.post('/things', Readable.from(['x']))`],
] as const;

describe('the process of an application that closes', { timeout: 60_000 }, () => {
  it.each(SOURCES)('B9: ends after its caller has left: %s', async (way, call) => {
    const { provider, caFile } = await startSimulatorWithCaFile();
    hang(provider, way === 'one-shot body');
    const { code, stderr, stdout } = await application(provider, caFile, call);
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: 'left\nclosed\n' });
    expect(provider.tokenRequests.length).toBeLessThanOrEqual(way === 'one-shot body' ? 2 : 1);
  });

  it('B9: ends although its function for the secret never answers', async () => {
    const { provider, caFile } = await startSimulatorWithCaFile();
    const ended = await application(
      provider,
      caFile,
      SOURCES[0][1],
      'options.interfaces.easy.sandbox.clientSecret = () => new Promise(() => {});',
    );
    expect(ended).toEqual({ code: 0, stderr: '', stdout: 'left\nclosed\n' });
    expect(provider.tokenRequests).toEqual([]);
  });
});

/** Nothing but the work of the library could keep this process alive after `closed`. */
function application(provider: ProviderSimulator, caFile: string, call: string, settings = '') {
  const source = `
    import { Readable } from 'node:stream';
    import { NestFactory } from '@nestjs/core';
    import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from './lib/index.ts';
    const options = { ...providerAuthConfig(), token: ${JSON.stringify(token)} };
    ${settings}
    const app = await NestFactory.createApplicationContext(ProviderAuthModule.forRoot(options), { logger: false });
    const easy = app.get(EasyHttpService);
    await ${call}.catch(() => console.log('left'));
    await app.close();
    console.log('closed');
  `;
  return runSource(source, { ...provider.env(), NODE_EXTRA_CA_CERTS: caFile });
}
