import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AnswerPlan } from './answer-plan.js';
import type { TransportName } from './clients.js';
import { REQUEST_INTERCEPTORS, RESPONSE_INTERCEPTORS } from './instance-plan.js';
import { type Pair, pairWith } from './pair.js';
import { comparePairs } from './pair-runner.js';

const TRANSPORTS: readonly TransportName[] = ['axios', 'undici'];

/** Random pairs rarely have an interceptor together with the answer that shows its effect. */
const ANSWERS: Readonly<Record<string, readonly Partial<AnswerPlan>[]>> = {
  'a success': [{ body: 'object' }],
  'broken JSON': [{ body: 'broken JSON' }],
  'an error': [{ status: 500 }],
  'a refused token': [{ status: 401 }, { body: 'token as JSON' }],
  'a redirect': [{ status: 301, headers: [['Location', '<base>/next']] }, {}],
};

/** Every interceptor: alone, before another one and after another one. */
function pairsFor(answers: readonly Partial<AnswerPlan>[]): Pair[] {
  const forRequests = namesIn(REQUEST_INTERCEPTORS).flatMap((name) =>
    ([[name], ['header', name], [name, 'synchronous header']] as const).map((requestInterceptors) =>
      pairWith({ answers, instance: { requestInterceptors, responseInterceptors: ['changed', 'recovers'] } }),
    ),
  );
  const forResponses = namesIn(RESPONSE_INTERCEPTORS).map((name) =>
    pairWith({ answers, instance: { responseInterceptors: [name, 'copies'] } }),
  );
  return [...forRequests, ...forResponses];
}

function namesIn<T extends object>(plans: T): (keyof T)[] {
  return Object.keys(plans) as (keyof T)[];
}

describe.each(TRANSPORTS)('interceptors around calls that are sent by %s', (transport) => {
  // The library warns about bodies that it cannot send again.
  beforeAll(() => Logger.overrideLogger(false));

  it.each(Object.entries(ANSWERS))(
    'B17: each has the same outcome on both paths, with %s',
    { timeout: 60_000 },
    async (_, answers) => {
      expect((await comparePairs(pairsFor(answers), transport)).join('\n\n')).toBe('');
    },
  );
});
