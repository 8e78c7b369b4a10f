import type { ClientRequest } from 'node:http';
import type { Agent } from 'node:https';
import { AxiosHeaders, type AxiosResponse, CanceledError } from 'axios';
import { unpooledConcat } from '../secrets/unpooled-buffer.js';
import { onAbort } from '../values/abortable.js';
import { ENCODINGS, USER_AGENT } from './axios-headers.js';
import { Cancellation } from './call-budget.js';
import { sendByHttps } from './https-source.js';
import type { Config, Outcome } from './outgoing.js';
import type { ReceivedBody } from './received-body.js';

/** A request of the module itself: for a token, or for what an issuer says of itself. */
export interface OwnRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** A name, its value, the next name, and so on. */
  readonly headers: readonly string[];
  readonly body?: Buffer;
  readonly agent: Agent;
  readonly cancellation: Cancellation;
  /** Is called when the request is made, before it is sent. */
  readonly watch?: (request: ClientRequest) => void;
}

/** Sends the request once, and follows no redirect. Resolves with the head of the answer, whose `data` is a `ReceivedBody`. */
export function sendOwnRequest(request: OwnRequest): Promise<Outcome> {
  const { method, body = null, agent, cancellation, watch } = request;
  const url = new URL(request.url);
  const config: Config = {
    url: request.url,
    method,
    headers: new AxiosHeaders(),
    responseType: 'stream',
  };
  return new Promise<Outcome>((resolve) => {
    const outgoing = {
      method,
      url,
      path: url.pathname + url.search,
      // Node adds the length of the body.
      headers: [...request.headers, 'User-Agent', USER_AGENT, 'Accept-Encoding', ENCODINGS],
      body,
      isRepeatable: true,
      isUnderBase: true,
      config,
      cancellation,
    };
    sendByHttps(outgoing, resolve, agent, watch);
  });
}

/** Ends requests with a signal. `release` must be called at the end: Node 20 keeps the listener of a combined signal for ever. */
export function cancellationBy(signal: AbortSignal): { cancellation: Cancellation; release: () => void } {
  const cancellation = new Cancellation();
  const cancel = (): void => cancellation.cancel(new CanceledError());
  const release = onAbort(signal, cancel);
  if (signal.aborted) cancel();
  return { cancellation, release };
}

/** The bytes of an answer. Undefined if it is longer than the limit. */
export async function readLimited(
  { data }: Pick<AxiosResponse<unknown>, 'data'>,
  limit: number,
): Promise<Buffer | undefined> {
  const body = data as ReceivedBody;
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = await body.next();
    if (chunk === undefined) return unpooledConcat(chunks);
    length += chunk.length;
    if (length > limit) {
      body.cancel();
      return undefined;
    }
    chunks.push(chunk);
  }
}
