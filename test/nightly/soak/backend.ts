import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as passed } from 'node:timers/promises';
import type { HttpService } from '@nestjs/axios';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type AxiosRequestConfig, isAxiosError } from 'axios';
import { lastValueFrom } from 'rxjs';
import {
  getProviderHttpToken,
  ProviderAuthModule,
  type ProviderAuthOptions,
  RequestRefusedError,
  TokenRequestError,
} from '../../../lib/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { PROVIDER_PAIRS } from '../../support/application/built-in.js';
import {
  AHEAD_MS,
  API_FAULTS,
  CALL_TIMEOUT_MS,
  LARGEST_ANSWER,
  SeededRandom,
  TOKEN_TIMEOUT_MS,
} from './faults.js';

/**
 * The process under test. It contains only the two applications and their callers, so its memory and its sockets belong
 * to them. It needs `--expose-gc`.
 */
export const TRANSPORTS = ['https', 'undici'] as const;
export type Transport = (typeof TRANSPORTS)[number];

export interface BackendPlan {
  readonly seed: number;
  readonly callsPerSecond: number;
  readonly sampleEveryMs: number;
  readonly options: Readonly<Record<Transport, Pick<ProviderAuthOptions, 'interfaces'>>>;
  /** The secret of each client. An option with a secret would arrive redacted. */
  readonly secrets: Readonly<Record<string, string>>;
}

export type ToBackend =
  | { readonly kind: 'start'; readonly plan: BackendPlan }
  | { readonly kind: 'secret'; readonly client: string; readonly secret: string }
  | { readonly kind: 'stop' };

/** A call, and its outcome as the caller saw it: `ok`, a status, the code of an error, or what is wrong with the response. */
export interface CallReport {
  readonly client: string;
  readonly fault: string;
  readonly path: string;
  readonly body: 'none' | 'json' | 'buffer' | 'stream';
  readonly aborts: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: string;
}

export interface Sample {
  readonly heapMiB: number;
  readonly sockets: number;
}

export type FromBackend =
  | { readonly kind: 'ready' }
  | { readonly kind: 'calls'; readonly calls: readonly CallReport[] }
  | { readonly kind: 'sample'; readonly sample: Sample }
  /** Something that no application should see: an unhandled rejection, or a warning of Node. */
  | { readonly kind: 'trouble'; readonly text: string }
  | { readonly kind: 'closed'; readonly sockets: number; readonly made: number };

const TICK_MS = 20;
/** If so many calls of one client wait, the load leaves out calls. */
const MOST_IN_FLIGHT = 8;
const WARM_UP_CALLS = 5;
const CLOSES_WITHIN_MS = 500;
/** A call that is still open so long after its timeout hangs. */
const HANGS_AFTER_MS = 2_000;
const ABORTING = 0.03;
/** The tokens of the simulator are JSON Web Tokens, which begin like this. Nothing else that the simulator sends does. */
const TOKEN_BEGINS = 'eyJ';

interface Client {
  readonly name: string;
  readonly interface: string;
  readonly environment: string;
  readonly http: HttpService;
  inFlight: number;
}

const secrets: Record<string, string> = {};
const stop = new AbortController();
let finished: CallReport[] = [];
let made = 0;

process.on('message', (message: ToBackend) => {
  if (message.kind === 'start') run(message.plan).catch(fail);
  else if (message.kind === 'stop') stop.abort();
  else secrets[message.client] = message.secret;
});
for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
  process.on(event, (reason: unknown) => send({ kind: 'trouble', text: `${event}: ${String(reason)}` }));
}

async function run({ options, seed, callsPerSecond, sampleEveryMs, ...plan }: BackendPlan): Promise<void> {
  Object.assign(secrets, plan.secrets);
  const applications: INestApplicationContext[] = [];
  const clients: Client[] = [];
  for (const transport of TRANSPORTS) {
    const application = await startApplication(transport, options[transport]);
    applications.push(application);
    for (const pair of PROVIDER_PAIRS) {
      const http = application.get<HttpService>(getProviderHttpToken(pair.interface, pair.environment));
      const name = `${transport} ${pair.interface} ${pair.environment}`;
      clients.push({ ...pair, name, http, inFlight: 0 });
    }
  }
  for (const { http } of clients) {
    for (let call = 0; call < WARM_UP_CALLS; call += 1)
      await lastValueFrom(http.post('/none/0', { call }, { timeout: 0 }));
  }
  send({ kind: 'ready' });
  const sampling = setInterval(() => send({ kind: 'sample', sample: sample() }), sampleEveryMs);
  await load(clients, seed, callsPerSecond);
  clearInterval(sampling);
  while (clients.some(({ inFlight }) => inFlight > 0)) await passed(TICK_MS);
  sendReports();
  for (const application of applications) await application.close();
  // Connections that the providers still hold close by themselves. A socket that is open after that is a leak.
  await passed(CLOSES_WITHIN_MS);
  send({ kind: 'closed', sockets: sample().sockets, made });
  process.disconnect();
}

