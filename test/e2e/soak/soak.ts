import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CallChecker } from './call-checker.js';
import { Tolerance, measureLag } from './tolerance.js';
import type { ClientRequestLog } from './client-request-log.js';
import { type Transport, TRANSPORTS } from './clients-under-test.js';
import type { CallReport, FromBackend, Sample, ToBackend } from './messages.js';
import { ProviderRequestLog } from './provider-request-log.js';
import { SoakReport } from './report.js';
import { SeededRandom } from './seeded-random.js';
import { TokenChecker } from './token-checker.js';
import { LONGEST_FAULT_MS, PROVIDER_FAULTS } from './provider-faults.js';

export interface SoakPlan {
  readonly seconds: number;
  readonly seed: number;
  readonly callsPerSecond: number;
}

const COLLECT_EVERY_MS = 250;
/** After this time, all records about a call are complete. */
const CHECKED_AFTER_MS = 3_000;
const SHORTEST_FAULT_MS = 300;
const CALM_MS = [500, 2_500] as const;
const REMEMBERED_MS = 90_000;
const LAST_CALLS_MS = 1_000;
const ENDS_WITHIN_MS = 30_000;
const LOADER = new URL('../../support/run/register-source.mjs', import.meta.url).href;

interface CheckedClient {
  readonly requestLog: ClientRequestLog;
  readonly tokens: TokenChecker;
  readonly calls: CallChecker;
}

/** Runs two providers with random faults and a process that calls them at a steady rate, and checks each call. */
export class Soak {
  readonly #plan: SoakPlan;
  readonly #report: SoakReport;
  readonly #providers: ProviderRequestLog[] = [];
  readonly #checkedClients = new Map<string, CheckedClient>();
  readonly #tolerance = new Tolerance();
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
    for (const transport of TRANSPORTS) this.#providers.push(await ProviderRequestLog.start(transport));
    for (const { requestLogs } of this.#providers) {
      for (const requestLog of requestLogs) {
        const tokens = new TokenChecker(requestLog, this.#tolerance);
        this.#checkedClients.set(requestLog.client.name, {
          requestLog,
          tokens,
          calls: new CallChecker(requestLog, tokens, this.#tolerance),
        });
      }
    }
    const exited = once(this.#backend, 'exit');
    await this.#startBackend();
    const collecting = setInterval(() => this.#check(Date.now() - CHECKED_AFTER_MS), COLLECT_EVERY_MS);
    const until = performance.now() + seconds * 1_000;
    await Promise.all(
      [...this.#checkedClients.values()].map(({ requestLog }, index) =>
        this.#drawFaults(requestLog, index, until),
      ),
    );
    await passed(LAST_CALLS_MS);
    this.#send({ kind: 'stop' });
    const ended = await Promise.race([
      exited.then(() => true),
      passed(ENDS_WITHIN_MS, false, { ref: false }),
    ]);
    if (!ended) {
      this.#report.addWrong('B9: the process did not end by itself');
      this.#backend.kill('SIGKILL');
      await exited;
    }
    clearInterval(collecting);
    this.#check(Number.POSITIVE_INFINITY);
    for (const { provider } of this.#providers) await provider.close();
    return this.#report;
  }

  async #startBackend(): Promise<void> {
    const { seed, callsPerSecond, seconds } = this.#plan;
    const ready = new Promise<void>((resolve) => {
      this.#backend.on('message', (message: FromBackend) => {
        if (message.kind === 'ready') resolve();
        else this.#receive(message);
      });
    });
    const addresses = this.#providers.flatMap((provider) =>
      provider.requestLogs.map(
        (requestLog) => [requestLog.client.name, provider.addressOf(requestLog)] as const,
      ),
    );
    this.#send({
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

  /** Draws faults for one client until the end of the run, with a pause before each fault. */
  async #drawFaults(requestLog: ClientRequestLog, index: number, until: number): Promise<void> {
    const random = new SeededRandom(this.#plan.seed * 31 + index);
    const provider = this.#providers.find(({ requestLogs }) => requestLogs.includes(requestLog));
    const left = (ms: number): number => Math.min(ms, Math.max(0, until - performance.now()));
    while (performance.now() < until) {
      await passed(left(random.between(...CALM_MS)));
      const fault = random.weighted(PROVIDER_FAULTS);
      const rotations = requestLog.rotations.length;
      provider?.collect(() => requestLog.begin(fault));
      this.#report.providerFault(fault.name);
      const rotated = requestLog.rotations[rotations];
      if (rotated) this.#send({ kind: 'secret', client: requestLog.client.name, secret: rotated.secret });
      await passed(left(random.between(SHORTEST_FAULT_MS, LONGEST_FAULT_MS)));
      provider?.collect(() => requestLog.end());
    }
  }

  #receive(message: FromBackend): void {
    if (message.kind === 'calls') {
      this.#waiting.push(...message.calls);
      // At once, because the checks of later token requests depend on these outcomes.
      for (const call of message.calls) this.#checkedClients.get(call.client)?.requestLog.callEnded(call);
      this.#tolerance.add(message.lagMs);
    }
    if (message.kind === 'rotated') this.#checkedClients.get(message.client)?.requestLog.rotationIsKnown();
    else if (message.kind === 'sample') this.#sample(message.sample);
    else if (message.kind === 'trouble') this.#report.addWrong(`B9: ${message.text}`);
    else if (message.kind === 'closed') this.#report.closed(message);
  }

  #sample(sample: Sample): void {
    const here = process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;
    this.#report.sample(sample, here);
  }

  #check(before: number): void {
    this.#tolerance.add(this.#lag());
    for (const provider of this.#providers) {
      provider.collect();
      for (const what of provider.unexpected.splice(0)) this.#report.addWrong(`S6: ${what}`);
    }
    for (const { requestLog, tokens } of this.#checkedClients.values()) {
      tokens.checkBefore(before);
      for (const wrong of [...tokens.wrong.splice(0), ...requestLog.wrong.splice(0)]) {
        this.#report.addWrong(`${wrong} (${requestLog.client.name})`);
      }
      requestLog.forgetBefore(Date.now() - REMEMBERED_MS);
    }
    const ripe = this.#waiting.filter(({ endedAt }) => endedAt < before);
    this.#waiting = this.#waiting.filter(({ endedAt }) => endedAt >= before);
    for (const call of ripe) this.#checkCall(call);
    this.#report.longestLagMs = this.#tolerance.longestLagMs;
    this.#report.tokenRequests = [...this.#checkedClients.values()].map(({ tokens }) => ({
      brought: tokens.issued.length,
      failed: tokens.failed.length,
    }));
  }

  #checkCall(call: CallReport): void {
    const checked = this.#checkedClients.get(call.client);
    if (checked === undefined) throw new RangeError(`There is no client ${call.client}.`);
    const sent = checked.requestLog.calls.get(call.path) ?? [];
    const history = checked.calls.historyOf(call);
    this.#report.call(
      call,
      sent,
      checked.calls.explanationOf(call),
      checked.calls.violationOf(call),
      history,
    );
    checked.requestLog.calls.delete(call.path);
  }

  #caOf(transport: Transport): string {
    return this.#providers.find((one) => one.transport === transport)?.provider.ca ?? '';
  }

  #send(message: ToBackend): void {
    this.#backend.send(message);
  }
}
