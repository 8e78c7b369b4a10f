import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { givenUpdates } from '../../support/application/simulator-updates.js';

it('B25: a page that does not read gets no more updates, and the whole state when it reads again', async () => {
  const { updates, receive, sizeOfState } = givenUpdates();
  let page: ServerResponse | undefined;
  const server = createServer((_, response) => updates.subscribe((page = response), {}));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await expect.poll(() => page).toBeDefined();
  socket.pause();
  let number = 0;
  let behind = 0;
  while (behind < 20) {
    for (let more = 0; more < 400; more += 1) receive((number += 1));
    await pause(110);
    behind = page?.writableNeedDrain ? behind + 1 : 0;
  }
  // One update more than it took, and a state at most.
  expect(page?.writableLength).toBeLessThan(3 * sizeOfState());
  let received = '';
  socket
    .setEncoding('utf8')
    .on('data', (text) => (received += text))
    .resume();
  await expect.poll(() => received.match(/event: state/g)?.length, { timeout: 5_000 }).toBe(2);
  receive(number + 1);
  await expect.poll(() => received).toContain(`"id":${number + 1},`);
  expect(page?.listenerCount('drain')).toBeLessThanOrEqual(1);
}, 60_000);

it('B25: an update does not repeat requests that a page got when it read again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { updates, receive } = givenUpdates();
  const written: string[] = [];
  let readAgain: (() => void) | undefined;
  const page = {
    writableNeedDrain: false,
    writeHead: () => undefined,
    write: (text: string): boolean => written.push(text) > 0,
    once: (event: string, listener: () => void) => event === 'drain' && (readAgain = listener),
    end: () => undefined,
  };
  updates.subscribe(page as unknown as ServerResponse, {});
  page.writableNeedDrain = true;
  receive(1);
  await vi.advanceTimersByTimeAsync(200);
  receive(2);
  page.writableNeedDrain = false;
  readAgain?.();
  const whole = written.findLastIndex((text) => text.startsWith('event: state'));
  receive(3);
  await vi.advanceTimersByTimeAsync(200);
  expect(written[whole]).toContain('"id":2,');
  expect(written.slice(whole + 1).join('')).toContain('"id":3,');
  expect(written.slice(whole + 1).join('')).not.toContain('"id":2,');
  updates.end();
});

/** The stories in an event for the page. */
const storiesOf = (event = ''): unknown[] => JSON.parse(event.split('\ndata: ')[1] ?? '').stories;

it('B25: an update has only the stories that have changed', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { updates, receive } = givenUpdates();
  for (let number = 1; number < 100; number += 1) receive(number);
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  const page = { writeHead: () => undefined, write, once: () => undefined, end: write };
  updates.subscribe(page as unknown as ServerResponse, {});
  const whole = storiesOf(written.at(-1));
  expect(whole).toHaveLength(1);
  receive(101);
  await vi.advanceTimersByTimeAsync(200);
  expect(storiesOf(written.at(-1))).toEqual([]);
  receive(106);
  await vi.advanceTimersByTimeAsync(200);
  expect(storiesOf(written.at(-1))).toMatchObject([{ id: 1, refused: 15 }]);
  updates.end();
});

it('B25: a page that has got the end gets nothing more, whatever still happens', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { updates, receive } = givenUpdates();
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  // A page that does not read closes a moment later.
  const page = { writeHead: () => undefined, write, once: () => undefined, end: write };
  updates.subscribe(page as unknown as ServerResponse, {});
  updates.end();
  receive(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(written.at(-1)).toMatch(/^event: ended/);
});

describe('without a page', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('B25: no update is made', () => {
    const { overview, updates, receive } = givenUpdates();
    const made = vi.spyOn(overview, 'pairs');
    for (let number = 1; number < 100; number += 1) {
      receive(number);
      vi.advanceTimersByTime(20);
    }
    expect(made).not.toHaveBeenCalled();
    updates.end();
  });

  it('B25: an hour of calls leaves no more than its first half', () => {
    const { overview, receive, sizeOfState } = givenUpdates();
    for (let number = 1; number <= 36_000; number += 1) receive(number);
    const first = sizeOfState();
    for (let number = 36_001; number <= 72_000; number += 1) receive(number);
    expect(overview.counts.apiRequests + overview.counts.tokenRequests).toBe(72_000);
    // The numbers have more digits.
    expect(sizeOfState()).toBeLessThan(1.2 * first);
  }, 60_000);
});
