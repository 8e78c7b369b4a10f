import { type AxiosResponse, isAxiosError } from 'axios';
import type { Call } from './call.js';
import { cleanError } from './clean-error.js';
import { cleanResponse, redactResponse } from './clean-response.js';
import { discardStream, isStream, sealStream } from './sealed-stream.js';

/** How one attempt ended. A 401 may come either way, as `validateStatus` pleases. */
export interface Outcome {
  readonly response?: AxiosResponse | undefined;
  readonly failure?: { readonly error: unknown };
}

export function answered(response: AxiosResponse): Outcome {
  return { response };
}

export function failed(error: unknown): Outcome {
  return { response: isAxiosError(error) ? error.response : undefined, failure: { error } };
}

/** Gives the caller what is theirs, the answer or the error, with the token nowhere in it (B12). */
export function deliver({ response, failure }: Outcome, call: Call): AxiosResponse | Promise<AxiosResponse> {
  if (failure) return deliverFailure(failure.error, response, call);
  if (response === undefined) throw new TypeError('The adapter of this request gave no answer.');
  const { trace } = call;
  cleanResponse(response, trace);
  seal(response, call);
  return mayBecomeAnError(response) ? redactResponse(response, trace).then(() => response) : response;
}

/** Lets go of an answer that is given to nobody; its connection may be the application's, and live on (B12). */
export function discard({ response }: Outcome, { trace }: Call): void {
  if (response === undefined) return;
  cleanResponse(response, trace);
  discardStream(response.data);
}

async function deliverFailure(
  error: unknown,
  response: AxiosResponse | undefined,
  call: Call,
): Promise<never> {
  cleanError(error, call.trace);
  if (response) {
    seal(response, call);
    await redactResponse(response, call.trace);
  }
  throw error;
}

function seal(response: AxiosResponse, { budget, trace }: Call): void {
  if (!isStream(response.data)) return;
  budget.lastsWithStream();
  response.data = sealStream(response.data, {
    clean(error) {
      cleanError(error, trace);
      return error;
    },
    ended: () => budget.finish(),
  });
}

/** A status that only `validateStatus` accepted; and JSON that axios, told to be strict, may fail to parse and quote. */
function mayBecomeAnError({ status, config }: AxiosResponse): boolean {
  return (
    status >= 300 || (config.responseType === 'json' && config.transitional?.silentJSONParsing === false)
  );
}
