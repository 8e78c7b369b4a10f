import type { Readable } from 'node:stream';
import { type ReadableByteStreamController, ReadableStream } from 'node:stream/web';
import type { AxiosResponse } from 'axios';
import { type DecoderFactory, Decoding, type Sink, takeDecoders } from '../../wire/decoding.js';
import { ReceivedBody, receivedFrom, type Sealing } from '../../wire/received-body.js';
import { isNodeStream } from '../../values/is-object.js';
type StreamedBody = ReceivedBody | Readable | ReadableStream<unknown>;
export function discardStream(body: unknown): void {
  if (body instanceof ReceivedBody) body.cancel();
}
import { bodyFailure } from './fetch-failure.js';

/** The body of a `Response`. The streamed body is held in closures only, because it leads to the request (B12). */
export function responseBody(
  source: StreamedBody,
  sealing: Sealing,
  signal: AbortSignal | undefined,
  headers: AxiosResponse['headers'],
): ReceivedBody | globalThis.ReadableStream<unknown> {
  const failure = (error: Error): Error => bodyFailure(sealing.clean(error), signal) as Error;
  const ofCaller: Sealing = { clean: failure, ended: sealing.ended, signal };
  if (!(source instanceof ReceivedBody) && !isNodeStream(source))
    return source as globalThis.ReadableStream<unknown>;
  const received =
    source instanceof ReceivedBody ? source : receivedFrom(source, () => void source.destroy());
  const body = takeDecoders(headers).reduce(decodedBy, received);
  body.seal(ofCaller);
  return body;
}

function decodedBy(encoded: ReceivedBody, create: DecoderFactory): ReceivedBody {
  let goOn: (() => void) | undefined;
  const body = new ReceivedBody({
    resume: () => decoding.resume(),
    closed() {
      decoding.destroy();
      encoded.cancel();
    },
  });
  const sink: Sink = {
    push: (chunk) => body.push(chunk),
    end: () => void body.push(null),
    fail: (error) => body.destroy(error),
  };
  const decoding = new Decoding(create, sink, { resume: () => goOn?.() });
  const run = async (): Promise<void> => {
    for (;;) {
      const chunk = await encoded.next();
      if (body.isOver) return;
      if (chunk === undefined) return decoding.end();
      if (!decoding.push(chunk)) await new Promise<void>((resolve) => (goOn = resolve));
    }
  };
  void run().catch((error: Error) => body.destroy(error));
  return body;
}

/**
 * A web stream of a body. It reads nothing ahead: the API waits for a slow reader. A body that has not arrived completely is
 * cancelled with a stream that becomes garbage. It would keep its connection for ever.
 */
export function streamOf(body: ReceivedBody): ReadableStream<Uint8Array> {
  const stream: ReadableStream<Uint8Array> = new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const chunk = await body.next();
      if (chunk === undefined) close(controller);
      // The chunk is copied: a stream of bytes takes the memory of its chunks, and shows it (B12).
      else controller.enqueue(new Uint8Array(chunk));
    },
    cancel: () => body.cancel(),
  });
  if (!body.isOver) abandoned.register(stream, body);
  return stream;
}

const abandoned = new FinalizationRegistry<ReceivedBody>((body) => body.cancel());

/** A reader that waits with its own buffer gets the end through that buffer. */
function close(controller: ReadableByteStreamController): void {
  controller.close();
  (controller.byobRequest as { respond(bytes: number): void } | undefined)?.respond(0);
}
