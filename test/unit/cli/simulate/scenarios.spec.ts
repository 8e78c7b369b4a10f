import { describe, expect, it } from 'vitest';
import { SCENARIOS, type Stage } from '../../../../lib/cli/simulate/scenarios.js';
import { Tally } from '../../../../lib/cli/simulate/tally.js';
import { verdictOfScenario } from '../../../../lib/cli/simulate/verdict.js';

/** What callers see from the fault of a scenario to its end, on a clock that the test moves. */
class Run {
  #now = 1_000_000;
  readonly tally = new Tally(() => this.#now);

  constructor(
    readonly name: string,
    readonly isStopped = false,
  ) {
    // Before the fault. The sentence of a scenario with a fault must not count this.
    if (name === 'cold' || name === 'expiring') return;
    this.calls(500).token();
  }

  fault(): this {
    this.tally.noteFault();
    return this;
  }

  after(seconds: number): this {
    this.#now += seconds * 1000;
    return this;
  }

  token(isOk = true): this {
    this.tally.noteTokenRequest(isOk);
    return this;
  }

  tokens(count: number, isOk = true): this {
    for (let one = 0; one < count; one += 1) this.token(isOk);
    return this;
  }

  refusedTokens(count: number): this {
    return this.tokens(count, false);
  }

  calls(count: number, { failed = 0, unsent = 0, recovered = 0 } = {}): this {
    const { counts } = this.tally;
    counts.calls += count;
    counts.failed += failed;
    counts.unsent += unsent;
    counts.recovered += recovered;
    return this;
  }

  end(): this {
    this.tally.noteEnd();
    return this;
  }

  get says(): [level: string, text: string] {
    const scenario = SCENARIOS.find(({ name }) => name === this.name);
    if (scenario === undefined) throw new Error(`There is no scenario ${this.name}.`);
    const { level, text } = verdictOfScenario(scenario, this.tally, this.isStopped);
    return [level, text];
  }
}

const run = (name: string): Run => new Run(name);
const down = (): Run =>
  run('outage').fault().calls(2, { failed: 2 }).refusedTokens(3).calls(1202, { failed: 1202, unsent: 1202 });

const DURING_OUTAGE =
  'Outage, 12 s of 30 s: 1,204 calls failed (1,202 before they were sent: no token), as expected. The client backs off: 3 failed token requests instead of 1,204.';
const AFTER_OUTAGE =
  'Outage over: recovered after 31 s with 1 token request. 1,204 calls failed (1,202 before they were sent: no token), as expected. The client backed off: 3 failed token requests instead of 1,204.';

describe('the sentence of a scenario', () => {
  it.each<[name: string, when: string, run: Run, level: string, text: string]>([
    [
      'revoke',
      'before',
      run('revoke'),
      'idle',
      'Revoke under load: 1,000 callers share one token. Soon, all tokens are revoked.',
    ],
    [
      'revoke',
      'during',
      run('revoke').fault().calls(40, { recovered: 32 }).token(),
      'idle',
      'All tokens revoked: 32 refused calls sent again, 1 more token request, no call failed.',
    ],
    [
      'revoke',
      'after',
      run('revoke').fault().calls(400, { recovered: 1032 }).token().end(),
      'good',
      'Revoke over: 1 more token request for 1,000 callers, 1,032 calls sent again, no call failed.',
    ],
    [
      'revoke',
      'not held: two token requests',
      run('revoke').fault().calls(400, { recovered: 32 }).token().token().end(),
      'bad',
      'Revoke over: 2 more token requests for 1,000 callers, 32 calls sent again, no call failed.',
    ],
    [
      'revoke',
      'not held: a call failed',
      run('revoke').fault().calls(400, { recovered: 1, failed: 1 }).token().end(),
      'bad',
      'Revoke over: 1 more token request for 1,000 callers, 1 call sent again, 1 call failed.',
    ],
    [
      'cold',
      'before',
      run('cold'),
      'idle',
      '1,000 cold callers: they all call at once, and there is no token.',
    ],
    [
      'cold',
      'during',
      run('cold').fault().token().calls(640),
      'idle',
      '1,000 cold callers: 640 answered so far, 1 token request, no call failed.',
    ],
    [
      'cold',
      'after',
      run('cold').fault().token().calls(1000).end(),
      'good',
      '1,000 cold callers: 1 token request instead of 1,000, no call failed.',
    ],
    [
      'cold',
      'not held: two token requests',
      run('cold').fault().token().token().calls(1000).end(),
      'bad',
      '1,000 cold callers: 2 token requests instead of 1,000, no call failed.',
    ],
    [
      'cold',
      'not held: calls failed',
      run('cold').fault().token().calls(1000, { failed: 3 }).end(),
      'bad',
      '1,000 cold callers: 1 token request instead of 1,000, 3 calls failed.',
    ],
    [
      'outage',
      'before',
      run('outage'),
      'idle',
      'Outage of 30 s: 50 callers share one token. Soon, all tokens are revoked, and the token endpoint fails.',
    ],
    [
      'outage',
      'as it begins',
      run('outage').fault().refusedTokens(2),
      'idle',
      'Outage, 0 s of 30 s: no call failed.',
    ],
    ['outage', 'during', down().after(12.9), 'warn', DURING_OUTAGE],
    ['outage', 'recovered, while the callers still run', down().after(31.2).token(), 'idle', AFTER_OUTAGE],
    ['outage', 'after', down().after(31.2).token().after(8).calls(900).end(), 'good', AFTER_OUTAGE],
    [
      'outage',
      'not held: no token since',
      down().after(40).end(),
      'bad',
      'Outage over: 1,204 calls failed (1,202 before they were sent: no token), with 3 failed token requests. Not as expected: no new token.',
    ],
    [
      'outage',
      'not held: too many token requests',
      down().refusedTokens(48).after(31).token().end(),
      'bad',
      'Outage over: recovered after 31 s with 1 token request. 1,204 calls failed (1,202 before they were sent: no token), with 51 failed token requests. Not as expected: more than 50 failed token requests.',
    ],
    [
      'outage',
      'not held: a call failed after the recovery',
      down().after(31).token().calls(1, { failed: 1 }).end(),
      'bad',
      'Outage over: recovered after 31 s with 1 token request. 1,205 calls failed (1,202 before they were sent: no token), with 3 failed token requests. Not as expected: 1 call failed after the recovery.',
    ],
    [
      'outage',
      'not held: recovered late',
      down().after(36.1).token().end(),
      'bad',
      'Outage over: recovered after 36 s with 1 token request. 1,204 calls failed (1,202 before they were sent: no token), with 3 failed token requests. Not as expected: recovered more than 6 s after the end.',
    ],
    [
      'outage',
      'too many token requests, while it lasts',
      down().refusedTokens(48).after(12),
      'warn',
      'Outage, 12 s of 30 s: 1,204 calls failed (1,202 before they were sent: no token), with 51 failed token requests. Not as expected: more than 50 failed token requests.',
    ],
    [
      'outage',
      'held: as many token requests as the pauses of a client allow, and the latest recovery',
      down().refusedTokens(47).after(36).token().end(),
      'good',
      'Outage over: recovered after 36 s with 1 token request. 1,204 calls failed (1,202 before they were sent: no token), as expected. The client backed off: 50 failed token requests instead of 1,204.',
    ],
    [
      'outage',
      'held: recovered before a call failed',
      run('outage').fault().refusedTokens(2).after(31.5).token().end(),
      'good',
      'Outage over: recovered after 32 s with 1 token request. no call failed.',
    ],
    [
      'outage',
      'not held: a late recovery, and two calls that failed later',
      down().after(37).token().calls(2, { failed: 2 }).end(),
      'bad',
      'Outage over: recovered after 37 s with 1 token request. 1,206 calls failed (1,202 before they were sent: no token), with 3 failed token requests. Not as expected: recovered more than 6 s after the end, 2 calls failed after the recovery.',
    ],
    [
      'outage',
      'not held: no token since, and too many token requests',
      down().refusedTokens(48).after(40).end(),
      'bad',
      'Outage over: 1,204 calls failed (1,202 before they were sent: no token), with 51 failed token requests. Not as expected: no new token, more than 50 failed token requests.',
    ],
    [
      'outage',
      'longer than the fault',
      run('outage').fault().calls(3, { failed: 3 }).refusedTokens(1).after(33),
      'warn',
      'Outage, 30 s of 30 s: 3 calls failed, as expected. The client backs off: 1 failed token request instead of 3.',
    ],
    [
      'rotated',
      'before',
      run('rotated'),
      'idle',
      'Rotated secret: 50 callers share one token. Soon, the secret changes, and all tokens are revoked.',
    ],
    [
      'rotated',
      'during',
      run('rotated').fault().token(false).token().calls(9, { recovered: 4 }),
      'idle',
      'Secret rotated: the old secret was refused in 1 token request, the new one accepted in 1. 4 refused calls sent again, no call failed.',
    ],
    [
      'rotated',
      'after',
      run('rotated').fault().token(false).token().calls(900, { recovered: 4 }).end(),
      'good',
      'Rotated secret over: the old secret was refused in 1 token request, the new one accepted in 1. 4 refused calls sent again, no call failed.',
    ],
    [
      'rotated',
      'not held: the old secret was sent twice',
      run('rotated').fault().refusedTokens(2).token().end(),
      'bad',
      'Rotated secret over: the old secret was refused in 2 token requests, the new one accepted in 1. 0 refused calls sent again, no call failed.',
    ],
    [
      'rotated',
      'not held: no new token',
      run('rotated').fault().token(false).end(),
      'bad',
      'Rotated secret over: the old secret was refused in 1 token request, the new one accepted in 0. 0 refused calls sent again, no call failed.',
    ],
    [
      'rotated',
      'held: a client without a secret',
      run('rotated').fault().token().calls(900, { recovered: 4 }).end(),
      'good',
      'Rotated secret over: the old secret was refused in 0 token requests, the new one accepted in 1. 4 refused calls sent again, no call failed.',
    ],
    [
      'rotated',
      'not held: two new tokens',
      run('rotated').fault().token().token().end(),
      'bad',
      'Rotated secret over: the old secret was refused in 0 token requests, the new one accepted in 2. 0 refused calls sent again, no call failed.',
    ],
    [
      'rotated',
      'not held: a call failed',
      run('rotated').fault().token(false).token().calls(1, { failed: 1 }).end(),
      'bad',
      'Rotated secret over: the old secret was refused in 1 token request, the new one accepted in 1. 0 refused calls sent again, 1 call failed.',
    ],
    [
      'expiring',
      'before',
      run('expiring'),
      'idle',
      'Expiring token: 50 callers share tokens that live for 3 s.',
    ],
    [
      'expiring',
      'during',
      run('expiring').fault().token().calls(300).after(4).token(),
      'idle',
      'Tokens live for 3 s: 2 token requests in 4 s, 0 refused calls sent again, no call failed.',
    ],
    [
      'expiring',
      'after, with refused calls',
      run('expiring').fault().token().token().calls(900, { recovered: 2 }).after(15).end(),
      'good',
      'Expiring token over: 2 token requests in 15 s, 2 refused calls sent again, no call failed.',
    ],
    [
      'expiring',
      'not held: a token request each second',
      run('expiring').fault().after(1).token().token().token().token().end(),
      'bad',
      'Expiring token over: 4 token requests in 1 s, no call met an expired token, no call failed.',
    ],
    [
      'expiring',
      'held: a token request in each half of a life',
      run('expiring').fault().tokens(11).after(15).end(),
      'good',
      'Expiring token over: 11 token requests in 15 s, no call met an expired token, no call failed.',
    ],
    [
      'expiring',
      'not held: a token request more',
      run('expiring').fault().tokens(12).after(15).end(),
      'bad',
      'Expiring token over: 12 token requests in 15 s, no call met an expired token, no call failed.',
    ],
    [
      'expiring',
      'not held: a call failed',
      run('expiring').fault().token().calls(1, { failed: 1 }).after(15).end(),
      'bad',
      'Expiring token over: 1 token request in 15 s, no call met an expired token, 1 call failed.',
    ],
    [
      'revoke',
      'stopped before the fault',
      new Run('revoke', true).end(),
      'idle',
      'Stopped early: nothing happened.',
    ],
    [
      'outage',
      'stopped during the fault',
      new Run('outage', true).fault().after(5).refusedTokens(2).calls(7, { failed: 7 }).end().after(60),
      'idle',
      'Stopped early: 7 calls failed.',
    ],
  ])('B25: %s, %s', (_name, _when, { says }, level, text) => {
    expect(says).toEqual([level, text]);
  });

  it('B25: a failed call makes the sentence amber until the scenario ends', () => {
    const { says } = run('revoke').fault().calls(1, { failed: 1 });
    expect(says[0]).toBe('warn');
  });
});

/** What a scenario does at a moment, as code. */
function doneBy(act: ((stage: Stage) => void) | undefined): readonly string[] {
  const done: string[] = [];
  act?.({
    run: (on, chain) => void done.push(`${on} ${JSON.stringify(chain)}`),
    takeBack: () => void done.push('take back'),
    rotateSecret: () => void done.push('rotate the secret'),
  });
  return done;
}

describe('a scenario', () => {
  const REVOKE = 'token {"revokeAll":true}';

  it('B25: has a button, callers, and what happens to them, second by second', () => {
    const rows = SCENARIOS.map(({ name, label, does, callers, seconds, first, steps }) => ({
      button: [name, label, does],
      callers: [callers, seconds],
      first: doneBy(first),
      steps: steps.map(([after, act]) => [after, ...doneBy(act)]),
    }));
    expect(rows).toEqual([
      {
        button: ['revoke', 'revoke under load', '1,000 callers, and all tokens are revoked after 4 s'],
        callers: [1000, 10],
        first: [],
        steps: [[4, REVOKE]],
      },
      {
        button: ['cold', '1,000 cold callers', '1,000 callers at once, and no token'],
        callers: [1000, undefined],
        first: [],
        steps: [],
      },
      {
        button: [
          'outage',
          'outage of 30 s',
          '50 callers, and a token endpoint that answers 503 for 30 s after all tokens were revoked',
        ],
        callers: [50, 40],
        first: [],
        steps: [
          [3, 'token {"status":503}'],
          [3, REVOKE],
          [33, 'take back'],
        ],
      },
      {
        button: [
          'rotated',
          'rotated secret',
          '50 callers, and a new secret that their source of secrets learns a little late',
        ],
        callers: [50, 8],
        first: [],
        steps: [
          [3, 'rotate the secret'],
          [3, REVOKE],
        ],
      },
      {
        button: ['expiring', 'expiring token', '50 callers, and tokens that live for 3 s'],
        callers: [50, 15],
        first: ['token {"lifetime":3}'],
        steps: [],
      },
    ]);
  });
});
