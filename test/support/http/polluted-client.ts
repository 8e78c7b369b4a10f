import { Agent } from 'node:https';
import { inspect } from 'node:util';
import type { AxiosInstance } from 'axios';
import type { Settings } from '../../../lib/config/options/profile.js';
import type { ProviderFetch } from '../../../lib/http/fetch/provider-fetch.js';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { systemClock } from '../../../lib/time/clock.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { TextReporter } from '../../../lib/cli/text-reporter.js';
import { examine, validateOptions } from '../application/built-in.js';
import { POLLUTIONS, pollute, pollutionsOfOptionalMembers, type Places } from './pollutions.js';

interface Client {
  readonly axios: AxiosInstance;
  readonly fetch: ProviderFetch;
}

type Path = (client: Client) => Promise<unknown>;

async function bodyOf(answer: Promise<Response>): Promise<unknown> {
  const response = await answer;
  return { status: response.status, data: await response.json() };
}

const AGENT = new Agent();

/** The ways that a call can take. */
export const PATHS = {
  get: ({ axios }) => axios.get('/things'),
  'request without a method': ({ axios }) => axios.request({ url: '/things' }),
  post: ({ axios }) => axios.post('/things', { a: 1 }),
  'with an interceptor': ({ axios }) => {
    axios.interceptors.request.use((config) => config);
    return axios.get('/things', { headers: { 'X-Own': 'one' } });
  },
  general: ({ axios }) => axios.get('/things', { transformResponse: (data: unknown) => data }),
  'general post': ({ axios }) =>
    axios.post('/things', { a: 1 }, { transformResponse: (data: unknown) => data }),
  redirects: ({ axios }) => axios.get('/things', { maxRedirects: 3 }),
  'with an agent': ({ axios }) => axios.get('/things', { httpsAgent: AGENT }),
  fetch: ({ fetch }) => bodyOf(fetch('/things')),
  'fetch post': ({ fetch }) => bodyOf(fetch('/things', { method: 'POST', body: '{"a":1}' })),
  'fetch with redirects': ({ fetch }) =>
    bodyOf(fetch('/things', { redirect: 'follow', headers: { 'X-Own': 'one' } })),
} satisfies Record<string, Path>;

type PathName = keyof typeof PATHS;
const NAMES = Object.keys(PATHS) as readonly PathName[];

export type Transport = 'axios' | 'undici';

export interface PollutedRun extends Places {
  readonly url: string;
  readonly transport: Transport;
  /** None of these may be in a result. */
  readonly canaries: readonly string[];
  readonly clientSecret: string;
}

/** How a call ended, as the process prints it. */
export interface Ended {
  /** Undefined for a call without a pollution. */
  readonly pollution?: string | undefined;
  readonly path: PathName | 'doctor' | 'token';
  readonly ended: 'resolved' | 'rejected' | 'late';
  readonly result: string;
  readonly leaks: boolean;
}

const LONGEST_CALL_MS = 5_000;

/** The settings that an application gets without any option of `http`. Authorities come from NODE_EXTRA_CA_CERTS. */
function settingsFor({ url, clientSecret, transport }: PollutedRun): Promise<Settings> {
  return validateOptions({
    environment: 'sandbox',
    token: { maxAttempts: 1 },
    interfaces: {
      easy: {
        sandbox: {
          tokenUrl: `${url}/auth/v0/connect/token`,
          baseUrl: `${url}/easy/v1`,
          clientId: 'client-of-the-test',
          clientSecret,
        },
      },
    },
    ...(transport !== 'axios' && { http: { transport: undiciTransport() } }),
  });
}

