import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from 'vitest';
import { runPairs } from './pair-runner.js';
import { PLANTS } from './planted-differences.js';

/** Always the same calls. Most of these differences occur in the first few calls. */
const RUN = { transport: 'undici', pairs: 600, seed: 20_261_122, slots: 8, batch: 40 } as const;

describe('a difference that is planted in the direct path', () => {
  // The library warns about bodies that it cannot send again.
  beforeAll(() => Logger.overrideLogger(false));

  it.each(Object.entries(PLANTS))('B17: is found if %s', async (_, { subject, createClient }) => {
    const { findings } = await runPairs({ ...RUN, createClient, shrinkingMs: 0 });
    expect(findings.flatMap(({ differences }) => differences.map((one) => one.subject))).toContain(subject);
  });

  it('B17: is shown by the smallest call that has it', async () => {
    const { createClient } = PLANTS['a byte of the body is changed']!;
    // One call after the other, so that each run finds the same call first. With this seed, that call waits for no timeout.
    const { findings } = await runPairs({ ...RUN, seed: 1, slots: 1, createClient });
    expect(findings[0]?.pair).toMatchObject({
      call: { via: 'request', options: [], params: undefined, headers: undefined, end: undefined },
      answers: [{ headers: [], encoding: undefined, framing: undefined }],
      instance: { defaults: [], requestInterceptors: [], responseInterceptors: [], token: 'cached' },
      look: 'portrait',
    });
    expect(findings[0]?.pair.call.body).toBeDefined();
  });
});
