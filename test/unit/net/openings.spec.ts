import { describe, expect, it } from 'vitest';
import { Openings } from '../../../lib/net/openings.js';

/** A host whose connections open when the test says so. */
function host(mayOpen?: () => boolean) {
  const begun: number[] = [];
  const openings: Openings<number> = new Openings((call) => void begun.push(call), mayOpen);
  const add = (from: number, to: number): void => {
    for (let call = from; call < to; call += 1) openings.add(call);
  };
  return { begun, openings, add };
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

describe('connections that are being opened', () => {
  it('B39: are at most 64, and the others follow in their order', () => {
    const { begun, openings, add } = host();
    add(0, 100);
    expect(begun).toEqual(range(0, 64));
    openings.opened(7);
    openings.opened(3);
    expect(begun).toEqual(range(0, 66));
  });

  it('B39: leave the first waiting call to a connection that becomes free', () => {
    const { begun, openings, add } = host();
    add(0, 70);
    expect([openings.next(), openings.next()]).toEqual([64, 65]);
    openings.opened(0);
    expect(begun.at(-1)).toBe(66);
    expect([openings.next(), openings.next(), openings.next(), openings.next()]).toEqual([
      67,
      68,
      69,
      undefined,
    ]);
  });

  it('B39: are not opened for a call that has ended while it waited', () => {
    const { begun, openings, add } = host();
    add(0, 68);
    for (const ended of [64, 66]) openings.remove(ended);
    for (const call of range(0, 10)) openings.opened(call);
    expect(begun).toEqual([...range(0, 64), 65, 67]);
  });

  it('lose no place to a connection whose opening throws', () => {
    const begun: number[] = [];
    const openings: Openings<number> = new Openings((call) => {
      if (call < 64) throw new Error('canary');
      begun.push(call);
    });
    for (const call of range(0, 64)) expect(() => openings.add(call)).toThrow('canary');
    for (const call of range(64, 200)) openings.add(call);
    expect(begun).toEqual(range(64, 128));
  });

  it('give a place back once, however often the end is reported', () => {
    const { begun, openings, add } = host();
    add(0, 68);
    for (let times = 0; times < 3; times += 1) openings.opened(1);
    openings.opened(99);
    expect(begun).toHaveLength(65);
  });

  it('may fail at once, 10,000 in a row', () => {
    let failed = 0;
    const openings: Openings<number> = new Openings((call) => {
      failed += 1;
      openings.opened(call);
    });
    for (let call = 0; call < 10_000; call += 1) openings.add(call);
    expect(failed).toBe(10_000);
  });

  it('wait until one more connection is allowed', () => {
    let isAllowed = false;
    const { begun, openings, add } = host(() => isAllowed);
    add(0, 2);
    expect(begun).toEqual([]);
    isAllowed = true;
    openings.proceed();
    expect(begun).toEqual([0, 1]);
  });

  it('keep the order of calls that come and go', () => {
    const { begun, openings, add } = host();
    add(0, 65);
    expect([openings.next(), openings.next()]).toEqual([64, undefined]);
    add(65, 67);
    openings.remove(65);
    expect(openings.next()).toBe(66);
    expect(begun).toHaveLength(64);
  });
});
