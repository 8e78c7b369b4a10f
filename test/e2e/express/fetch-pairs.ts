import { setTimeout as pauseFor } from 'node:timers/promises';
import * as fc from 'fast-check';
import { PATHS, type Side, type Sides } from './builds.js';
import { type CreateClient, createClient, type PathClient, type TransportName } from './clients.js';
import { differencesOf, shown } from './difference.js';
import { directRequestsTo } from '../../support/http/call-paths.js';
import {
  FETCH_BODIES,
  FETCH_SETTINGS,
  type FetchPlan,
  fetchPlans,
  isTimedFetch,
  READS,
} from './fetch-plan.js';
import { comparable, connectionAfter, type Outcome, PlannedScript, READING_PART } from './outcome.js';
import { ScriptedServer } from './scripted-server.js';

export interface FetchRun {
  readonly transport: TransportName;
  readonly pairs: number;
  readonly seed: number;
  /** The two paths, unless a run compares two builds. */
  readonly sides?: Sides | undefined;
  readonly createClient?: CreateClient;
}

export interface FetchRunResult {
  readonly pairs: number;
  /** How many calls sent their first request on the direct path. */
  readonly express: number;
  /** Each plan whose outcomes differ, with the differences. */
  readonly findings: readonly string[];
}

const SLOTS = 16;
/** Plans that are generated at once. With more, a long run would keep all plans in memory. */
const BATCH = 1_000;
const MOST_FINDINGS = 3;
const LONGEST_MS = 8_000;
/** A pair that depends on time counts only if it differs each time. Each time, its timeout and its pauses are longer. */
const TIMEOUTS_MS = [100, 400, 1_600] as const;

/** Makes random calls by `fetch` on both sides, and compares what the server and the caller see. */
export async function runFetchPairs({
  transport,
  pairs,
  seed,
  sides = PATHS,
  createClient: create = createClient,
}: FetchRun): Promise<FetchRunResult> {
  const server = await ScriptedServer.start();
  const clients = new Map<string, PathClient>();
  const clientOf = (
    side: Side,
    slot: number,
    settings: FetchPlan['settings'],
    timeoutMs: number,
  ): PathClient => {
    const key = `${side.name} ${slot} ${settings} ${timeoutMs}`;
    const http = { timeoutMs, ...FETCH_SETTINGS[settings] };
    const client = clients.get(key) ?? create({ server, transport, side, slot, http });
    clients.set(key, client);
    return client;
  };
  let express = 0;
  const differencesIn = async (plan: FetchPlan, slot: number, timeoutMs: number): Promise<string> => {
    const limit = plan.end?.startsWith('timeout') ? timeoutMs : LONGEST_MS;
    // One after the other, so that neither waits for the other.
    const [expected, actual] = [
      await fetchOutcome(clientOf(sides[0], slot, plan.settings, limit), plan, { server, timeoutMs }),
      await fetchOutcome(clientOf(sides[1], slot, plan.settings, limit), plan, { server, timeoutMs }),
    ];
    if (sides[0].generalPathOnly && expected.usedDirectPath)
      throw new Error('The general path was not used.');
    if (actual.usedDirectPath) express += 1;
    return differencesOf(sides, expected, actual).map(shown).join('\n');
  };
  let made = 0;
  const findings: string[] = [];
  const runBatch = async (plans: readonly FetchPlan[]): Promise<void> => {
    const differing: FetchPlan[] = [];
    let next = 0;
    const worker = async (slot: number): Promise<void> => {
      for (let plan = plans[next++]; plan; plan = plans[next++]) {
        if ((await differencesIn(plan, slot, TIMEOUTS_MS[0])) !== '') differing.push(plan);
        made += 1;
      }
    };
    await Promise.all(Array.from({ length: SLOTS }, (_, slot) => worker(slot)));
    for (const plan of differing) {
      if (findings.length >= MOST_FINDINGS) break;
      let difference = '';
      // Alone, without other calls of the same client before this call.
      for (const [index, timeoutMs] of TIMEOUTS_MS.entries()) {
        difference = await differencesIn(plan, SLOTS + index, timeoutMs);
        if (difference === '' || !isTimedFetch(plan)) break;
      }
      if (difference !== '') findings.push(`${JSON.stringify(plan, null, 1)}\n${difference}`);
    }
  };
  try {
    for (let first = 0; first < pairs && findings.length < MOST_FINDINGS; first += BATCH) {
      const numRuns = Math.min(BATCH, pairs - first);
      await runBatch(fc.sample(fetchPlans, { seed: (seed + first) | 0, numRuns }));
    }
    return { pairs: made, express, findings };
  } finally {
    await Promise.all([...clients.values()].map((client) => client.close()));
    await server.close();
  }
}

