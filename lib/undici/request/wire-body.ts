import type { Readable } from 'node:stream';

/** A body as it goes on the wire, and what its kind says of the headers. */
export interface WireBody {
  readonly content: Buffer | Readable | AsyncIterable<Uint8Array> | null;
  /** Undefined when only the end of the stream will tell. */
  readonly length: number | undefined;
  /** Takes the place of the content type that was given. */
  readonly type?: string;
  /** Whether `length` takes the place of one that was given. */
  readonly ownLength?: true;
}

/** Whether a body is read while it is sent. */
export function isStreamed({ content }: WireBody): boolean {
  return content !== null && !Buffer.isBuffer(content);
}
