import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { isAxiosError } from 'axios';
import { expect, it, onTestFinished, vi } from 'vitest';
import { examine, readEnvironmentVariables } from '../../support/application/built-in.js';
import {
  getProviderHttpToken,
  ProviderAuthModule,
  type ProviderAuthOptions,
  ProviderAuthService,
  EasyHttpService,
  type ProviderStatus,
  TokenRequestError,
} from '../../../lib/index.js';
import { ProviderAuthTelemetryModule } from '../../../lib/opentelemetry/index.js';
import { ProviderAuthHealthIndicator } from '../../../lib/terminus/index.js';
import { leaksIn } from '../../support/application/doctor.js';
import { runs } from '../../support/run/runs.js';
import { TestTelemetry } from '../../support/application/telemetry.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { type Breakage, BREAKAGES, type BrokenSystem, breakSystem, FAULTS_PAGE } from './breakages.js';
import { tableRowsOf } from '../../support/package/manual-pages.js';

/** What each source of information says about one fault. */
interface Voices {
  /** The error of a boot with `token.atBoot: 'require'`. */
  readonly boot: unknown;
  /** The first line about the fault, and the seconds with one call each until it was there. */
  readonly log: string;
  readonly loggedAfterS: number;
  readonly health: Readonly<Record<string, string>>;
  /** Without calls for a while: at once, and after the next trial request. */
  readonly healthThen: Readonly<Record<string, string>>;
  readonly healthLater: Readonly<Record<string, string>>;
  /** The gauges that are 1. */
  readonly failing: readonly string[];
  readonly failingLater: readonly string[];
  /** The message in `status()`. */
  readonly status: string;
  readonly doctor: { readonly steps: readonly string[]; readonly advice: string };
  readonly caller: unknown;
}

@Module({
  imports: [TerminusModule, ProviderAuthTelemetryModule.forRoot()],
  providers: [ProviderAuthHealthIndicator],
})
class OperationsModule {}

interface Running {
  readonly app: INestApplicationContext;
  readonly logs: CapturedLogs;
  readonly bootError: unknown;
}

async function start(
  { variables }: BrokenSystem,
  { store }: Breakage,
  atBoot: 'no' | 'require',
): Promise<Running> {
  const logs = new CapturedLogs();
  const options: ProviderAuthOptions = {
    ...(readEnvironmentVariables(variables) as ProviderAuthOptions),
    token: { atBoot, timeoutMs: 1_000, maxAttempts: 2 },
    ...(store && { store: store() }),
  };
  const app = await NestFactory.create(
    { module: OperationsModule, imports: [ProviderAuthModule.forRoot(options)] },
    { logger: logs, abortOnError: false },
  );
  onTestFinished(() => app.close());
  return { app, logs, bootError: await rejectionOf(app.init()) };
}

/** Undefined if the work succeeds. */
function rejectionOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** The doctor as an operator runs it for one pair. */
async function consult({ variables }: BrokenSystem, breakage: Breakage): Promise<Voices['doctor']> {
  const { interface: name = 'easy', called = 'sandbox' } = breakage;
  const filter = { interface: name, environment: called };
  const { ok, results } = await examine(variables, { ...filter, probe: '/payments' });
  const steps = (results[0]?.steps ?? []).filter(({ advice }) => advice !== undefined);
  expect(ok).toBe(steps.every(({ status }) => status === 'ok'));
  return {
    steps: steps.map(({ name, status }) => `\`${name}\` ${status === 'ok' ? 'warns' : 'fails'}`),
    advice: steps.map(({ advice }) => advice).join(' '),
  };
}

const GAUGES = ['provider_auth.provider.failing', 'provider_auth.api.failing', 'provider_auth.store.failing'];

async function failingGauges(telemetry: TestTelemetry): Promise<string[]> {
  const readings = await Promise.all(GAUGES.map((name) => telemetry.numbers(name, 'interface')));
  return GAUGES.filter((_, index) => Object.values(readings[index] ?? {}).includes(1));
}

/** How long health is not to forget a fault without calls (B35). */
const WITHOUT_CALLS_MS = 90_000;

