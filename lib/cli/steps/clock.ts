import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Step } from '../step.js';

const ANSWERED = 'http.client.response.finish';

/** A Date header tells the second that has begun; on average half of it has passed. */
const HALF_A_SECOND_MS = 500;

/** A Date header knows whole seconds only, and the answer took its time. */
const MEASURABLE_MS = 2_000;
/** What those who check tokens commonly forgive. */
const TOLERABLE_MS = 60_000;

/** Compares this machine's clock with the Date of the token endpoint's answer. */
export const clock: Step = {
  name: 'clock',
  run({ clockAheadMs }) {
    if (clockAheadMs === undefined) return { status: 'skipped', detail: 'the server tells no Date' };
    const facts = { aheadMs: Math.round(clockAheadMs) };
    const off = Math.abs(clockAheadMs);
    if (off < MEASURABLE_MS) return { status: 'ok', detail: "agrees with the server's", facts };
    return {
      status: 'ok',
      detail: `${Math.round(off / 1000)} s ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the server's`,
      facts,
      ...(off > TOLERABLE_MS && {
        advice:
          'Tokens are counted by their lifetime, so they are not affected; TLS and logs are. Set the clock of this machine by NTP.',
      }),
    };
  },
};

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
