import { setTimeout as passed } from 'node:timers/promises';
import { lastValueFrom } from 'rxjs';
import { Applications } from './applications.js';
import { call } from './caller.js';
import { measureLag } from './tolerance.js';
import type { HttpService } from '@nestjs/axios';
import { type ClientUnderTest, CLIENTS_UNDER_TEST } from './clients-under-test.js';
import type { BackendPlan, CallReport, FromBackend, ToBackend } from './messages.js';
import { SeededRandom } from './seeded-random.js';

/**
 * The process under test. It contains only the two applications and their callers, so its memory and its sockets belong
 * to them. It needs `--expose-gc`.
 */
const TICK_MS = 20;
/**
 * The most calls of one client at the same time. If it is reached, the calls wait for something, or the
 * machine is too slow. The load then leaves out calls until some have ended.
 */
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
    applications?.rotate(message.client, message.secret);
    send({ kind: 'rotated', client: message.client });
  }
});
for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
  process.on(event, (reason: unknown) => send({ kind: 'trouble', text: `${event}: ${String(reason)}` }));
}

/** The callers of one client. */
class Callers {
  inFlight = 0;
  made = 0;

  constructor(
    private readonly client: ClientUnderTest,
    private readonly http: HttpService,
  ) {}

  /** The first calls are slow, because the code is not compiled yet. They are not checked. */
  async warmUp(): Promise<void> {
    for (let made = 0; made < WARM_UP_CALLS; made += 1) {
      await lastValueFrom(this.http.post('/none/0', { made }, { timeout: 0 }));
    }
  }

  async call(random: SeededRandom): Promise<void> {
    if (this.inFlight >= MOST_IN_FLIGHT) return;
    this.inFlight += 1;
    this.made += 1;
    const outcome = await call(this.client, this.http, random);
    finished.push(outcome);
    this.inFlight -= 1;
  }
}

async function run(plan: BackendPlan): Promise<void> {
  const opened = (applications = await Applications.start(plan));
  const callers = CLIENTS_UNDER_TEST.map((client) => new Callers(client, opened.http(client)));
  for (const each of callers) await each.warmUp();
  send({ kind: 'ready' });
  const sampling = setInterval(() => sample(inFlight(callers)), plan.sampleEveryMs);
  await load(callers, plan);
  clearInterval(sampling);
  while (inFlight(callers) > 0) await passed(TICK_MS);
  sendReports();
  await opened.close();
  // Connections that the providers still hold close by themselves. A socket that is open after that is a leak.
  await passed(CLOSES_WITHIN_MS);
  const made = callers.reduce((sum, each) => sum + each.made, 0);
  send({ kind: 'closed', sockets: sockets(), made });
  process.disconnect();
}

/** Starts calls at a steady rate. It does not wait for their outcomes. */
async function load(callers: readonly Callers[], { seed, callsPerSecond }: BackendPlan): Promise<void> {
  const random = new SeededRandom(seed);
  const from = performance.now();
  for (let made = 0; !stop.signal.aborted; sendReports()) {
    const due = ((performance.now() - from) / 1_000) * callsPerSecond;
    for (; made < due; made += 1) void random.one(callers).call(random);
    await passed(TICK_MS);
  }
}

function inFlight(callers: readonly Callers[]): number {
  return callers.reduce((sum, each) => sum + each.inFlight, 0);
}

function sendReports(): void {
  if (finished.length === 0) return;
  send({ kind: 'calls', calls: finished, lagMs: lag() });
  finished = [];
}

function sample(inFlight: number): void {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('The backend needs --expose-gc.');
  // Without options, because with some options Node 20 collects only young objects.
  gc();
  const { heapUsed: heapBytes } = process.memoryUsage();
  send({ kind: 'sample', sample: { at: Date.now(), heapBytes, sockets: sockets(), inFlight } });
}

function sockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;
}

function send(message: FromBackend): void {
  process.send?.(message);
}
