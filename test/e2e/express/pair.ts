import * as fc from 'fast-check';
import { nameIn } from './arbitraries.js';
import { type AnswerPlan, answerLists } from './answer-plan.js';
import { type CallPlan, calls } from './call-plan.js';
import { FIRST_LOOKS } from './first-looks.js';
import { type InstancePlan, instances } from './instance-plan.js';

/** A call that is made on both paths, with the same answers of the server. */
export interface Pair {
  readonly call: CallPlan;
  readonly answers: readonly AnswerPlan[];
  readonly instance: InstancePlan;
  readonly look: keyof typeof FIRST_LOOKS;
}

export const pairs: fc.Arbitrary<Pair> = fc.record({
  call: calls,
  answers: answerLists,
  instance: instances,
  look: nameIn(FIRST_LOOKS),
});

interface Members {
  readonly call?: Partial<Pair['call']>;
  readonly answers?: readonly Partial<AnswerPlan>[];
  readonly instance?: Partial<Pair['instance']>;
  readonly look?: Pair['look'];
}

/** A pair of usual calls, but for these members. */
export function pairWith({ call, answers = [{}], instance, look = 'portrait' }: Members): Pair {
  return {
    call: { via: 'request', method: 'get', url: { text: '/things' }, options: [], ...call },
    answers: answers.map((answer) => ({ status: 200, reason: 'OK', headers: [], body: 'object', ...answer })),
    instance: {
      defaults: [],
      requestInterceptors: [],
      responseInterceptors: [],
      token: 'cached',
      renewal: 'another',
      ...instance,
    },
    look,
  };
}

const UNFRAMING = /^(content-length|transfer-encoding|connection)$/i;

/** Whether the end of the call depends on time, or on the order in which data and the end of a connection arrive. */
export function isTimed({ call, answers }: Pair): boolean {
  const isTimedAnswer = answers.some(
    ({ fault, framing, slow }) =>
      fault !== undefined || slow === true || (framing !== undefined && framing !== 'chunked'),
  );
  // Without a correct length, the server answers while the body is still on its way.
  const isUnframed = call.headers?.entries.some(([name]) => UNFRAMING.test(name)) === true;
  return call.end !== undefined || isTimedAnswer || isUnframed;
}

/** Without the members that are absent. */
export function printed(pair: Pair): string {
  return JSON.stringify(pair, null, 2);
}
