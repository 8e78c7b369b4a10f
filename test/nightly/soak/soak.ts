/**
 * Calls two providers with random faults, on `node:https` and on undici, and checks whether the faults allow the outcome of
 * each call. Ends with 1 if a fault does not allow an outcome, or if memory or sockets grow.
 *
 *   npm run soak                                 ten minutes
 *   npm run soak -- --seconds 60 --seed 42       one minute with a given seed
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ProviderSimulator, type TokenRequestRecord } from '../../../lib/testing/index.js';
import { PROVIDER_PAIRS } from '../../support/application/built-in.js';
import type { CallReport, FromBackend, Sample, ToBackend, Transport } from './backend.js';
import { ClientLog, LIFETIME_MS } from './client-log.js';
import { API_FAULTS, PROVIDER_FAULTS, type ProviderFault, SeededRandom } from './faults.js';

const COLLECT_EVERY_MS = 250;
const FAULT_MS = [300, 1_300] as const;
const CALM_MS = [500, 2_500] as const;
const LAST_CALLS_MS = 1_000;
const ENDS_WITHIN_MS = 30_000;
/** How much the later thirds of a run may exceed its first third, which begins after the warm-up. */
const HEAP = { rise: 0.1, spare: 4 } as const;
const SOCKETS = { rise: 0.5, spare: 32 } as const;
const WARM_UP = 0.25;
const SHOWN = 20;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    rate: { type: 'string', default: '100' },
  },
});
const [seconds, seed, callsPerSecond] = [Number(values.seconds), Number(values.seed), Number(values.rate)];
console.log(`Soaking for ${seconds} s with seed ${seed} …`);

const wrong: string[] = [];
const samples: Sample[] = [];
const outcomes = new Map<string, Map<string, number>>();
let calls = 0;
let made = 0;
let waiting: CallReport[] = [];

interface Met {
  readonly record: TokenRequestRecord;
  readonly fault: ProviderFault | undefined;
}

/** Whether the request may still get a token. */
function isOpen({ record, fault }: Met): boolean {
  return fault?.code === undefined && record.status === undefined;
}

/** A simulated provider for each application, so each request has one owner. */
class Provider {
  readonly logs = new Map(
    PROVIDER_PAIRS.map((pair) => [
      `${pair.interface} ${pair.environment}`,
      {
        pair,
        log: new ClientLog(
          `${this.transport} ${pair.interface} ${pair.environment}`,
          this.transport === 'undici',
        ),
      },
    ]),
  );

  /** Token requests, with the fault that was active when they came. One of them may get its token later. */
  #met: Met[] = [];

  private constructor(
    readonly simulator: ProviderSimulator,
    readonly transport: Transport,
  ) {
    this.#install();
  }

  static async start(transport: Transport): Promise<Provider> {
    const simulator = await ProviderSimulator.start({ lifetimeSeconds: LIFETIME_MS / 1_000 });
    return new Provider(simulator, transport);
  }

  /**
   * Moves new records of the simulator into the logs, then calls `change`, which may begin or end a fault. A script acts in
   * the same turn of the event loop in which its request is recorded. So all records from before the change belong to the
   * fault from before the change.
   */
  collect(change: () => void = () => undefined): void {
    for (const record of this.simulator.tokenRequests)
      this.#met.push({ record, fault: this.#logOf(record)?.fault });
    for (const { record, fault } of this.#met.filter((one) => !isOpen(one)))
      this.#logOf(record)?.tokenRequested(record, fault);
    this.#met = this.#met.filter(isOpen);
    for (const record of this.simulator.apiRequests) this.#logOf(record)?.apiRequested(record);
    this.simulator.reset();
    change();
    this.#install();
  }

  /** Draws faults for one client until the end of the run, with a pause before each fault. */
  async drawFaults(name: string, random: SeededRandom, until: number): Promise<void> {
    const { log, pair } = this.logs.get(name)!;
    const left = (range: readonly [number, number]): number =>
      Math.min(random.between(...range), Math.max(0, until - performance.now()));
    while (performance.now() < until) {
      await passed(left(CALM_MS));
      const fault = PROVIDER_FAULTS[random.weighted(PROVIDER_FAULTS)];
      this.collect(() => {
        log.fault = fault;
        fault?.begin?.(this.simulator, this.simulator.token.for(pair.interface, pair.environment));
        if (fault?.rotates === true) {
          const secret = this.simulator.rotateSecret(pair.interface, pair.environment);
          send({ kind: 'secret', client: log.name, secret });
        }
      });
      await passed(left(FAULT_MS));
      this.collect(() => (log.fault = undefined));
    }
  }

  #logOf(record: {
    interface?: string | undefined;
    environment?: string | undefined;
    path: string;
  }): ClientLog | undefined {
    const found = this.logs.get(`${record.interface} ${record.environment}`);
    if (!found) wrong.push(`S6: ${record.path} belongs to no client`);
    return found?.log;
  }

  #install(): void {
    for (const [name, { script }] of Object.entries(API_FAULTS))
      script?.(this.simulator.api.path(new RegExp(`^/${name}/`)));
    for (const { pair, log } of this.logs.values()) {
      log.fault?.token?.(this.simulator.token.for(pair.interface, pair.environment));
      log.fault?.api?.(this.simulator.api.for(pair.interface, pair.environment));
    }
  }
}

