import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

const ANSWERED = 'http.client.response.finish';

/** A Date header tells the second that has begun; on average half of it has passed. */
const HALF_A_SECOND_MS = 500;

interface Observation {
  /** Ends it; gives by how much this machine's clock is ahead of the server's, if an answer told. */
  end(): number | undefined;
}

/**
 * Looks for the Date of the next answer. The token client shows nothing of an answer (S10), but Node itself tells of
 * each one that arrives, and this process makes one request at a time.
 */
export function observeServerDate(): Observation {
  const asked = Date.now();
  let aheadMs: number | undefined;
  const listener = (message: unknown): void => {
    const { response } = message as { response: IncomingMessage };
    const told = Date.parse(response.headers.date ?? '');
    if (Number.isNaN(told)) return;
    // The server read its clock somewhere between the question and the answer.
    aheadMs = (asked + Date.now()) / 2 - (told + HALF_A_SECOND_MS);
  };
  subscribe(ANSWERED, listener);
  return {
    end() {
      unsubscribe(ANSWERED, listener);
      return aheadMs;
    },
  };
}
