import type { Step } from '../step.js';

/** With a shorter lifetime, a busy application asks for tokens all the time. */
const BRIEF_SECONDS = 60;

/** Shows the lifetime of the token, as the endpoint reported it (S11). */
export const lifetime: Step = {
  name: 'lifetime',
  run({ token }) {
    if (token === undefined) return { status: 'skipped', detail: 'there is no token' };
    const seconds = token.lifetimeMs / 1000;
    return {
      status: 'ok',
      detail: `the token lives for ${seconds} s: one token request in that time`,
      facts: { seconds },
      ...(seconds < BRIEF_SECONDS && {
        advice:
          'This is short: after each lifetime, a call waits for a new token. Set token.renewAheadMs to renew it in the background.',
      }),
    };
  },
};
