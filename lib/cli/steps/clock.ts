import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Step } from '../step.js';

const ANSWERED = 'http.client.response.finish';

/** A Date header gives the current second. On average half of this second has passed. */
const HALF_A_SECOND_MS = 500;

/** A Date header has whole seconds only, and the response took some time. A smaller difference cannot be measured. */
const MEASURABLE_MS = 2_000;
/** The clock difference that servers commonly accept when they check a token. */
const TOLERABLE_MS = 60_000;

/** Compares this machine's clock with the Date of the token endpoint's answer. */
export const clock: Step = {
  name: 'clock',
  run({ clockAheadMs }) {
    if (clockAheadMs === undefined) return { status: 'skipped', detail: 'the server sent no Date' };
    const facts = { aheadMs: Math.round(clockAheadMs) };
    const off = Math.abs(clockAheadMs);
    if (off < MEASURABLE_MS) return { status: 'ok', detail: "agrees with the server's", facts };
    return {
      status: 'ok',
      detail: `${Math.round(off / 1000)} s ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the server's`,
      facts,
      ...(off > TOLERABLE_MS && {
        advice:
          'This module counts the lifetime of tokens, so they are not affected. TLS and logs are. Set the clock of this machine with NTP.',
      }),
    };
  },
};

interface Observation {
  /** Ends the observation. Returns by how much this machine's clock is ahead of the server's, if a response had a Date. */
  end(): number | undefined;
}

/**
 * Waits for the Date of the next response. The token client shows no header of a response (S10). But Node publishes each
 * response on a diagnostics channel, and this process sends one request at a time.
 */
export function observeServerDate(): Observation {
  const asked = Date.now();
  let aheadMs: number | undefined;
  const listener = (message: unknown): void => {
    const { response } = message as { response: IncomingMessage };
    const date = Date.parse(response.headers.date ?? '');
    if (Number.isNaN(date)) return;
    // The server read its clock at some moment between the request and the response.
    aheadMs = (asked + Date.now()) / 2 - (date + HALF_A_SECOND_MS);
  };
  subscribe(ANSWERED, listener);
  return {
    end() {
      unsubscribe(ANSWERED, listener);
      return aheadMs;
    },
  };
}
