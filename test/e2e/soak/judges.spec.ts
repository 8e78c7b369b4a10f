import { expect, it } from 'vitest';
import { ApiRequestRecord, TokenRequestRecord } from '../../../lib/testing/simulator/records.js';
import { startSimulator } from '../../support/application/simulator.js';
import { CallJudge } from './call-judge.js';
import { Grace } from './grace.js';
import { LaneLedger } from './lane-ledger.js';
import { LANES } from './lanes.js';
import type { CallReport } from './messages.js';
import { LIFETIME_MS } from './provider-ledger.js';
import { TokenJudge } from './token-judge.js';
import type { Weather } from './weather.js';

const START = Date.UTC(2026, 0, 1);
/** Tokens that are said to live for so long that a pause ends before they do. */
const LONG: Weather = { name: 'long', weight: 1, toldMs: 60_000 };

/** An outage of the token endpoint. */
const DOWN: Weather = { name: 'status-503', weight: 1, code: 'TOKEN_UNAVAILABLE' };

type Sent = readonly [at: number, token: string, status: number];

/** What a client does, written down by hand: in milliseconds from the start. */
class Story {
  readonly #ledger: LaneLedger;
  readonly #tokens: TokenJudge;
  readonly #calls: CallJudge;

  static async begin(transport: 'axios' | 'undici' = 'axios'): Promise<Story> {
    const lane = LANES.find((one) => one.transport === transport);
    if (lane === undefined) throw new RangeError(`There is no lane on ${transport}.`);
    return new Story(new LaneLedger(lane, await startSimulator()));
  }

  private constructor(ledger: LaneLedger) {
    const grace = new Grace();
    this.#ledger = ledger;
    this.#tokens = new TokenJudge(ledger, grace);
    this.#calls = new CallJudge(ledger, this.#tokens, grace);
  }

