import type { AxiosResponse } from 'axios';
import { unpooled } from '../../secrets/unpooled-buffer.js';
import type { CallTrace } from './call-trace.js';
import { isSnapshot, snapshotOfRequest } from './request-snapshot.js';
import { scrubRequest } from './scrub-request.js';

/** Takes the token out of what a caller can reach from any answer (B12), in place; costs next to nothing. */
export function cleanResponse(response: AxiosResponse, trace: CallTrace): void {
  response.config = trace.config;
  if (Buffer.isBuffer(response.data)) response.data = unpooled(response.data);
  response.request = cleanRequest(response.request, trace, response.status);
}

/** Replaces a request by its snapshot, and leaves no token in the real one either. */
export function cleanRequest(request: unknown, trace: CallTrace, statusCode?: number): unknown {
  if (typeof request !== 'object' || request === null) return undefined;
  if (isSnapshot(request)) return request;
  const snapshot = snapshotOfRequest(request, trace, statusCode);
  if (trace.hasCarried) scrubRequest(request);
  return snapshot;
}

/** Takes reflected tokens out of a failed answer: its body, its headers, its reason phrase. Streams pass through. */
export async function redactResponse(response: AxiosResponse, { redaction }: CallTrace): Promise<void> {
  const headers: Record<string, unknown> = response.headers ?? {};
  for (const name of Object.keys(headers)) {
    const value = redaction.value(headers[name]);
    const cleanName = redaction.text(name);
    if (cleanName !== name) delete headers[name];
    headers[cleanName] = value;
  }
  if (typeof response.statusText === 'string') response.statusText = redaction.text(response.statusText);
  response.data = await redaction.body(response.data);
}
