import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CallJudge } from './call-judge.js';
import { Grace, measureLag } from './grace.js';
import type { LaneLedger } from './lane-ledger.js';
import { type Transport, TRANSPORTS } from './lanes.js';
import type { CallReport, FromBackend, Sample, ToBackend } from './messages.js';
import { ProviderLedger } from './provider-ledger.js';
import { SoakReport } from './report.js';
import { SeededRandom } from './seeded-random.js';
import { TokenJudge } from './token-judge.js';
import { LONGEST_WEATHER_MS, WEATHERS } from './weather.js';

export interface SoakPlan {
  readonly seconds: number;
  readonly seed: number;
  readonly callsPerSecond: number;
}

const HARVEST_MS = 250;
/** By then everything about a call has been recorded. */
const JUDGED_AFTER_MS = 3_000;
const SHORTEST_WEATHER_MS = 300;
const CALM_MS = [500, 2_500] as const;
const REMEMBERED_MS = 90_000;
const LAST_CALLS_MS = 1_000;
const ENDS_WITHIN_MS = 30_000;
const LOADER = new URL('../../support/run/register-source.mjs', import.meta.url).href;

interface Court {
  readonly ledger: LaneLedger;
  readonly tokens: TokenJudge;
  readonly calls: CallJudge;
}

/** Two providers whose weather is bad, and a process that lives with it: at a steady load, judged call by call. */
export class Soak {
  readonly #plan: SoakPlan;
  readonly #report: SoakReport;
  readonly #providers: ProviderLedger[] = [];
  readonly #courts = new Map<string, Court>();
  readonly #grace = new Grace();
  readonly #lag = measureLag();
  #waiting: CallReport[] = [];
  #backend = fork(fileURLToPath(new URL('backend.ts', import.meta.url)), {
    execArgv: ['--expose-gc', '--import', LOADER],
  });

  constructor(plan: SoakPlan) {
    this.#plan = plan;
    this.#report = new SoakReport(plan);
  }

  async run(): Promise<SoakReport> {
    const { seconds } = this.#plan;
    for (const transport of TRANSPORTS) this.#providers.push(await ProviderLedger.start(transport));
    for (const { lanes } of this.#providers) {
      for (const ledger of lanes) {
        const tokens = new TokenJudge(ledger, this.#grace);
        this.#courts.set(ledger.lane.name, {
          ledger,
          tokens,
          calls: new CallJudge(ledger, tokens, this.#grace),
        });
      }
    }
    const exited = once(this.#backend, 'exit');
    await this.#startBackend();
    const harvesting = setInterval(() => this.#judge(Date.now() - JUDGED_AFTER_MS), HARVEST_MS);
    const until = performance.now() + seconds * 1_000;
    await Promise.all(
      [...this.#courts.values()].map(({ ledger }, index) => this.#weather(ledger, index, until)),
    );
    await passed(LAST_CALLS_MS);
    this.#tell({ kind: 'stop' });
    const ended = await Promise.race([
      exited.then(() => true),
      passed(ENDS_WITHIN_MS, false, { ref: false }),
    ]);
    if (!ended) {
      this.#report.blame('B9: the process did not end by itself');
      this.#backend.kill('SIGKILL');
      await exited;
    }
    clearInterval(harvesting);
    this.#judge(Number.POSITIVE_INFINITY);
    for (const { provider } of this.#providers) await provider.close();
    return this.#report;
  }

  async #startBackend(): Promise<void> {
    const { seed, callsPerSecond, seconds } = this.#plan;
    const ready = new Promise<void>((resolve) => {
      this.#backend.on('message', (message: FromBackend) => {
        if (message.kind === 'ready') resolve();
        else this.#hear(message);
      });
    });
    const addresses = this.#providers.flatMap((provider) =>
      provider.lanes.map((ledger) => [ledger.lane.name, provider.addressOf(ledger)] as const),
    );
    this.#tell({
      kind: 'start',
      plan: {
        seed,
        callsPerSecond,
        sampleEveryMs: Math.max(500, seconds * 10),
        addresses: Object.fromEntries(addresses),
        ca: { axios: this.#caOf('axios'), undici: this.#caOf('undici') },
      },
    });
    await ready;
  }

  /** Over one lane: calm, then something, then calm. */
  async #weather(ledger: LaneLedger, index: number, until: number): Promise<void> {
    const random = new SeededRandom(this.#plan.seed * 31 + index);
    const provider = this.#providers.find(({ lanes }) => lanes.includes(ledger));
    const left = (ms: number): number => Math.min(ms, Math.max(0, until - performance.now()));
    while (performance.now() < until) {
      await passed(left(random.between(...CALM_MS)));
      const weather = random.weighted(WEATHERS);
      const rotations = ledger.rotations.length;
      provider?.harvest(() => ledger.begin(weather));
      this.#report.weather(weather.name);
      const rotated = ledger.rotations[rotations];
      if (rotated) this.#tell({ kind: 'secret', lane: ledger.lane.name, secret: rotated.secret });
      await passed(left(random.between(SHORTEST_WEATHER_MS, LONGEST_WEATHER_MS)));
      provider?.harvest(() => ledger.end());
    }
  }

  #hear(message: FromBackend): void {
    if (message.kind === 'calls') {
      this.#waiting.push(...message.calls);
      // At once: what the token requests after them are judged by.
      for (const call of message.calls) this.#courts.get(call.lane)?.ledger.callEnded(call);
      this.#grace.add(message.lagMs);
    }
    if (message.kind === 'rotated') this.#courts.get(message.lane)?.ledger.rotationIsKnown();
    else if (message.kind === 'sample') this.#sample(message.sample);
    else if (message.kind === 'trouble') this.#report.blame(`B9: ${message.text}`);
    else if (message.kind === 'closed') this.#report.closed(message);
  }

  #sample(sample: Sample): void {
    const here = process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;
    this.#report.sample(sample, here);
  }

  #judge(before: number): void {
    this.#grace.add(this.#lag());
    for (const provider of this.#providers) {
      provider.harvest();
      for (const stray of provider.strays.splice(0)) this.#report.blame(`S6: ${stray}`);
    }
    for (const { ledger, tokens } of this.#courts.values()) {
      tokens.judgeBefore(before);
      for (const wrong of [...tokens.wrong.splice(0), ...ledger.wrong.splice(0)]) {
        this.#report.blame(`${wrong} (${ledger.lane.name})`);
      }
      ledger.forgetBefore(Date.now() - REMEMBERED_MS);
    }
    const ripe = this.#waiting.filter(({ endedAt }) => endedAt < before);
    this.#waiting = this.#waiting.filter(({ endedAt }) => endedAt >= before);
    for (const call of ripe) this.#judgeCall(call);
    this.#report.longestLagMs = this.#grace.longestLagMs;
    this.#report.tokenRequests = [...this.#courts.values()].map(({ tokens }) => ({
      brought: tokens.issued.length,
      failed: tokens.failed.length,
    }));
  }

  #judgeCall(call: CallReport): void {
    const court = this.#courts.get(call.lane);
    if (court === undefined) throw new RangeError(`There is no lane ${call.lane}.`);
    const sent = court.ledger.calls.get(call.path) ?? [];
    const history = court.calls.historyOf(call);
    this.#report.call(call, sent, court.calls.account(call), court.calls.misconduct(call), history);
    court.ledger.calls.delete(call.path);
  }

  #caOf(transport: Transport): string {
    return this.#providers.find((one) => one.transport === transport)?.provider.ca ?? '';
  }

  #tell(message: ToBackend): void {
    this.#backend.send(message);
  }
}
