import { ReceivedBody } from '../../../lib/wire/received-body.js';

/** The body of an answer without a connection. These chunks have arrived. */
export function receivedBody(...chunks: string[]): ReceivedBody {
  const body = new ReceivedBody({ resume() {}, closed() {} });
  for (const chunk of chunks) body.push(Buffer.from(chunk));
  return body;
}
