import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { clockProblem } from '../../errors/remedies.js';
import { clockAheadMs, TOLERABLE_CLOCK_MS } from '../../time/server-clock.js';
import type { Step } from '../step.js';

const ANSWERED = 'http.client.response.finish';

/** A Date header has whole seconds only, and the response took some time. A smaller difference cannot be measured. */
const MEASURABLE_MS = 2_000;

/** Compares this machine's clock with the Date of the token endpoint's answer, also if the answer is a refusal (B29). */
export const clock: Step = {
  name: 'clock',
  run({ clockAheadMs: aheadMs, profile }) {
    if (aheadMs === undefined) return { status: 'skipped', detail: 'no answer with a Date' };
    const facts = { aheadMs: Math.round(aheadMs) };
    const off = Math.abs(aheadMs);
    if (off < MEASURABLE_MS) return { status: 'ok', detail: "agrees with the server's", facts };
    return {
      status: 'ok',
      detail: `${Math.round(off / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the server's`,
      facts,
      ...(off > TOLERABLE_CLOCK_MS && { advice: clockProblem(profile, aheadMs) ?? ADVICE }),
    };
  },
};

const ADVICE =
  'This module counts the lifetime of tokens, so they are not affected. TLS and logs are. Set the clock of this machine with NTP.';

/**
 * Waits for the Date of the next response. The token client shows no header of a response (S10). But Node publishes each
 * response on a diagnostics channel, and this process sends one request at a time.
 *
 * @returns ends the observation, and returns by how much this machine's clock is ahead of the server's, if a response had a Date.
 */
export function observeServerDate(): () => number | undefined {
  const asked = Date.now();
  let aheadMs: number | undefined;
  const listener = (message: unknown): void => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
    // A proxy that refuses a tunnel answers without TLS.
    if (!(request.socket instanceof TLSSocket)) return;
    aheadMs = clockAheadMs(response.headers.date, asked, Date.now()) ?? aheadMs;
  };
  subscribe(ANSWERED, listener);
  return () => {
    unsubscribe(ANSWERED, listener);
    return aheadMs;
  };
}