async function fetchOutcome(
  client: PathClient,
  plan: FetchPlan,
  { server, timeoutMs }: { server: ScriptedServer; timeoutMs: number },
): Promise<Outcome> {
  const { tokens, baseUrl, segment } = client;
  tokens.follow(plan);
  const script = new PlannedScript(
    plan.answers,
    baseUrl,
    plan.end === 'signal, not used' ? undefined : plan.end,
    timeoutMs * READING_PART,
  );
  server.serve(segment, script);
  const abort = new AbortController();
  script.onStop = () => {
    if (plan.end?.startsWith('signal')) abort.abort(new Error('The reason of the caller.'));
  };
  const late = pauseFor(LONGEST_MS + 2_000, ['does not end'], { ref: false });
  const before = directRequestsTo(baseUrl);
  const result = await Promise.race([resultOf(client, plan, abort.signal), late]);
  const sections = {
    'server received': script.received.join('\n---\n'),
    result: result.join('\n'),
    tokens: tokens.calls.join('\n'),
    connection: await connectionAfter(script),
  };
  abort.abort();
  return {
    sections: comparable(sections, segment),
    usedDirectPath: directRequestsTo(baseUrl) > before,
  };
}

async function resultOf({ fetch }: PathClient, plan: FetchPlan, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  try {
    const answer = await fetch(...argumentsOf(plan, fetch.baseUrl, signal));
    const { status, statusText, ok, url, redirected, type, body, bodyUsed, headers } = answer;
    lines.push(
      JSON.stringify({ status, statusText, ok, url, redirected, type, bodyUsed, hasBody: body !== null }),
    );
    lines.push(...[...headers].map((pair) => pair.join(': ')));
    // A clone makes a stream of the body. To cancel one of two clones would wait for the other.
    const isCloned = plan.path !== '/things' && plan.read !== 'cancel';
    const read: string = await READS[plan.read](isCloned ? answer.clone() : answer);
    lines.push(
      `read: ${read.length > 500 ? `${read.slice(0, 500)}… ${read.length}` : read}`,
      `used: ${answer.bodyUsed}`,
    );
  } catch (error) {
    lines.push(...linesOf(error));
  }
  return lines;
}

function linesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const { name, message, cause, ...rest } = error;
  const prototype = Object.getPrototypeOf(error) as object;
  const line = `${prototype.constructor.name} ${name}: ${message} ${JSON.stringify(rest)}`;
  return [line, ...(cause === undefined ? [] : ['because', ...linesOf(cause)])];
}

function argumentsOf(
  plan: FetchPlan,
  baseUrl: string,
  signal: AbortSignal,
): [string | URL | Request, RequestInit] {
  const { method, input, path, headers, body, redirect, end } = plan;
  const init: RequestInit & { duplex?: 'half' } = {
    ...(method !== undefined && { method }),
    ...(redirect !== undefined && { redirect }),
    ...(body !== undefined && { body: FETCH_BODIES[body]() as string, duplex: 'half' }),
    ...(end?.startsWith('signal') && { signal }),
    headers: headers.map((pair): [string, string] => [...pair]),
  };
  const whole = baseUrl + (path === '' || path.startsWith('/') || path.startsWith('?') ? '' : '/') + path;
  if (input === 'path') return [path, init];
  if (input === 'whole address') return [whole, init];
  if (input === 'URL') return [new URL(whole), init];
  return [new Request(whole, init), {}];
}
