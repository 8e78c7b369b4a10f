import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { isAxiosError } from 'axios';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
import { TestTelemetry } from '../../support/application/telemetry.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { type Breakage, BREAKAGES, type BrokenSystem, breakSystem } from '../../e2e/operations/breakages.js';
import { faultBlocks, headingOf } from '../../e2e/operations/breakages-page.js';

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

/** The lines of a block of `docs/breakages.md`. */
function linesOf(
  { boot, log, loggedAfterS, health, healthLater, failing, doctor, caller }: Voices,
  breakage: Breakage,
): Record<string, string> {
  const [, level, code] = /^(\w+) .* \(([A-Z_]+)(?:, [^)]*)?\)$/.exec(log) ?? [];
  return {
    Boot: boot === undefined ? 'starts' : `fails, ${codeOf(boot)}`,
    Log: `${level}, \`${code}\`, after ${loggedAfterS === 0 ? 'the first call' : `${loggedAfterS} s`}`,
    Health: shownHealth(health),
    'Health after 90 s without calls': shownHealth(healthLater),
    Metrics: failing.map((gauge) => `\`${gauge}\``).join(', '),
    Doctor: doctor.steps.join(', ') || 'cannot see it',
    Caller: caller === undefined ? 'no error' : codeOf(caller),
    'Same advice in': saidBy(breakage),
  };
}

function shownHealth({ status, state, code, api, store }: Voices['health']): string {
  const found = [state, code, api, store && `store ${store}`].filter(Boolean);
  return `${status}, ${found.map((one) => `\`${one}\``).join(', ')}`;
}

function codeOf(error: unknown): string {
  if (error instanceof TokenRequestError) return `\`TokenRequestError\`, \`${error.code}\``;
  if (!isAxiosError(error)) return String(error);
  // Without a name server, the code of an unknown host is another.
  const code = error.code?.replace('EAI_AGAIN', 'ENOTFOUND');
  return `\`AxiosError\`, ${error.response ? error.response.status : `\`${code}\``}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

/** Who gives the advice. The boot does if it fails. */
function saidBy({ silent = [] }: Breakage): string {
  const others = (['status', 'doctor', 'caller'] as const).filter((voice) => !silent.includes(voice));
  return ['log', ...others].join(', ');
}

/** Without a name server, no program can know that a host does not exist. */
const NO_NAME_SERVER = 'The name server of this machine does not answer.';

const blocks = faultBlocks();

describe('B29: the page about faults', { timeout: 60_000 }, () => {
  it('B29: lists the faults that are played here', () => {
    expect([...blocks.keys()]).toEqual(Object.keys(BREAKAGES).map(headingOf));
  });

  it('B26: says each thing once: a fault that looks the same as an earlier one refers to it', () => {
    const written = [...blocks].filter(([, { like }]) => like === undefined);
    const lists = written.map(([, { shown }]) => JSON.stringify([...shown]));
    expect(new Set(lists).size).toBe(lists.length);
    expect(written.length).toBeLessThan(blocks.size / 2);
  });

  it.each(Object.entries(BREAKAGES))(
    'B29 B35: %s: all sources name the same setting and give the same advice, as the page says',
    async (name, breakage) => {
      const system = await breakSystem(breakage);
      const voices = await voicesOf(breakage, system);
      const { advice: ofPage = 'nothing', shown } = blocks.get(headingOf(name)) ?? {};
      expect(linesOf(voices, breakage)).toEqual(Object.fromEntries(shown ?? []));
      expect(voices.failingLater).toEqual(voices.failing);
      expect(voices.healthThen['status']).toBe(voices.healthLater['status']);
      // Never green without a code.
      const { status: end, api, store } = voices.healthLater;
      expect(end === 'down' || api !== undefined || store !== undefined).toBe(true);

      const { boot, log, doctor } = voices;
      const isOffline = doctor.advice.startsWith(NO_NAME_SERVER);
      const advice = isOffline ? doctor.advice : ofPage;
      const unnamed = breakage.names.filter((setting) => !isOffline && !advice.includes(setting));
      expect(unnamed).toEqual([]);
      const { silent = [] } = breakage;
      const voice = { status: voices.status, doctor: doctor.advice, caller: messageOf(voices.caller) };
      const names = ['status', 'doctor', 'caller'] as const;
      const speaking = names.filter((one) => !silent.includes(one)).map((one) => voice[one]);
      const texts = [log, ...(boot === undefined ? [] : [messageOf(boot)]), ...speaking];
      for (const text of texts) expect(text).toContain(advice);
      const [, code = 'no code'] = /\(([A-Z_]+)(?:, [^)]*)?\)$/.exec(log) ?? [];
      for (const text of silent.map((one) => voice[one])) {
        expect(text).not.toContain(advice);
        expect(text).not.toContain(code);
      }

      const { provider, foreign } = system;
      const all = texts.join() + voice.caller + JSON.stringify(voices);
      expect([...leaksIn(all, provider), ...leaksIn(all, foreign)]).toEqual([]);
    },
  );
});