const backend = fork(fileURLToPath(new URL('backend.ts', import.meta.url)), {
  execArgv: [
    '--expose-gc',
    '--import',
    new URL('../../support/run/register-source.mjs', import.meta.url).href,
  ],
});

function send(message: ToBackend): void {
  backend.send(message);
}

const providers = [await Provider.start('https'), await Provider.start('undici')] as const;
const logs = providers.flatMap((provider) => [...provider.logs.values()].map(({ log }) => log));
const exited = once(backend, 'exit');
backend.on('exit', (code) => code === 0 || process.exit(1));
const ready = new Promise<void>((resolve) => {
  backend.on('message', (message: FromBackend) => {
    if (message.kind === 'ready') resolve();
    if (message.kind === 'calls') waiting.push(...message.calls);
    if (message.kind === 'sample') samples.push(message.sample);
    if (message.kind === 'trouble') wrong.push(`B9: ${message.text}`);
    if (message.kind === 'closed') {
      ({ made } = message);
      if (message.sockets > 0)
        wrong.push(`B9: ${message.sockets} sockets are open after the applications have closed`);
    }
  });
});
const [https, undici] = providers.map(({ simulator }) => ({ interfaces: simulator.options().interfaces }));
send({
  kind: 'start',
  plan: {
    seed,
    callsPerSecond,
    sampleEveryMs: Math.max(500, seconds * 10),
    options: { https: https!, undici: undici! },
    secrets: Object.fromEntries(
      providers.flatMap(({ simulator, logs }) =>
        [...logs.values()].map(({ pair, log }) => [
          log.name,
          simulator.credentials(pair.interface, pair.environment).clientSecret,
        ]),
      ),
    ),
  },
});
await ready;
const collecting = setInterval(check, COLLECT_EVERY_MS);
const until = performance.now() + seconds * 1_000;
await Promise.all(
  providers.flatMap((provider, index) =>
    [...provider.logs.keys()].map((name, at) =>
      provider.drawFaults(name, new SeededRandom(seed * 31 + index * 10 + at), until),
    ),
  ),
);
await passed(LAST_CALLS_MS);
send({ kind: 'stop' });
if (!(await Promise.race([exited.then(() => true), passed(ENDS_WITHIN_MS, false, { ref: false })]))) {
  wrong.push('B9: the process did not end by itself');
  backend.kill('SIGKILL');
  await exited;
}
clearInterval(collecting);
check();
for (const { simulator } of providers) await simulator.close();
conclude();

function check(): void {
  for (const provider of providers) provider.collect();
  for (const call of waiting) {
    calls += 1;
    const counts = outcomes.get(call.fault) ?? new Map<string, number>();
    outcomes.set(call.fault, counts.set(call.outcome, (counts.get(call.outcome) ?? 0) + 1));
    logs.find(({ name }) => name === call.client)?.check(call);
  }
  waiting = [];
}

function sum(of: (log: ClientLog) => number): number {
  return logs.reduce((total, log) => total + of(log), 0);
}

function row(name: string, figures: readonly number[]): string {
  return `| ${name} | ${figures.map((figure) => figure.toFixed(1)).join(' | ')} |`;
}

function conclude(): void {
  for (const log of logs) {
    log.checkTokenRequests();
    wrong.push(...log.wrong.map((text) => `${text} (${log.name})`));
  }
  const resent = sum((log) => log.resent);
  if (calls !== made) wrong.push(`${made} calls were made, but ${calls} were checked`);
  if (resent === 0) wrong.push('no call was resent, so the run tested too little');
  const steady = samples.slice(Math.floor(samples.length * WARM_UP));
  const size = Math.ceil(steady.length / 3);
  const thirds = [0, 1, 2].map((index) => steady.slice(index * size, (index + 1) * size));
  const heap = thirds.map((part) => median(part.map(({ heapMiB }) => heapMiB)));
  const sockets = thirds.map((part) => median(part.map((sample) => sample.sockets)));
  mustBeFlat('heap after collection, MiB', heap, HEAP);
  mustBeFlat('sockets of the clients', sockets, SOCKETS);
  console.log(`
calls ${calls}, resent ${resent}; token requests ${sum((log) => log.issued.length)} that brought a token, \
${sum((log) => log.failed.length)} that met a fault

| fault of the API | outcomes |
|---|---|
${[...outcomes].map(([fault, counts]) => `| ${fault} | ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')} |`).join('\n')}

| medians | first third | second | last |
|---|---|---|---|
${row('heap after collection, MiB', heap)}
${row('sockets of the clients', sockets)}

${wrong.slice(0, SHOWN).join('\n')}
${wrong.length} wrong outcomes${wrong.length === 0 ? '' : `; repeat it with --seed ${seed}`}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

function mustBeFlat(
  name: string,
  [first = 0, ...later]: readonly number[],
  { rise, spare }: { rise: number; spare: number },
): void {
  const most = Math.max(...later);
  if (most > first * (1 + rise) + spare)
    wrong.push(`not flat: ${name}, ${first} in the first third, ${most} later`);
}

function median(figures: readonly number[]): number {
  return figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] ?? 0;
}
