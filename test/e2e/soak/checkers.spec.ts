import { expect, it } from 'vitest';
import { ApiRequestRecord, TokenRequestRecord } from '../../../lib/testing/simulator/records.js';
import { startSimulator } from '../../support/application/simulator.js';
import { CallChecker } from './call-checker.js';
import { Tolerance } from './tolerance.js';
import { ClientRequestLog } from './client-request-log.js';
import { CLIENTS_UNDER_TEST } from './clients-under-test.js';
import type { CallReport } from './messages.js';
import { LIFETIME_MS } from './provider-request-log.js';
import { TokenChecker } from './token-checker.js';
import type { ProviderFault } from './provider-faults.js';

const START = Date.UTC(2026, 0, 1);
/** Tokens with a lifetime that is longer than a pause of renewals. */
const LONG: ProviderFault = { name: 'long', weight: 1, expiresInMs: 60_000 };

/** An outage of the token endpoint. */
const DOWN: ProviderFault = { name: 'status-503', weight: 1, code: 'TOKEN_UNAVAILABLE' };

type Sent = readonly [at: number, token: string, status: number];

/** The requests and outcomes of an imagined client, written by hand. Times are in milliseconds from the start. */
class HandWrittenLog {
  readonly #requestLog: ClientRequestLog;
  readonly #tokens: TokenChecker;
  readonly #calls: CallChecker;

  static async create(transport: 'axios' | 'undici' = 'axios'): Promise<HandWrittenLog> {
    const client = CLIENTS_UNDER_TEST.find((one) => one.transport === transport);
    if (client === undefined) throw new RangeError(`There is no client on ${transport}.`);
    return new HandWrittenLog(new ClientRequestLog(client, await startSimulator()));
  }

  private constructor(requestLog: ClientRequestLog) {
    const tolerance = new Tolerance();
    this.#requestLog = requestLog;
    this.#tokens = new TokenChecker(requestLog, tolerance);
    this.#calls = new CallChecker(requestLog, this.#tokens, tolerance);
  }

  token(at: number, token: string, fault?: ProviderFault): void {
    if (fault) this.#requestLog.begin(fault);
    const record = new TokenRequestRecord(this.#received(at, '/oauth/token', {}));
    record.status = 200;
    record.issued(token);
    this.#requestLog.tokenRequested(record);
    this.#requestLog.end();
  }

  /** A token request that the token endpoint answers with 503. */
  fails(at: number): void {
    this.#requestLog.begin(DOWN);
    const record = new TokenRequestRecord(this.#received(at, '/oauth/token', {}));
    record.status = 503;
    this.#requestLog.tokenRequested(record);
    this.#requestLog.end();
  }

  /** Without `startedAt`, the call starts just before its first request. */
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
      this.#requestLog.apiRequested(record);
    }
    const call = {
      client: this.#requestLog.client.name,
      fault: /^\/([a-z-]+)/.exec(path)?.[1] ?? 'none',
      path,
      body: 'none' as const,
      aborts: false,
      startedAt: START + startedAt,
      endedAt: START + endedAt,
      outcome,
    };
    this.#requestLog.callEnded(call);
    return call;
  }

  /** The findings about the token requests. */
  get wrong(): string[] {
    this.#tokens.checkBefore(Infinity);
    return this.#tokens.wrong.map((what) => what.replace(/ at \S+/, ''));
  }

  verdict(call: CallReport): string | undefined {
    this.#tokens.checkBefore(Infinity);
    return this.#calls.violationOf(call) ?? this.#calls.explanationOf(call);
  }

