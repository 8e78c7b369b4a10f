import type { Readable } from 'node:stream';
import { passOn, ReceivedBody, type Sealing } from '../../wire/received-body.js';
import { sealedReadable } from '../../wire/sealed-readable.js';
import { isNodeStream } from '../../values/is-object.js';

type SealableStream = Readable | ReadableStream<unknown>;

/** A direct sender gives a `ReceivedBody`, and only to a call with its own style of result. */
export type StreamedBody = SealableStream | ReceivedBody;

/**
 * Another stream with the same content. The original leads to its request, its socket and its agent, and so to the headers of
 * every open request of that agent (B12).
 */
export function sealStream(body: SealableStream, sealing: Sealing): SealableStream {
  return isNodeStream(body) ? sealNodeStream(body, sealing) : sealWebStream(body, sealing);
}

export function isStream(body: unknown): body is StreamedBody {
  return body instanceof ReceivedBody || isNodeStream(body) || body instanceof ReadableStream;
}

export function discardStream(body: unknown): void {
  if (body instanceof ReceivedBody) body.cancel();
  else if (isNodeStream(body)) body.on('error', () => undefined).destroy();
  else if (body instanceof ReadableStream && !body.locked) body.cancel().catch(() => undefined);
}

function sealNodeStream(source: Readable, { clean, ended }: Sealing): Readable {
  const destroy = (error: Error): void => void sealed.destroy(clean(error));
  const sealed = sealedReadable({
    // No code listens before it reads: an error that came earlier would be lost.
    resume: () => (failure ? destroy(failure) : void source.resume()),
    closed() {
      source.destroy();
      ended();
    },
  });
  source.pause();
  const failure = passOn(source, { push: (chunk) => sealed.push(chunk), destroy });
  if (failure) ended();
  return sealed;
}

function sealWebStream(source: ReadableStream<unknown>, { clean, ended }: Sealing): ReadableStream<unknown> {
  const reader = source.getReader();
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error instanceof Error ? clean(error) : error);
        }
        ended();
      },
      async cancel(reason) {
        ended();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
