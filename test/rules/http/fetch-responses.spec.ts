import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { given } from '../../support/http/given.js';
import { collectGarbage } from '../../support/run/collect-garbage.js';

type Script = Parameters<ReturnType<typeof given>['simulator']>[1];

async function start(script: Script, http = {}) {
  return given().simulator({}, script).app({ http }).start();
}

it('B21: a body that no caller reads does not hold its connection', async () => {
  const { easy, provider } = await start(() => {});
  const sockets = new Set<unknown>();
  provider.api.handler(({ socket }, response) => {
    sockets.add(socket);
    response.end('short');
  });
  // A connection is free a moment after its answer. If the bodies held their connections, each call would have a new one.
  const usedAgain = async (): Promise<number> => {
    await easy.fetch('/x');
    return provider.apiRequests.length - sockets.size;
  };
  await expect.poll(usedAgain).toBeGreaterThan(2);
});

it.each([
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
])('B21: bytes after the end of a body in %s do not hold its connection', async (encoding, compress) => {
  const { easy, provider } = await start(() => {});
  const content = randomBytes(256 * 1024);
  let open = 0;
  provider.api.handler((_, response) => {
    open += 1;
    response.once('close', () => (open -= 1));
    response.writeHead(200, { 'content-encoding': encoding });
    response.write(Buffer.concat([compress(content), Buffer.from('and more')]));
  });
  for (let call = 0; call < 3; call += 1) {
    const received = await (await easy.fetch('/x')).arrayBuffer();
    expect(content.equals(Buffer.from(received))).toBe(true);
  }
  await expect.poll(() => open).toBe(0);
});

it('B21: a large body that no code can read any more ends its request', async () => {
  const { easy, provider } = await start(() => {});
  let [opened, open] = [0, 0];
  provider.api.handler((_, response) => {
    opened += 1;
    open += 1;
    response.once('close', () => (open -= 1));
    response.write(Buffer.alloc(8 * 1024 * 1024));
  });
  // In its own function: the last values of this function stay on its stack.
  const abandon = async (): Promise<void> => {
    await easy.fetch('/x');
    void (await easy.fetch('/x')).body;
    (await easy.fetch('/x')).clone();
  };
  await abandon();
  expect(opened).toBe(3);
  await vi.waitFor(
    () => {
      collectGarbage();
      expect(open).toBe(0);
    },
    { timeout: 20_000, interval: 100 },
  );
});

it.each<[string, (answer: Response) => () => Promise<string>]>([
  ['the response', (answer) => () => answer.text()],
  [
    'the stream',
    ({ body }) =>
      () =>
        new Response(body).text(),
  ],
  [
    'a clone',
    (answer) => {
      const clone = answer.clone();
      return () => clone.text();
    },
  ],
  [
    'a promise of the text',
    (answer) => {
      const text = answer.text();
      return () => text;
    },
  ],
])('B21: a large body can be read as long as code has %s', async (_, keepOf) => {
  const { easy, provider } = await start(() => {});
  let finish: (() => void) | undefined;
  provider.api.handler((_, response) => {
    response.write('x'.repeat(1024 * 1024));
    finish = () => void response.end('end');
  });
  const read = await easy.fetch('/x').then(keepOf);
  for (let turn = 0; turn < 5; turn += 1) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  finish?.();
  expect((await read()).slice(-4)).toBe('xend');
});

it('B21: a reader that cancels ends the request', async () => {
  const { easy, provider } = await start(() => {});
  const closed = new Promise((resolve) => {
    provider.api.handler(({ socket }, response) => {
      socket.once('close', () => resolve('closed'));
      response.write('first');
    });
  });
  const answer = await easy.fetch('/x');
  await answer.body?.cancel();
  await expect(closed).resolves.toBe('closed');
});

it('B21: the server waits for a slow reader', async () => {
  const { easy, provider } = await start(() => {});
  let sent = 0;
  provider.api.handler((_, response) => {
    const chunk = Buffer.alloc(64 * 1024);
    const write = (): void => {
      do sent += chunk.length;
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', write);
    write();
  });
  const answer = await easy.fetch('/x');
  await expect.poll(() => sent).toBeGreaterThan(0);
  let before = -1;
  while (before !== sent) {
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  // What the buffers of both sides hold. Without back-pressure it would grow without end.
  expect(sent).toBeLessThan(32 * 1024 * 1024);
  await answer.body?.cancel();
});