/** Runs all paths without a pollution, and then with each pollution, on new connections and with a new token. */
export async function runPolluted(run: PollutedRun): Promise<void> {
  const settings = await settingsFor(run);
  const [profile] = settings.profiles;
  if (profile === undefined) throw new TypeError('There is no profile.');
  for (const [index, pollution] of [undefined, ...POLLUTIONS].entries()) {
    const tokens = createTokenProvider(profile, settings, systemClock);
    const client = createProviderHttpClient({ profile, http: settings.http, tokens, clock: systemClock });
    // The first path opens the connection, so each path is sometimes the first.
    const first = index % NAMES.length;
    const paths = [...NAMES.slice(first), ...NAMES.slice(0, first)];
    const clean = pollution ? pollute(pollution, run) : undefined;
    const ends: [PathName, CallEnd][] = [];
    await addEnds(ends, client, paths);
    clean?.();
    for (const [path, end] of ends) console.log(JSON.stringify(described(run, pollution?.name, path, end)));
    tokens.close();
    await client.close();
  }
}

/** One token request with each pollution of a member that an object on its way may lack. */
export async function runPollutedTokens(run: PollutedRun): Promise<void> {
  const settings = await settingsFor(run);
  const [profile] = settings.profiles;
  if (profile === undefined) throw new TypeError('There is no profile.');
  for (const pollution of [undefined, ...pollutionsOfOptionalMembers()]) {
    const tokens = createTokenProvider(profile, settings, systemClock);
    const clean = pollution ? pollute(pollution, run) : undefined;
    const end = await endOf(() => tokens.getToken());
    clean?.();
    const result = end.ended === 'resolved' ? 'a token' : String(end.value);
    const leaks = run.canaries.some((canary) => result.includes(canary));
    console.log(
      JSON.stringify({ pollution: pollution?.name, path: 'token', ended: end.ended, result, leaks }),
    );
    tokens.close();
  }
}

interface CallEnd {
  readonly ended: Ended['ended'];
  readonly value?: unknown;
}

/** Without a result, because a promise reads `then` of each object that it gets. */
async function addEnds(
  ends: [PathName, CallEnd][],
  client: Client,
  paths: readonly PathName[],
): Promise<void> {
  for (const path of paths) {
    const end = await endOf(async () => PATHS[path](client));
    ends.push([path, end]);
    if (end.ended === 'late') break;
  }
}

/** Without code that a polluted prototype would change: an object with a `then` for example. */
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
  path: PathName,
  { ended, value }: CallEnd,
): Ended {
  const text = inspect(value, { depth: 12, showHidden: true, maxStringLength: Infinity });
  const { status, data, message } = Object(value) as Record<string, unknown>;
  return {
    pollution,
    path,
    ended,
    result: ended === 'resolved' ? JSON.stringify({ status, data }) : String(message),
    leaks: canaries.some((canary) => text.includes(canary)),
  };
}

/** The doctor, with each pollution: it checks the pair of this run, and its probe sends one authorized request. */
export async function runPollutedDoctor(run: PollutedRun): Promise<void> {
  const variables = {
    PROVIDER_ENVIRONMENT: 'sandbox',
    PROVIDER_EASY_SANDBOX_TOKEN_URL: `${run.url}/auth/v0/connect/token`,
    PROVIDER_EASY_SANDBOX_BASE_URL: `${run.url}/easy/v1`,
    PROVIDER_EASY_SANDBOX_CLIENT_ID: 'client-of-the-test',
    PROVIDER_EASY_SANDBOX_CLIENT_SECRET: run.clientSecret,
  };
  for (const pollution of [undefined, ...POLLUTIONS]) {
    let text = '';
    const write = (part: string): void => void (text += part);
    const filter = { interface: 'easy', environment: 'sandbox', probe: '/things' } as const;
    const clean = pollution ? pollute(pollution, run) : undefined;
    const end = await endOf(() => examine(variables, filter, new TextReporter({ write }, {})));
    clean?.();
    const statuses = text.split('\n').flatMap((line) => /^ {2}([✔✘!-]) (\S+)/u.exec(line)?.slice(1) ?? []);
    const result = statuses.join(' ');
    const leaks = run.canaries.some((canary) => text.includes(canary) || String(end.value).includes(canary));
    console.log(
      JSON.stringify({ pollution: pollution?.name, path: 'doctor', ended: end.ended, result, leaks }),
    );
  }
}
