import { EventEmitter, once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { ioredisRunner } from '../../../lib/redis/redis-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

/** As a client of ioredis that connects. */
class ConnectingClient extends EventEmitter {
  status = 'connecting';

  eval(): Promise<string> {
    return Promise.resolve('reply');
  }
}

const EVENTS = ['ready', 'close', 'end'];
/** More than Node allows without a warning. */
const MANY = 30;

it('B22: any number of scripts that wait for a client add one listener of each kind, and Node warns of no leak', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  const client = new ConnectingClient();
  const run = ioredisRunner(client, 60_000);
  const replies = Array.from({ length: MANY }, () => run('script', [], []));
  expect(EVENTS.map((event) => client.listenerCount(event))).toEqual([1, 1, 1]);
  client.status = 'ready';
  client.emit('ready');
  expect(await Promise.all(replies)).toEqual(replies.map(() => 'reply'));
  expect(EVENTS.map((event) => client.listenerCount(event))).toEqual([0, 0, 0]);
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});

it('B22: a client that closes is waited for again by the next script', async () => {
  const client = new ConnectingClient();
  const run = ioredisRunner(client, 60_000);
  const failed = Promise.all([errorOf(run('script', [], [])), errorOf(run('script', [], []))]);
  client.status = 'close';
  client.emit('close');
  expect(await failed).toEqual([new Error('NOT_CONNECTED'), new Error('NOT_CONNECTED')]);
  client.status = 'connecting';
  const next = run('script', [], []);
  const ready = once(client, 'ready');
  client.status = 'ready';
  client.emit('ready');
  await ready;
  expect(await next).toBe('reply');
});

it.each(['wait', 'connecting', 'connect'])(
  'B22: a script waits for a client with the status %s',
  async (status) => {
    const client = Object.assign(new ConnectingClient(), { status, connect: () => Promise.resolve() });
    const reply = ioredisRunner(client, 60_000)('script', [], []);
    expect(client.listenerCount('ready')).toBe(1);
    client.status = 'ready';
    client.emit('ready');
    expect(await reply).toBe('reply');
  },
);

it.each(['ready', 'wait'])(
  'B22: a client with the status %s gets the script at once if it can take it',
  async (status) => {
    const client = Object.assign(new ConnectingClient(), { status });
    const reply = ioredisRunner(client, 60_000)('script', [], []);
    expect(client.listenerCount('ready')).toBe(0);
    expect(await reply).toBe('reply');
  },
);

it.each(['end', 'close', 'reconnecting'])('B22: a client with the status %s gets nothing', async (status) => {
  const client = Object.assign(new ConnectingClient(), { status });
  const failed = errorOf(ioredisRunner(client, 60_000)('script', [], []));
  expect(client.listenerCount('ready')).toBe(0);
  expect(await failed).toEqual(new Error('NOT_CONNECTED'));
});

it('B35: says why the client has no connection, until a script is sent again', async () => {
  const client = Object.assign(new ConnectingClient(), { status: 'end' });
  const run = ioredisRunner(client, 60_000);
  client.on('error', () => {});
  client.emit('error', Object.assign(new Error('canary-host'), { code: 'ECONNREFUSED' }));
  const failed = await errorOf(run('script', [], []));
  expect(failed).toMatchObject({ message: 'NOT_CONNECTED', code: 'ECONNREFUSED' });
  client.status = 'ready';
  await run('script', [], []);
  client.status = 'end';
  expect(await errorOf(run('script', [], []))).not.toHaveProperty('code');
});
