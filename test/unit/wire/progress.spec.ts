import type { AxiosProgressEvent } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { progressOf } from '../../../lib/wire/progress.js';

/** The events of a body that gets ten bytes at each time but the last, at which it ends. */
async function eventsOf(length: unknown, ...timesMs: readonly number[]): Promise<AxiosProgressEvent[]> {
  const now = vi.spyOn(performance, 'now');
  const events: AxiosProgressEvent[] = [];
  const progress = progressOf((event) => void events.push(event), 'download', length);
  for (const [index, timeMs] of timesMs.entries()) {
    now.mockReturnValue(timeMs);
    if (index < timesMs.length - 1) progress.add(10);
    else progress.end();
  }
  now.mockRestore();
  await Promise.resolve();
  return events;
}

/** The event of a body of 100 bytes. */
const at = (loaded: number, bytes: number, rate?: number, estimated?: number) => {
  const size = { lengthComputable: true, total: 100, loaded };
  return { ...size, progress: loaded / 100, bytes, rate, estimated, event: size, download: true };
};

describe('the progress of a body', () => {
  it('B17: comes at most three times a second and at the end, with the rate and the time that is left', async () => {
    const events = await eventsOf('100', 0, 300, 1_000 / 3, 500, 400 + 1_000 / 3);
    expect(events).toStrictEqual([at(10, 10), at(30, 20, 60, 70 / 60), at(40, 10, 25, 60 / 25)]);
    expect(await eventsOf('10', 0, 0)).toHaveLength(1);
  });

  it.each([
    ['20', 20],
    [undefined, undefined],
    ['0', 0],
  ])('B17: of the length %j has the total %j', async (length, total) => {
    const size = { lengthComputable: total !== undefined, total };
    expect(await eventsOf(length, 0, 0, 0)).toMatchObject([
      { ...size, event: size, rate: undefined },
      { rate: 10_000, progress: total ? 1 : undefined, estimated: total ? 0 : undefined },
    ]);
  });
});
