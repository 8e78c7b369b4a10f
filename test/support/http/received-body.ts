import { ReceivedBody } from '../../../lib/wire/received-body.js';

/** The body of an answer without a connection. These chunks have arrived. */
export function receivedBody(...chunks: string[]): ReceivedBody {
  const body = new ReceivedBody({ resume() {}, closed() {} });
  for (const chunk of chunks) body.push(Buffer.from(chunk));
  return body;
}

/** All bytes of a body, when it has ended. */
export async function bytesOf(body: Pick<ReceivedBody, 'next'>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let chunk = await body.next(); chunk; chunk = await body.next()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
