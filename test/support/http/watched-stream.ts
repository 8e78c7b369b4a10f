import { vi } from 'vitest';

/** A stream that gives a chunk of so many bytes each time that code reads, or waits if it has none, and why it was cancelled. */
export function watchedStream(chunkSize = 1) {
  const cancel = vi.fn<(reason: unknown) => void>();
  const pull = (controller: ReadableStreamDefaultController): void =>
    chunkSize > 0 ? controller.enqueue(new Uint8Array(chunkSize)) : undefined;
  return { body: new ReadableStream({ pull, cancel }, { highWaterMark: 0 }), cancel };
}
