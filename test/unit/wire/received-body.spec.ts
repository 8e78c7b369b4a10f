import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { receivedFrom } from '../../../lib/wire/received-body.js';

describe('the body that a stream gives', () => {
  it.each([new Error('reset'), undefined])(
    'B21: fails if the stream had ended before, with the error %s',
    async (error) => {
      const stream = new Readable({ read() {} }).on('error', () => {});
      stream.push('part');
      const ended = new Promise((resolve) => stream.once('close', resolve));
      stream.destroy(error);
      await ended;
      const closed: boolean[] = [];
      const body = receivedFrom(stream, (isComplete) => void closed.push(isComplete));
      await expect(body.readWhole()).rejects.toThrow(error?.message ?? 'The answer was cut short.');
      expect(closed).toEqual([false]);
    },
  );
});
