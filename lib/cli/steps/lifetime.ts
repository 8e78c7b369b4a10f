import type { Step } from '../step.js';

/** Shorter, and a busy application asks for tokens all the time. */
const BRIEF_SECONDS = 60;

/** How long the token lives, by what the endpoint says of it (S11). */
export const lifetime: Step = {
  name: 'lifetime',
  run({ token }) {
    if (token === undefined) return { status: 'skipped', detail: 'there is no token' };
    const seconds = token.lifetimeMs / 1000;
    return {
      status: 'ok',
      detail: `the token lives for ${seconds} s: one request in that time`,
      facts: { seconds },
      ...(seconds < BRIEF_SECONDS && {
        advice:
          'That is brief: calls wait for a new token that often. token.renewAheadMs renews it in the background.',
      }),
    };
  },
};
