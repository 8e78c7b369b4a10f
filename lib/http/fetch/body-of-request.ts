import type { Clock } from '../../time/clock.js';
import { CallBudget } from '../../wire/call-budget.js';
import { OpenableBody } from '../adapter/request-body.js';
import { type Chunks, chunksOf, readableOf } from './chunks.js';
import type { FetchBody } from './fetch-body.js';
import { fetchFailure } from './fetch-failure.js';

/** A body of a `Request` that ends within so many bytes is read first, and can be sent again (B21). */
export const LARGEST_REPLAYABLE = 1024 * 1024;

interface Limits {
  readonly signal: AbortSignal | undefined;
  /** 0 for no limit. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * The body of a `Request` is always a stream, also if it was made from a text. So the start of the body is read: generated
 * clients pass a `Request`, and their POST must be sent again after a 401. A larger body goes on as a stream. There is no
 * `clone()`, because a clone keeps the whole body in memory (sindresorhus/ky#831).
 */
export async function bodyOfRequest(body: object, limits: Limits): Promise<FetchBody> {
  const chunks = chunksOf(body);
  const { signal, timeoutMs: timeout, clock } = limits;
  // The time of the call begins before its request is sent, and its signal counts already (B5).
  const budget = new CallBudget({ timeout, ...(signal && { signal }) }, clock);
  try {
    const { early, isWhole } = await budget.wait(
      () => readStart(chunks),
      ' while reading the body of the request',
    );
    if (isWhole) return { data: early[0] };
    const data = new OpenableBody(false, () => readableOf(chunks, early));
    return { data, isStreamed: true, cancel: () => chunks.cancel() };
  } catch (error) {
    chunks.cancel();
    throw fetchFailure(error, signal, timeout);
  } finally {
    budget.finish();
  }
}

interface Start {
  readonly early: readonly Uint8Array[];
  readonly isWhole: boolean;
}

const FIRST_SIZE = 16 * 1024;

/** The bytes are copied into one buffer: a list of a million tiny chunks would cost far more time and memory. */
async function readStart(chunks: Chunks): Promise<Start> {
  let buffer = Buffer.alloc(FIRST_SIZE);
  let length = 0;
  for (;;) {
    const chunk = await chunks.next();
    const read = buffer.subarray(0, length);
    if (chunk === undefined) return { early: [read], isWhole: true };
    const nextLength = length + chunk.length;
    if (nextLength > LARGEST_REPLAYABLE) return { early: [read, chunk], isWhole: false };
    if (nextLength > buffer.length) {
      buffer = Buffer.alloc(Math.max(nextLength, 2 * buffer.length));
      buffer.set(read);
    }
    buffer.set(chunk, length);
    length = nextLength;
  }
}