async function voicesOf(breakage: Breakage, system: BrokenSystem): Promise<Voices> {
  const telemetry = TestTelemetry.register();
  const { interface: name = 'easy', called, later, callsForS = 0 } = breakage;
  const booted = await start(system, breakage, 'require');
  await booted.app.close();

  const { app, logs } = await start(system, breakage, 'no');
  const client = app.get<EasyHttpService>(getProviderHttpToken(name, called), { strict: false });
  const call = (): Promise<unknown> => rejectionOf(client.axiosRef.get('/payments'));
  if (later) {
    await client.axiosRef.get('/payments');
    later(system.provider, system.folder);
  }
  const doctor = await consult(system, breakage);
  const faultAt = Date.now();
  vi.useFakeTimers({ now: faultAt, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const caller = await call();
  let loggedAfterS = 0;
  for (let second = 1; second <= callsForS; second += 1) {
    if (logs.linesAboutTrouble().length === 0) loggedAfterS = second;
    vi.setSystemTime(faultAt + second * 1_000);
    await call();
  }
  const healthOf = async (): Promise<Voices['health']> => {
    const { provider } = await app.get(ProviderAuthHealthIndicator).isHealthy('provider');
    return { ...provider[called ? `${name}.${called}` : name], status: provider.status };
  };
  const statusOf = (): ProviderStatus | undefined =>
    app
      .get(ProviderAuthService, { strict: false })
      .status()
      .find((one) => (called ? one.environment === called : one.active) && one.interface === name);
  const health = await healthOf();
  const failing = await failingGauges(telemetry);
  const status = statusOf();
  const laterAt = Date.now() + WITHOUT_CALLS_MS;
  vi.setSystemTime(laterAt);
  const healthThen = await healthOf();
  // Health is what it was until a trial request has ended, which is the moment at which it could turn green.
  if (status?.state === 'failing')
    await vi.waitUntil(() => Number(statusOf()?.lastError?.at) >= laterAt, { timeout: 20_000 });
  return {
    boot: booted.bootError,
    log: logs.linesAboutTrouble()[0] ?? '',
    loggedAfterS,
    health,
    healthThen,
    healthLater: await healthOf(),
    failing,
    failingLater: await failingGauges(telemetry),
    status: (status?.apiError ?? status?.lastError)?.message ?? '',
    doctor,
    caller,
  };
}

/** The row of a fault on the page: the first line in the log, the doctor's step, and the caller's error. */
function rowOfFault({ log, loggedAfterS, doctor, caller }: Voices, code: string): string[] {
  const [level] = log.split(' ');
  const after = loggedAfterS === 0 ? '' : `, ${loggedAfterS} s`;
  const steps = doctor.steps.join(', ') || 'cannot see it';
  return [`${level}, \`${code}\`${after}`, steps, caller === undefined ? 'no error' : codeOf(caller)];
}

/** The row of a code on the page: health at once and later, and the gauges that are 1. */
function rowOfCode({ health, healthLater, failing }: Voices): string[] {
  return [shownHealth(health), shownHealth(healthLater), failing.map((gauge) => `\`${gauge}\``).join(', ')];
}

function shownHealth({ status, state, store }: Voices['health']): string {
  return `${status}, ${store ? `store ${store}` : `\`${state}\``}`;
}

function codeOf(error: unknown): string {
  if (error instanceof TokenRequestError) return '`TokenRequestError`';
  if (!isAxiosError(error)) return String(error);
  // Without a name server, the code of an unknown host is another.
  const code = error.code?.replace('EAI_AGAIN', 'ENOTFOUND');
  return `\`AxiosError\`, ${error.response ? error.response.status : `\`${code}\``}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

/** Without a name server, no program can know that a host does not exist. */
const NO_NAME_SERVER = 'The name server of this machine does not answer.';

const rows = new Map((await tableRowsOf([FAULTS_PAGE])).map(([first = '', ...cells]) => [first, cells]));

/** `npm test` has one fault of each kind: credentials, addresses, connections, certificates, the proxy, the API and the store. */
const FIRST = [
  'wrong client secret',
  'client secret in quotes',
  'base URL from the other environment',
  'no server at the token host',
  'untrusted certificate on the API host',
  'proxy down',
  'wrong client secret in an inactive environment',
  'secret file disappears',
  'API refuses every token after accepting some',
  'API answers 503 to everything',
  'store down',
];
const PLAYED = [...new Set([...FIRST, ...Object.keys(BREAKAGES)])]
  .slice(0, runs(FIRST.length))
  .map((name) => [name, BREAKAGES[name]!] as const);

it('B29: the page lists the faults that are played here', () => {
  const first = [...rows.keys()];
  // Below the heads of the last table and their line.
  expect(first.slice(first.indexOf('fault') + 2).toSorted()).toEqual(Object.keys(BREAKAGES).toSorted());
});

it.each(PLAYED)(
  'B29 B35: %s: all sources name the same setting and give the same advice, as the page says',
  async (name, breakage) => {
    const system = await breakSystem(breakage);
    const voices = await voicesOf(breakage, system);
    const [, code = 'no code'] = /\(([A-Z_]+)(?:, [^)]*)?\)$/.exec(voices.log) ?? [];
    expect(rowOfFault(voices, code)).toEqual(rows.get(name));
    expect(rowOfCode(voices)).toEqual(rows.get(`\`${code}\``));
    // Never green without a code.
    for (const { code: shown, api, store } of [voices.health, voices.healthLater])
      expect(shown ?? api ?? (store && 'STORE_FAILING')).toBe(code);
    // An inactive environment is not asked at boot.
    const { caller, boot } = voices;
    const failsBoot = caller instanceof TokenRequestError && breakage.called === undefined;
    expect(boot instanceof TokenRequestError ? boot.code : boot).toBe(failsBoot ? code : undefined);
    expect(caller instanceof TokenRequestError ? caller.code : code).toBe(code);
    expect(voices.failingLater).toEqual(voices.failing);
    expect(voices.healthThen['status']).toBe(voices.healthLater['status']);

    const { log, doctor } = voices;
    const advice = doctor.advice.startsWith(NO_NAME_SERVER) ? doctor.advice : breakage.advice;
    const { silent = [] } = breakage;
    const voice = { status: voices.status, doctor: doctor.advice, caller: messageOf(voices.caller) };
    const names = ['status', 'doctor', 'caller'] as const;
    const speaking = names.filter((one) => !silent.includes(one)).map((one) => voice[one]);
    const texts = [log, ...(boot === undefined ? [] : [messageOf(boot)]), ...speaking];
    for (const text of texts) expect(text).toContain(advice);
    for (const text of silent.map((one) => voice[one])) {
      expect(text).not.toContain(advice);
      expect(text).not.toContain(code);
    }

    const { provider, foreign } = system;
    const all = texts.join() + voice.caller + JSON.stringify(voices);
    expect([...leaksIn(all, provider), ...leaksIn(all, foreign)]).toEqual([]);
  },
);
