import type { Step } from '../step.js';

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
