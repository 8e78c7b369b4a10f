import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../support/run/runs.js';
import { withoutStacks } from '../../support/run/without-stacks.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';
import { type Answer, drain, type LifeSettings, TokenLife } from '../../support/token/token-life-model.js';

const RUNS = runs(1_000);

const answer: fc.Arbitrary<Answer> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('token'),
      lifetimeMs: fc.constantFrom(1, 900, 60_000, 3_600_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'same token again' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('transient'),
      retryAfterMs: fc.constantFrom(undefined, 500, 5_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'refusal' }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'nonsense' }) },
);

type Step =
  | { readonly do: 'get' | 'rotate' | 'close'; readonly of: 0 | 1 }
  | { readonly do: 'refuse' | 'accept' | 'abort'; readonly of: 0 | 1; readonly which: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'set wall' | 'sleep'; readonly ms: number };

const of = fc.constantFrom<0 | 1>(0, 0, 0, 1);
const which = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('get'), of }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('refuse'), of, which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('accept'), of, which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('abort'), of, which }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('pass'),
      ms: fc.constantFrom(1, 60, 250, 1_000, 6_000, 30_000, 60_000, 3_600_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('set wall'), ms: fc.constantFrom(-3_600_000, 3_600_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sleep'), ms: fc.constantFrom(1_000, 3_600_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('rotate', 'close'), of }) },
);

const settings: fc.Arbitrary<LifeSettings> = fc.record({
  expiryLeewayMs: fc.constantFrom(0, 0, 500, 7_200_000),
  renewAheadMs: fc.constantFrom(0, 30_000, 30_000, 7_200_000),
  maxAttempts: fc.constantFrom(1, 3),
});

async function play(
  scheduler: fc.Scheduler,
  steps: readonly Step[],
  answers: readonly Answer[],
  jitters: readonly number[],
  chosen: LifeSettings,
): Promise<void> {
  const clock = new FakeClock();
  const history: string[] = [];
  const note = (line: string): void => void history.push(`${String(clock.monotonic()).padStart(9)}  ${line}`);
  let [calls, answered, thrown] = [0, 0, 0];
  const nextCall = (): number => (calls += 1);
  const nextAnswer = (): Answer => answers[(answered += 1) % answers.length] ?? { kind: 'refusal' };
  const random = (): number => jitters[(thrown += 1) % jitters.length] ?? 0.5;
  const make = (name: 'A' | 'B'): TokenLife =>
    new TokenLife(name, clock, scheduler, nextAnswer, random, chosen, note, nextCall);
  const lives = [make('A'), make('B')] as const;

  const act = async (one: Step): Promise<void> => {
    switch (one.do) {
      case 'get':
      case 'rotate':
      case 'close':
        lives[one.of][one.do]();
        break;
      case 'refuse':
      case 'accept':
      case 'abort':
        lives[one.of][one.do](one.which);
        break;
      case 'pass':
        note(`${one.ms} ms pass`);
        await clock.advance(one.ms);
        break;
      case 'set wall':
        note(`the wall clock is set by ${one.ms} ms`);
        clock.setWallBy(one.ms);
        break;
      case 'sleep':
        note(`the machine sleeps ${one.ms} ms`);
        clock.sleep(one.ms);
        break;
    }
  };

  try {
    // Steps come in their order; the scheduler chooses which answers come between them.
    scheduler.scheduleSequence(
      steps.map((one, index) => ({ label: `step ${index}`, builder: () => act(one) })),
    );
    while (scheduler.count() > 0) {
      await scheduler.waitNext(1);
      await settled();
      for (const { broken } of lives) if (broken) throw broken;
    }
    await drain(lives, clock, scheduler);
    for (const { broken } of lives) if (broken) throw broken;
  } catch (error) {
    if (error instanceof Error) error.message += `\n\nWhat happened:\n${history.join('\n')}\n`;
    throw error;
  }
}

/** Throws with the history of the shortest failing story. */
async function checked<Values>(story: fc.IAsyncProperty<Values>): Promise<fc.RunDetails<Values>> {
  const details = await withoutStacks(() => fc.check(story, { numRuns: RUNS }));
  if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
  return details;
}

describe('any interleaving of callers, expiry, refusals and answers', () => {
  it('S5 S7 S8 S11 B1 B2 B3 B5 B6 B7 B9 B18: keeps every promise', async () => {
    const story = fc.asyncProperty(
      fc.scheduler(),
      fc.array(step, { minLength: 4, maxLength: 30, size: 'max' }),
      fc.array(answer, { minLength: 1, maxLength: 12, size: 'max' }),
      fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 4 }),
      settings,
      play,
    );
    const { failed, numRuns } = await checked(story);
    expect({ failed, numRuns }).toEqual({ failed: false, numRuns: RUNS });
  }, 300_000);
});