  token(at: number, token: string, weather?: Weather): void {
    if (weather) this.#ledger.begin(weather);
    const record = new TokenRequestRecord(this.#received(at, '/oauth/token', {}));
    record.status = 200;
    record.issued(token);
    this.#ledger.tokenRequested(record);
    this.#ledger.end();
  }

  /** A token request that the token endpoint answers with 503. */
  fails(at: number): void {
    this.#ledger.begin(DOWN);
    const record = new TokenRequestRecord(this.#received(at, '/oauth/token', {}));
    record.status = 503;
    this.#ledger.tokenRequested(record);
    this.#ledger.end();
  }

  /** It begins just before its first request, where nothing else is said. */
  call(
    path: string,
    sent: readonly Sent[],
    outcome: string,
    endedAt: number,
    startedAt = (sent[0]?.[0] ?? endedAt) - 5,
  ): CallReport {
    for (const [at, token, status] of sent) {
      const headers = { authorization: `Bearer ${token}` };
      const record = new ApiRequestRecord(this.#received(at, path, headers), undefined);
      record.status = status;
      this.#ledger.apiRequested(record);
    }
    const call = {
      lane: this.#ledger.lane.name,
      fault: /^\/([a-z-]+)/.exec(path)?.[1] ?? 'none',
      path,
      body: 'none' as const,
      aborts: false,
      startedAt: START + startedAt,
      endedAt: START + endedAt,
      outcome,
    };
    this.#ledger.callEnded(call);
    return call;
  }

  /** What is wrong about the token requests. */
  get wrong(): string[] {
    this.#tokens.judgeBefore(Infinity);
    return this.#tokens.wrong.map((what) => what.replace(/ at \S+/, ''));
  }

  verdict(call: CallReport): string | undefined {
    this.#tokens.judgeBefore(Infinity);
    return this.#calls.misconduct(call) ?? this.#calls.account(call);
  }

  #received(at: number, path: string, headers: Record<string, string>) {
    const { interface: name, environment } = this.#ledger.lane;
    return {
      interface: name,
      environment,
      at: new Date(START + at),
      method: 'GET',
      path,
      headers,
      body: Buffer.alloc(0),
    };
  }
}

const NEEDLESS =
  'S8, B2, B3: a token request although the last token was good; its token came after a refusal, 110 ms before: ' +
  '10 /hang-up-mid-body/1 200 ERR_BAD_RESPONSE 20, 90 /none/2 401 ok 130';

/** A token that was refused, and the one that a renewal has brought since; its first request ended like this. */
async function renewed(path: string, outcome: string, weather?: Weather): Promise<Story> {
  const story = await Story.begin();
  story.token(0, 'first', weather);
  story.token(1_010, 'second', weather);
  const sent = [[1_000, 'first', 401] as const, [1_020, 'second', 200] as const];
  story.call(path, sent, outcome, 1_030);
  return story;
}

it('B3: a client pauses rightly that has seen no request succeed with its renewed token', async () => {
  const story = await renewed('/hang-up-mid-body/1', 'ERR_BAD_RESPONSE');
  const call = story.call('/none/2', [[2_000, 'second', 401]], '401', 2_005);
  expect(story.verdict(call)).toBe('B3: renewals were in vain');
});

it('B3: a client pauses wrongly that has seen a request succeed with its renewed token', async () => {
  const story = await renewed('/refused-once/1', 'ok');
  const call = story.call('/none/2', [[1_100, 'second', 401]], '401', 1_105);
  expect(story.verdict(call)).toBeUndefined();
});

it('B3: a client may pause that learned of a success only when it had been refused', async () => {
  const story = await renewed('/hang-up-mid-body/1', 'ERR_BAD_RESPONSE');
  story.call('/held/2', [[1_050, 'second', 200]], 'ok', 1_110);
  const call = story.call('/none/3', [[1_100, 'second', 401]], '401', 1_105);
  expect(story.verdict(call)).toBe('B3: renewals were in vain');
});

it('B3: a client renews wrongly that takes an answer which broke off for a success', async () => {
  const story = await renewed('/hang-up-mid-body/1', 'ERR_BAD_RESPONSE');
  story.token(1_120, 'third');
  story.call('/none/2', [[1_100, 'second', 401] as const, [1_130, 'third', 200] as const], 'ok', 1_140);
  expect(story.wrong).toEqual([NEEDLESS]);
});

it('B3: a client renews rightly that has seen a request succeed with its renewed token', async () => {
  const story = await renewed('/refused-once/1', 'ok');
  story.token(1_120, 'third');
  story.call('/none/2', [[1_100, 'second', 401] as const, [1_130, 'third', 200] as const], 'ok', 1_140);
  expect(story.wrong).toEqual([]);
});

it('B3: a client pauses wrongly for longer than its pause', async () => {
  const story = await renewed('/hang-up-mid-body/1', 'ERR_BAD_RESPONSE', LONG);
  story.call('/none/2', [[1_100, 'second', 401]], '401', 1_105);
  const last = story.call('/none/3', [[31_000, 'second', 401]], '401', 31_005);
  const late = story.call('/none/4', [[32_000, 'second', 401]], '401', 32_005);
  expect(story.verdict(last)).toBe('B3: renewals were in vain');
  expect(story.verdict(late)).toBeUndefined();
});

it('B3: a pause outlives the token that began it, and ends with a success of the next', async () => {
  const story = await renewed('/hang-up-mid-body/1', 'ERR_BAD_RESPONSE');
  story.call('/none/2', [[1_100, 'second', 401]], '401', 1_105);
  story.token(1_010 + LIFETIME_MS, 'third');
  story.token(1_010 + 2 * LIFETIME_MS, 'fourth');
  const early = story.call('/none/3', [[9_100, 'fourth', 401]], '401', 9_105);
  story.call('/none/4', [[9_200, 'fourth', 200]], 'ok', 9_205);
  const late = story.call('/none/5', [[9_300, 'fourth', 401]], '401', 9_305);
  expect(story.wrong).toEqual([]);
  expect(story.verdict(early)).toBe('B3: renewals were in vain');
  expect(story.verdict(late)).toBeUndefined();
});

it('B3: a token that a renewal brings once more has to prove itself once more', async () => {
  const story = await Story.begin();
  story.token(0, 'first');
  story.call('/none/1', [[500, 'first', 200]], 'ok', 505);
  const again = [[1_000, 'first', 401] as const, [1_020, 'first', 401] as const];
  story.token(1_010, 'first');
  story.call('/refused/2', again, '401', 1_030);
  const paused = story.call('/none/3', [[1_100, 'first', 401]], '401', 1_105);
  story.call('/none/4', [[1_200, 'first', 200]], 'ok', 1_205);
  const wrong = story.call('/none/5', [[1_300, 'first', 401]], '401', 1_305);
  expect(story.verdict(paused)).toBe('B3: renewals were in vain');
  expect(story.verdict(wrong)).toBeUndefined();
});

it.each([
  ['rightly carries a token that it chose just before its end', LIFETIME_MS, 'nothing went wrong'],
  ['wrongly chooses a token after its end', LIFETIME_MS + 60, 'S11: chose a token 55 ms after its life'],
])('S11: a client %s', async (_name, at, verdict) => {
  const story = await Story.begin();
  story.token(0, 'first');
  const call = story.call('/none/1', [[at, 'first', 200]], 'ok', at + 5);
  expect(story.verdict(call)).toBe(verdict);
});

it('S11: a client is wrong to send again with a token that ended before the refusal', async () => {
  const story = await Story.begin();
  story.token(0, 'first');
  story.token(LIFETIME_MS - 1_000, 'second');
  const at = LIFETIME_MS + 100;
  const sent = [[at, 'second', 401] as const, [at + 20, 'first', 200] as const];
  expect(story.verdict(story.call('/refused-once/1', sent, 'ok', at + 30))).toBe(
    'S11: chose a token 100 ms after its life',
  );
});

it('S11: a client is wrong whose request arrives long after the end of its token, whenever it began', async () => {
  const story = await Story.begin();
  story.token(0, 'first');
  const call = story.call('/none/1', [[LIFETIME_MS + 600, 'first', 200]], 'ok', LIFETIME_MS + 605, 3_000);
  expect(story.verdict(call)).toBe('S11: carried a token after its life');
});

it('S11: a token that was handed out once more lives from then on', async () => {
  const story = await Story.begin();
  story.token(0, 'first');
  story.token(3_000, 'first');
  const sent = [[LIFETIME_MS + 500, 'first', 200] as const];
  expect(story.verdict(story.call('/none/1', sent, 'ok', LIFETIME_MS + 505))).toBe('nothing went wrong');
});

it('S5: a client is wrong that carries a token before it was given', async () => {
  const story = await Story.begin();
  const call = story.call('/none/1', [[500, 'first', 200]], 'ok', 505);
  story.token(1_000, 'first');
  expect(story.verdict(call)).toBe('S5: carried a token that this lane was never given');
});

it('B3: a client renews wrongly once more for what its token did before it came once more', async () => {
  const story = await Story.begin();
  story.token(0, 'first');
  story.call('/none/1', [[500, 'first', 200]], 'ok', 505);
  story.token(1_010, 'first');
  story.call('/refused/2', [[1_000, 'first', 401] as const, [1_020, 'first', 401] as const], '401', 1_030);
  story.token(1_120, 'second');
  story.call('/none/3', [[1_100, 'first', 401] as const, [1_130, 'second', 200] as const], 'ok', 1_140);
  expect(story.wrong).toEqual([expect.stringContaining('S8, B2, B3: a token request although')]);
});

/** A renewal of three attempts, the last one after 300 ms, and the further tries of the outage. */
async function outage(tries: readonly number[]): Promise<Story> {
  const story = await Story.begin();
  for (const at of [0, 100, 300, ...tries]) story.fails(at);
  return story;
}

it.each([
  ['rightly asks after each pause', [510, 720, 10_000, 10_800], []],
  [
    'asks wrongly in its first pause',
    [450],
    ['B18: a token request 150 ms after a failure, in its cool-down'],
  ],
  [
    'asks wrongly in a pause that the outage has made longer',
    [10_000, 10_500],
    ['B18: a token request 500 ms after a failure, in its cool-down'],
  ],
  [
    'is wrong to make three attempts in an outage',
    [10_000, 10_100],
    ['B18: a token request 100 ms after a failure, in its cool-down'],
  ],
])('B18: a client %s', async (_name, tries, wrong) => {
  expect((await outage(tries)).wrong).toEqual(wrong);
});

it('B18: a client may make three attempts again after a token', async () => {
  const story = await outage([1_000]);
  story.token(2_000, 'first');
  for (const at of [LIFETIME_MS + 2_100, LIFETIME_MS + 2_150, LIFETIME_MS + 2_200]) story.fails(at);
  expect(story.wrong).toEqual([]);
});

it('B18: a call may fail for as long as a pause can last, and no longer', async () => {
  const story = await outage([10_000]);
  const early = story.call('/none/1', [], 'TOKEN_UNAVAILABLE', 11_200);
  const late = story.call('/none/2', [], 'TOKEN_UNAVAILABLE', 13_000);
  expect(story.verdict(early)).toBe('TOKEN_UNAVAILABLE: status-503');
  expect(story.verdict(late)).toBeUndefined();
});