  #received(at: number, path: string, headers: Record<string, string>) {
    const { interface: name, environment } = this.#requestLog.client;
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

/** The API refused the first token, and a renewal brought the second one. The first request with it had this outcome. */
async function logAfterRenewal(
  path: string,
  outcome: string,
  fault?: ProviderFault,
): Promise<HandWrittenLog> {
  const log = await HandWrittenLog.create();
  log.token(0, 'first', fault);
  log.token(1_010, 'second', fault);
  const sent = [[1_000, 'first', 401] as const, [1_020, 'second', 200] as const];
  log.call(path, sent, outcome, 1_030);
  return log;
}

it('B3: a client may pause renewals if no request has succeeded with the renewed token', async () => {
  const log = await logAfterRenewal('/hang-up-mid-body/1', 'ERR_BAD_RESPONSE');
  const call = log.call('/none/2', [[2_000, 'second', 401]], '401', 2_005);
  expect(log.verdict(call)).toBe('B3: renewals were paused');
});

it('B3: a client must not pause renewals if a request has succeeded with the renewed token', async () => {
  const log = await logAfterRenewal('/refused-once/1', 'ok');
  const call = log.call('/none/2', [[1_100, 'second', 401]], '401', 1_105);
  expect(log.verdict(call)).toBeUndefined();
});

it('B3: a client may pause renewals if it learned of a success only after the refusal', async () => {
  const log = await logAfterRenewal('/hang-up-mid-body/1', 'ERR_BAD_RESPONSE');
  log.call('/held/2', [[1_050, 'second', 200]], 'ok', 1_110);
  const call = log.call('/none/3', [[1_100, 'second', 401]], '401', 1_105);
  expect(log.verdict(call)).toBe('B3: renewals were paused');
});

it('B3: a client must not renew after a response that broke off, because that is no success', async () => {
  const log = await logAfterRenewal('/hang-up-mid-body/1', 'ERR_BAD_RESPONSE');
  log.token(1_120, 'third');
  log.call('/none/2', [[1_100, 'second', 401] as const, [1_130, 'third', 200] as const], 'ok', 1_140);
  expect(log.wrong).toEqual([NEEDLESS]);
});

it('B3: a client may renew if a request has succeeded with the renewed token', async () => {
  const log = await logAfterRenewal('/refused-once/1', 'ok');
  log.token(1_120, 'third');
  log.call('/none/2', [[1_100, 'second', 401] as const, [1_130, 'third', 200] as const], 'ok', 1_140);
  expect(log.wrong).toEqual([]);
});

it('B3: a client must not pause renewals for longer than the pause', async () => {
  const log = await logAfterRenewal('/hang-up-mid-body/1', 'ERR_BAD_RESPONSE', LONG);
  log.call('/none/2', [[1_100, 'second', 401]], '401', 1_105);
  const last = log.call('/none/3', [[31_000, 'second', 401]], '401', 31_005);
  const late = log.call('/none/4', [[32_000, 'second', 401]], '401', 32_005);
  expect(log.verdict(last)).toBe('B3: renewals were paused');
  expect(log.verdict(late)).toBeUndefined();
});

it('B3: a pause outlives the token that started it, and ends when a request with a later token succeeds', async () => {
  const log = await logAfterRenewal('/hang-up-mid-body/1', 'ERR_BAD_RESPONSE');
  log.call('/none/2', [[1_100, 'second', 401]], '401', 1_105);
  log.token(1_010 + LIFETIME_MS, 'third');
  log.token(1_010 + 2 * LIFETIME_MS, 'fourth');
  const early = log.call('/none/3', [[9_100, 'fourth', 401]], '401', 9_105);
  log.call('/none/4', [[9_200, 'fourth', 200]], 'ok', 9_205);
  const late = log.call('/none/5', [[9_300, 'fourth', 401]], '401', 9_305);
  expect(log.wrong).toEqual([]);
  expect(log.verdict(early)).toBe('B3: renewals were paused');
  expect(log.verdict(late)).toBeUndefined();
});

it.each([
  ['may keep a token after three renewals that helped no call', '401', 'B3: renewals were paused'],
  ['must renew a token if one of the last three renewals helped a call', 'ok', undefined],
])('B3: a client %s', async (_, lastOutcome, verdict) => {
  const log = await HandWrittenLog.create();
  log.token(0, 'token 0');
  for (const [renewal, at] of [1_000, 2_000, 3_000].entries()) {
    const isLast = renewal === 2;
    const [outcome, status] = isLast && lastOutcome === 'ok' ? ['ok', 200] : ['401', 401];
    const sent = [[at, `token ${renewal}`, 401] as const, [at + 20, `token ${renewal + 1}`, status] as const];
    log.token(at + 10, `token ${renewal + 1}`);
    log.call(`/refused/${renewal}`, sent, outcome, at + 30);
    log.call(`/none/${renewal}`, [[at + 50, `token ${renewal + 1}`, 200]], 'ok', at + 55);
  }
  const call = log.call('/none/9', [[3_500, 'token 3', 401]], '401', 3_505);
  expect(log.wrong).toEqual([]);
  expect(log.verdict(call)).toBe(verdict);
});

it('B3: if a renewal brings the same token again, only a new success ends the pause', async () => {
  const log = await HandWrittenLog.create();
  log.token(0, 'first');
  log.call('/none/1', [[500, 'first', 200]], 'ok', 505);
  const again = [[1_000, 'first', 401] as const, [1_020, 'first', 401] as const];
  log.token(1_010, 'first');
  log.call('/refused/2', again, '401', 1_030);
  const paused = log.call('/none/3', [[1_100, 'first', 401]], '401', 1_105);
  log.call('/none/4', [[1_200, 'first', 200]], 'ok', 1_205);
  const wrong = log.call('/none/5', [[1_300, 'first', 401]], '401', 1_305);
  expect(log.verdict(paused)).toBe('B3: renewals were paused');
  expect(log.verdict(wrong)).toBeUndefined();
});

it.each([
  ['may send a token that it chose just before the end', LIFETIME_MS, 'nothing went wrong'],
  ['must not choose a token after its end', LIFETIME_MS + 60, 'S11: chose a token 55 ms after its life'],
])('S11: a client %s', async (_name, at, verdict) => {
  const log = await HandWrittenLog.create();
  log.token(0, 'first');
  const call = log.call('/none/1', [[at, 'first', 200]], 'ok', at + 5);
  expect(log.verdict(call)).toBe(verdict);
});

it('S11: a client must not resend a call with a token that ended before the refusal', async () => {
  const log = await HandWrittenLog.create();
  log.token(0, 'first');
  log.token(LIFETIME_MS - 1_000, 'second');
  const at = LIFETIME_MS + 100;
  const sent = [[at, 'second', 401] as const, [at + 20, 'first', 200] as const];
  expect(log.verdict(log.call('/refused-once/1', sent, 'ok', at + 30))).toBe(
    'S11: chose a token 100 ms after its life',
  );
});

it('S11: no request may arrive long after the end of its token, even if the call started before', async () => {
  const log = await HandWrittenLog.create();
  log.token(0, 'first');
  const call = log.call('/none/1', [[LIFETIME_MS + 600, 'first', 200]], 'ok', LIFETIME_MS + 605, 3_000);
  expect(log.verdict(call)).toBe('S11: carried a token after its life');
});

it('S11: the life of a token starts again when the provider issues it again', async () => {
  const log = await HandWrittenLog.create();
  log.token(0, 'first');
  log.token(3_000, 'first');
  const sent = [[LIFETIME_MS + 500, 'first', 200] as const];
  expect(log.verdict(log.call('/none/1', sent, 'ok', LIFETIME_MS + 505))).toBe('nothing went wrong');
});

it('S5: a client must not send a token before the provider has issued it', async () => {
  const log = await HandWrittenLog.create();
  const call = log.call('/none/1', [[500, 'first', 200]], 'ok', 505);
  log.token(1_000, 'first');
  expect(log.verdict(call)).toBe('S5: carried a token that this client never received');
});

it('B3: a success before a token was issued again does not allow another renewal', async () => {
  const log = await HandWrittenLog.create();
  log.token(0, 'first');
  log.call('/none/1', [[500, 'first', 200]], 'ok', 505);
  log.token(1_010, 'first');
  log.call('/refused/2', [[1_000, 'first', 401] as const, [1_020, 'first', 401] as const], '401', 1_030);
  log.token(1_120, 'second');
  log.call('/none/3', [[1_100, 'first', 401] as const, [1_130, 'second', 200] as const], 'ok', 1_140);
  expect(log.wrong).toEqual([expect.stringContaining('S8, B2, B3: a token request although')]);
});

/** One renewal of three attempts, the last one after 300 ms, and then the given attempts in the same outage. */
async function logOfOutage(tries: readonly number[]): Promise<HandWrittenLog> {
  const log = await HandWrittenLog.create();
  for (const at of [0, 100, 300, ...tries]) log.fails(at);
  return log;
}

it.each([
  ['may send a token request after each pause', [510, 720, 10_000, 10_800], []],
  [
    'must not send a token request in its first pause',
    [450],
    ['B18: a token request 150 ms after a failure, in its cool-down'],
  ],
  [
    'must not send a token request in a pause that is longer because of the outage',
    [10_000, 10_500],
    ['B18: a token request 500 ms after a failure, in its cool-down'],
  ],
  [
    'must not make three attempts in an outage',
    [10_000, 10_100],
    ['B18: a token request 100 ms after a failure, in its cool-down'],
  ],
])('B18: a client %s', async (_name, tries, wrong) => {
  expect((await logOfOutage(tries)).wrong).toEqual(wrong);
});

it('B18: a client may make three attempts again after a token', async () => {
  const log = await logOfOutage([1_000]);
  log.token(2_000, 'first');
  for (const at of [LIFETIME_MS + 2_100, LIFETIME_MS + 2_150, LIFETIME_MS + 2_200]) log.fails(at);
  expect(log.wrong).toEqual([]);
});

it('B18: a call may fail for as long as a pause can last, and no longer', async () => {
  const log = await logOfOutage([10_000]);
  const early = log.call('/none/1', [], 'TOKEN_UNAVAILABLE', 11_200);
  const late = log.call('/none/2', [], 'TOKEN_UNAVAILABLE', 13_000);
  expect(log.verdict(early)).toBe('TOKEN_UNAVAILABLE: status-503');
  expect(log.verdict(late)).toBeUndefined();
});
