import { once } from 'node:events';
import { Agent } from 'node:https';
import type { Readable } from 'node:stream';
import { NestFactory } from '@nestjs/core';
import { type AxiosInstance, isAxiosError } from 'axios';
import { EasyHttpService, ProviderAuthModule } from '../../../lib/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';

/** The settings of the process. */
export interface SoakSettings {
  readonly ca: string;
  readonly tokenUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly connections: number;
}

/** The report of the process. */
export interface Soaked {
  /** Bytes in use after a garbage collection, for each round. */
  readonly heap: readonly number[];
  /** How often a call of each kind ended in which way. */
  readonly endings: Readonly<Record<string, number>>;
}

type Call = (api: AxiosInstance) => Promise<unknown>;

const ROUNDS = 12;
const CALLS = 240;
const AT_ONCE = 30;

const ordinary: Call = (api) => api.get('/things');

/** The special calls, and how often each of them occurs. */
const SPECIAL: readonly (readonly [name: string, every: number, call: Call])[] = [
  ['a stream left half-way', 20, (api) => leave(api)],
  ['a stream aborted half-way', 25, (api) => abort(api)],
  ['a timeout', 30, (api) => api.get('/silent', { timeout: 40 })],
  ['a reset', 15, (api) => api.post('/reset', { a: 1 })],
  ['an upload', 7, (api) => api.post('/things', Buffer.alloc(20_000))],
];

async function leave(api: AxiosInstance): Promise<void> {
  const { data } = await api.get<Readable>('/slow', { responseType: 'stream' });
  await once(data, 'data');
  data.destroy();
}

async function abort(api: AxiosInstance): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const { data } = await api.get<Readable>('/slow', { responseType: 'stream', signal });
  await once(data, 'data');
  controller.abort();
  await once(data, 'close').catch(() => undefined);
}

function kindOf(index: number): readonly [name: string, call: Call] {
  const [name, , call] = SPECIAL.find(([, every]) => index % every === every - 1) ?? [
    'ordinary',
    1,
    ordinary,
  ];
  return [name, call];
}

/** Runs rounds of good and bad calls through a whole application, and measures the memory after each round. */
export async function soak(settings: SoakSettings): Promise<Soaked> {
  const { ca, connections, ...easy } = settings;
  const app = await NestFactory.createApplicationContext(
    ProviderAuthModule.forRoot({
      environment: 'sandbox',
      interfaces: { easy: { sandbox: easy } },
      http: {
        httpsAgent: new Agent({ ca, keepAlive: true }),
        transport: undiciTransport({ connections, connect: { ca } }),
      },
    }),
    { logger: false },
  );
  const api = app.get(EasyHttpService).axiosRef;
  const heap: number[] = [];
  const endings: Record<string, number> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    // The API refuses the current token to the first calls of this round.
    await api.get('/revoke');
    for (let made = 0; made < CALLS; made += AT_ONCE) {
      const calls = Array.from({ length: AT_ONCE }, async (_, index) => {
        const [name, call] = kindOf(made + index);
        const ending = `${name}: ${await endingOf(call(api))}`;
        endings[ending] = (endings[ending] ?? 0) + 1;
      });
      await Promise.all(calls);
    }
    heap.push(heapInUse());
  }
  await app.close();
  return { heap, endings };
}

async function endingOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    return isAxiosError(error) ? String(error.code) : String(error);
  }
}

/** Node has this function if it is started with `--expose-gc`. */
function heapInUse(): number {
  if (globalThis.gc === undefined) throw new Error('Start this process with --expose-gc.');
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
