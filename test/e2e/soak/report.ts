import type { ApiRequestRecord } from '../../../lib/testing/index.js';
import type { CallReport, Sample } from './messages.js';
import type { SoakPlan } from './soak.js';

/** How much the later thirds of a run may exceed its first third. */
const HEAP_RISE = 0.1;
/** Compiled code may still add so much in a short run. */
const HEAP_SPARE_MIB = 4;
const SOCKET_RISE = 0.5;
/** The first part of a run is not measured: code is compiled, pools and caches are filled. */
const WARM_UP = 0.25;
const SHOWN = 20;

/** Collects the findings and figures of a soak, and prints them. */
export class SoakReport {
  readonly wrong: string[] = [];
  tokenRequests: readonly { readonly brought: number; readonly failed: number }[] = [];
  longestLagMs = 0;
  #calls = 0;
  #made = 0;
  #resent = 0;
  readonly #byFault = new Map<string, Map<string, number>>();
  readonly #explanations = new Map<string, number>();
  readonly #providerFaults = new Map<string, number>();
  readonly #samples: (Sample & { readonly serverSockets: number })[] = [];

  constructor(private readonly plan: SoakPlan) {}

  addWrong(what: string): void {
    this.wrong.push(what);
  }

  providerFault(name: string): void {
    count(this.#providerFaults, name);
  }

  call(
    call: CallReport,
    sent: readonly ApiRequestRecord[],
    explanation: string | undefined,
    violation: string | undefined,
    history: string,
  ): void {
    this.#calls += 1;
    if (sent.length > 1) this.#resent += 1;
    let outcomes = this.#byFault.get(call.fault);
    if (outcomes === undefined) this.#byFault.set(call.fault, (outcomes = new Map()));
    count(outcomes, call.outcome);
    if (call.outcome !== 'ok' && explanation !== undefined) count(this.#explanations, explanation);
    if (explanation !== undefined && violation === undefined) return;
    const statuses = sent.map(({ status }) => status ?? '-').join(', ');
    const { client, path, body, outcome, startedAt, endedAt } = call;
    this.addWrong(
      `${violation ?? `nothing allows ${outcome}`}: ${body} ${path} (${client}), answered [${statuses}], ` +
        `${new Date(startedAt).toISOString()}, ${endedAt - startedAt} ms${history}`,
    );
  }

  sample(sample: Sample, serverSockets: number): void {
    this.#samples.push({ ...sample, serverSockets });
  }

  closed({ sockets, made }: { readonly sockets: number; readonly made: number }): void {
    this.#made = made;
    if (sockets > 0) this.addWrong(`B9: ${sockets} sockets are open after the applications have closed`);
  }

  /** Checks what is known only at the end of the run. */
  conclude(): void {
    if (this.#calls !== this.#made)
      this.addWrong(`${this.#made} calls were made, but ${this.#calls} were checked`);
    if (this.#resent === 0) this.addWrong('no call was resent, so the run tested too little');
    if (this.tokenRequests.some(({ brought }) => brought < 2))
      this.addWrong('a client never renewed its token');
    this.#flat(
      'heap after collection, MiB',
      ({ heapBytes }) => heapBytes / 2 ** 20,
      HEAP_RISE,
      HEAP_SPARE_MIB,
    );
    this.#flat('sockets of the client', ({ sockets }) => sockets, SOCKET_RISE, 32);
    this.#flat('sockets of the providers', ({ serverSockets }) => serverSockets, SOCKET_RISE, 32);
  }

  /** Markdown. */
  toString(): string {
    const { seconds, seed, callsPerSecond } = this.plan;
    const sum = (kind: 'brought' | 'failed'): number =>
      this.tokenRequests.reduce((total, client) => total + client[kind], 0);
    return [
      `Soak of ${seconds} s at ${callsPerSecond} calls/s, seed ${seed}`,
      '',
      `calls ${this.#calls}, resent ${this.#resent}; token requests ${sum('brought')} that brought a token, ` +
        `${sum('failed')} that met a fault; ` +
        `the longest delay of a process ${this.longestLagMs.toFixed(0)} ms`,
      '',
      '| fault of the API | calls | outcomes |',
      '|---|---|---|',
      ...[...this.#byFault].toSorted(byName).map(([fault, outcomes]) => {
        const all = [...outcomes.values()].reduce((one, other) => one + other, 0);
        return `| ${fault} | ${all} | ${list(outcomes)} |`;
      }),
      '',
      `faults of the provider: ${list(this.#providerFaults)}`,
      '',
      `explained failures: ${list(this.#explanations)}`,
      '',
      '| third of the run | heap after collection, MiB | sockets, client | sockets, providers | in flight |',
      '|---|---|---|---|---|',
      ...['first', 'second', 'last'].map((name, index) => {
        const part = this.#thirds()[index] ?? [];
        const of = (value: (sample: (typeof part)[number]) => number): string =>
          median(part.map(value)).toFixed(1);
        return `| ${name} | ${of(({ heapBytes }) => heapBytes / 2 ** 20)} | ${of(({ sockets }) => sockets)} | ${of(
          ({ serverSockets }) => serverSockets,
        )} | ${of(({ inFlight }) => inFlight)} |`;
      }),
      '',
      this.wrong.length === 0
        ? '0 wrong outcomes'
        : [
            `${this.wrong.length} wrong:`,
            ...this.wrong.slice(0, SHOWN),
            `repeat it with --seed ${seed}`,
          ].join('\n'),
    ].join('\n');
  }

  #flat(
    name: string,
    value: (sample: Sample & { readonly serverSockets: number }) => number,
    rise: number,
    spare: number,
  ): void {
    const [first = 0, ...later] = this.#thirds().map((part) => median(part.map(value)));
    for (const figure of later) {
      if (figure <= first * (1 + rise) + spare) continue;
      this.addWrong(
        `not flat: ${name}, ${first.toFixed(1)} in the first third and ${figure.toFixed(1)} later`,
      );
    }
  }

  #thirds() {
    const steady = this.#samples.slice(Math.floor(this.#samples.length * WARM_UP));
    const size = Math.ceil(steady.length / 3);
    return [0, 1, 2].map((index) => steady.slice(index * size, (index + 1) * size));
  }
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one.localeCompare(other);
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function list(counts: ReadonlyMap<string, number>): string {
  const entries = [...counts].toSorted(([, one], [, other]) => other - one);
  return entries.map(([name, times]) => `${name} ${times}`).join(', ');
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
