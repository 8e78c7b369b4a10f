import { inspect } from 'node:util';
import type { AxiosInstance } from 'axios';
import type { ProviderFetch } from '../../../lib/http/fetch/provider-fetch.js';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { systemClock } from '../../../lib/time/clock.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { validateOptions } from '../application/built-in.js';
import { addToPrototype, type Places, pollutions } from './pollutions.js';

interface Client {
  readonly axios: AxiosInstance;
  readonly fetch: ProviderFetch;
}

async function bodyOf(answer: Promise<Response>): Promise<unknown> {
  const response = await answer;
  return { status: response.status, data: await response.json() };
}

/** The ways that a call can take. */
const PATHS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  post: ({ axios }) => axios.post('/things', { a: 1 }),
  'with an interceptor': ({ axios }) => {
    axios.interceptors.request.use((config) => config);
    return axios.get('/things', { headers: { 'X-Own': 'one' } });
  },
  general: ({ axios }) =>
    axios.get('/things', { maxRedirects: 3, transformResponse: (data: unknown) => data }),
  fetch: ({ fetch }) => bodyOf(fetch('/things', { method: 'POST', body: '{"a":1}' })),
};

export interface PollutedRun extends Places {
  readonly url: string;
  readonly isUndici: boolean;
  /** None of these may be in a result. */
  readonly canaries: readonly string[];
  readonly clientSecret: string;
}

/** How a call ended, as the process prints it. */
export interface Ended {
  /** Undefined for a call without a pollution. */
  readonly pollution?: string | undefined;
  readonly path: string;
  readonly ended: 'resolved' | 'rejected' | 'late';
  readonly result: string;
  readonly leaks: boolean;
}

const LONGEST_CALL_MS = 5_000;

/** Runs all paths without a pollution, and then with each pollution, on new connections and with a new token. */
export async function runPolluted(run: PollutedRun): Promise<void> {
  const { url, clientSecret, isUndici } = run;
  // Authorities come from NODE_EXTRA_CA_CERTS.
  const sandbox = {
    tokenUrl: `${url}/auth/v0/connect/token`,
    baseUrl: `${url}/easy/v1`,
    clientId: 'client-of-the-test',
    clientSecret,
  };
  const settings = await validateOptions({
    environment: 'sandbox',
    token: { maxAttempts: 1 },
    interfaces: { easy: { sandbox } },
    ...(isUndici && { http: { transport: undiciTransport() } }),
  });
  const [profile] = settings.profiles;
  if (profile === undefined) throw new TypeError('There is no profile.');
  const names = Object.keys(PATHS);
  for (const [index, [pollution, value]] of [[undefined] as const, ...pollutions()].entries()) {
    const tokens = createTokenProvider(profile, settings, systemClock);
    const client = createProviderHttpClient({ profile, http: settings.http, tokens, clock: systemClock });
    // The first path opens the connection, so each path is sometimes the first.
    const first = index % names.length;
    const clean = pollution === undefined ? undefined : addToPrototype(pollution, { value: value?.(run) });
    const ends: [string, CallEnd][] = [];
    for (const path of [...names.slice(first), ...names.slice(0, first)])
      ends.push([path, await endOf(async () => PATHS[path]?.(client))]);
    clean?.();
    for (const [path, end] of ends) console.log(JSON.stringify(described(run, pollution, path, end)));
    tokens.close();
    await client.close();
  }
}

interface CallEnd {
  readonly ended: Ended['ended'];
  readonly value?: unknown;
}

/** Without code that a polluted prototype would change: a promise reads `then` of each object that it gets. */
function endOf(call: () => Promise<unknown>): Promise<CallEnd> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(without({ ended: 'late' })), LONGEST_CALL_MS);
    const endsWith = (ended: Ended['ended']) => (value: unknown) => {
      clearTimeout(timer);
      resolve(without({ ended, value }));
    };
    call().then(endsWith('resolved'), endsWith('rejected'));
  });
}

function without(end: CallEnd): CallEnd {
  return Object.setPrototypeOf(end, null) as CallEnd;
}

function described(
  { canaries }: PollutedRun,
  pollution: string | undefined,
  path: string,
  { ended, value }: CallEnd,
): Ended {
  const text = inspect(value, { depth: 12, showHidden: true, maxStringLength: Infinity });
  const { status, data, message } = Object(value) as Record<string, unknown>;
  const result = ended === 'resolved' ? JSON.stringify({ status, data }) : String(message);
  return { pollution, path, ended, result, leaks: canaries.some((canary) => text.includes(canary)) };
}