/** An application with all interfaces and environments. Its secrets can change, as in a vault. */
function startApplication(
  transport: Transport,
  { interfaces }: Pick<ProviderAuthOptions, 'interfaces'>,
): Promise<INestApplicationContext> {
  for (const pair of PROVIDER_PAIRS) {
    const name = `${transport} ${pair.interface} ${pair.environment}`;
    Object.assign(interfaces[pair.interface]?.[pair.environment] ?? {}, {
      clientSecret: () => secrets[name],
    });
  }
  const module = ProviderAuthModule.forRoot({
    environment: 'sandbox',
    interfaces,
    token: { timeoutMs: TOKEN_TIMEOUT_MS, renewAheadMs: transport === 'undici' ? AHEAD_MS : 0 },
    http: {
      timeoutMs: CALL_TIMEOUT_MS,
      ...(transport === 'undici' && { transport: undiciTransport() }),
    },
  });
  return NestFactory.createApplicationContext(module, { logger: false });
}

/** Starts calls at a steady rate. It does not wait for their outcomes. */
async function load(clients: readonly Client[], seed: number, callsPerSecond: number): Promise<void> {
  const random = new SeededRandom(seed);
  const from = performance.now();
  for (let begun = 0; !stop.signal.aborted; sendReports()) {
    const due = ((performance.now() - from) / 1_000) * callsPerSecond;
    for (; begun < due; begun += 1) {
      const client = random.one(clients);
      if (client.inFlight < MOST_IN_FLIGHT) void call(client, random);
    }
    await passed(TICK_MS);
  }
}

/** Makes one call as an application would. */
async function call(client: Client, random: SeededRandom): Promise<void> {
  const fault = random.weighted(API_FAULTS);
  const path = `/${fault}/${(made += 1)}`;
  const body = random.one(['none', 'json', 'buffer', 'stream'] as const);
  const text = JSON.stringify({ n: made, note: 'ü'.repeat(Math.floor(random.between(1, 2_000))) });
  const bytes = Buffer.from(body === 'none' ? '' : text);
  const aborts = random.next() < ABORTING;
  const timeout = API_FAULTS[fault]?.timeoutMs ?? CALL_TIMEOUT_MS;
  const config: AxiosRequestConfig = {
    url: path,
    timeout,
    maxContentLength: LARGEST_ANSWER,
    method: body === 'none' ? 'GET' : 'POST',
    data: {
      none: undefined,
      json: JSON.parse(text) as object,
      buffer: bytes,
      stream: body === 'stream' ? Readable.from([bytes]) : undefined,
    }[body],
    ...(aborts && { signal: AbortSignal.timeout(Math.floor(random.between(0, 60))) }),
  };
  const expected = {
    interface: client.interface,
    environment: client.environment,
    method: config.method,
    path,
    bodyLength: bytes.length,
    bodySha256: createHash('sha256').update(bytes).digest('hex'),
  };
  client.inFlight += 1;
  const startedAt = Date.now();
  const guard = new AbortController();
  const outcome = await Promise.race([
    lastValueFrom(client.http.request<unknown>(config)).then((response) => {
      if (showsToken(response)) return 'shows-the-token';
      return JSON.stringify(response.data) === JSON.stringify(expected) ? 'ok' : 'not-the-echo';
    }, outcomeOf),
    passed(timeout + HANGS_AFTER_MS, 'hangs', { signal: guard.signal }).catch(() => 'over'),
  ]);
  guard.abort();
  finished.push({
    client: client.name,
    fault,
    path,
    body,
    aborts,
    startedAt,
    endedAt: Date.now(),
    outcome,
  });
  client.inFlight -= 1;
}

function outcomeOf(error: unknown): string {
  if (error instanceof TokenRequestError || error instanceof RequestRefusedError) return error.code;
  if (!isAxiosError(error)) return String(error);
  if (error.response && showsToken(error.response)) return 'shows-the-token';
  // A response that broke off has a status, too, but the caller gets the code of the error.
  const isStatus = error.message.startsWith('Request failed with status code');
  return String(isStatus ? error.response?.status : error.code);
}

function showsToken({
  data,
  headers,
  statusText,
}: {
  data: unknown;
  headers: object;
  statusText: string;
}): boolean {
  return JSON.stringify([data, headers, statusText]).includes(TOKEN_BEGINS);
}

function sendReports(): void {
  if (finished.length === 0) return;
  send({ kind: 'calls', calls: finished });
  finished = [];
}

function sample(): Sample {
  // Without options, because with some options Node 20 collects only young objects.
  globalThis.gc?.();
  const sockets = process.getActiveResourcesInfo().filter((one) => one === 'TCPSocketWrap').length;
  return { heapMiB: process.memoryUsage().heapUsed / 2 ** 20, sockets };
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}

function send(message: FromBackend): void {
  process.send?.(message);
}
