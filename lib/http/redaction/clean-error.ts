import type { AxiosResponse } from 'axios';
import type { CallTrace } from './call-trace.js';
import { cleanRequest, cleanResponse } from './clean-response.js';

/** What axios, Node and follow-redirects hang on an error. */
interface LadenError {
  config?: unknown;
  request?: unknown;
  response?: AxiosResponse;
  cause?: unknown;
  errors?: unknown;
}

/** Raw bytes of the answer, and the address with everything in it. */
const ENTRAILS = ['rawPacket', 'input', 'base'];

/** Takes the token out of an error and of all that it was made from (B12), in place: callers keep the class they expect. */
export function cleanError(error: unknown, trace: CallTrace, seen = new Set()): void {
  if (typeof error !== 'object' || error === null || seen.has(error)) return;
  seen.add(error);
  const laden: LadenError = error;
  if (laden.response) cleanResponse(laden.response, trace);
  if (laden.request) laden.request = laden.response?.request ?? cleanRequest(laden.request, trace);
  if (laden.config) laden.config = trace.config;
  for (const name of ENTRAILS) Reflect.deleteProperty(error, name);
  redactTexts(error, trace);
  cleanError(laden.cause, trace, seen);
  if (Array.isArray(laden.errors)) for (const part of laden.errors) cleanError(part, trace, seen);
}

/** `message`, `stack` and whatever else is text: an adapter may have quoted what it was given. */
function redactTexts(error: object, { redaction }: CallTrace): void {
  for (const name of Reflect.ownKeys(error)) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value !== 'string') continue;
    const clean = redaction.text(value);
    if (clean !== value) Reflect.set(error, name, clean);
  }
}
