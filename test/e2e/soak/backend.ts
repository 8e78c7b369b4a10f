import { setTimeout as passed } from 'node:timers/promises';
import { lastValueFrom } from 'rxjs';
import { Applications } from './applications.js';
import { call } from './caller.js';
import { measureLag } from './grace.js';
import type { HttpService } from '@nestjs/axios';
import { type Lane, LANES } from './lanes.js';
import type { BackendPlan, CallReport, FromBackend, ToBackend } from './messages.js';
import { SeededRandom } from './seeded-random.js';

/**
 * The process under test: nothing in it but two applications and their callers, so that its memory and its sockets are
 * theirs. Needs `--expose-gc`.
 */
const TICK_MS = 20;
/** Of one lane: beyond this its calls wait for something, or the machine cannot keep up; no more until some have ended. */
const MOST_IN_FLIGHT = 8;

const WARM_UP_CALLS = 5;
const CLOSES_WITHIN_MS = 500;

let applications: Applications | undefined;
let finished: CallReport[] = [];
const lag = measureLag();
const stop = new AbortController();

process.on('message', (message: ToBackend) => {
  if (message.kind === 'start') void run(message.plan);
  else if (message.kind === 'stop') stop.abort();
  else {
    applications?.rotate(message.lane, message.secret);
    tell({ kind: 'rotated', lane: message.lane });
  }
});
for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
  process.on(event, (reason: unknown) => tell({ kind: 'trouble', text: `${event}: ${String(reason)}` }));
}

/** The callers of one lane. */
class Callers {
  inFlight = 0;
  made = 0;

  constructor(
    private readonly lane: Lane,
    private readonly http: HttpService,
  ) {}

  /** The first calls are the compiler's. */
  async warmUp(): Promise<void> {
    for (let made = 0; made < WARM_UP_CALLS; made += 1) {
      await lastValueFrom(this.http.post('/none/0', { made }, { timeout: 0 }));
    }
  }

  async call(random: SeededRandom): Promise<void> {
    if (this.inFlight >= MOST_IN_FLIGHT) return;
    this.inFlight += 1;
    this.made += 1;
    const outcome = await call(this.lane, this.http, random);
    finished.push(outcome);
    this.inFlight -= 1;
  }
}

async function run(plan: BackendPlan): Promise<void> {
  const opened = (applications = await Applications.start(plan));
  const callers = LANES.map((lane) => new Callers(lane, opened.http(lane)));
  for (const each of callers) await each.warmUp();
  tell({ kind: 'ready' });
  const sampling = setInterval(() => sample(inFlight(callers)), plan.sampleEveryMs);
  await load(callers, plan);
  clearInterval(sampling);
  while (inFlight(callers) > 0) await passed(TICK_MS);
  report();
  await opened.close();
  // What the providers still hold of it closes by itself; what is left after that leaks.
  await passed(CLOSES_WITHIN_MS);
  const made = callers.reduce((sum, each) => sum + each.made, 0);
  tell({ kind: 'closed', sockets: sockets(), made });
  process.disconnect();
}

/** A steady stream of calls, whatever becomes of them. */
async function load(callers: readonly Callers[], { seed, callsPerSecond }: BackendPlan): Promise<void> {
  const random = new SeededRandom(seed);
  const from = performance.now();
  for (let made = 0; !stop.signal.aborted; report()) {
    const due = ((performance.now() - from) / 1_000) * callsPerSecond;
    for (; made < due; made += 1) void random.one(callers).call(random);
    await passed(TICK_MS);
  }
}

function inFlight(callers: readonly Callers[]): number {
  return callers.reduce((sum, each) => sum + each.inFlight, 0);
}

function report(): void {
  if (finished.length === 0) return;
  tell({ kind: 'calls', calls: finished, lagMs: lag() });
  finished = [];
}

function sample(inFlight: number): void {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('The backend needs --expose-gc.');
  // Without options: with some of them Node 20 collects the youngest objects only.
  gc();
  const { heapUsed: heapBytes } = process.memoryUsage();
  tell({ kind: 'sample', sample: { at: Date.now(), heapBytes, sockets: sockets(), inFlight } });
}

function sockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;
}

function tell(message: FromBackend): void {
  process.send?.(message);
}
