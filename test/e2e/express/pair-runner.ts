import * as fc from 'fast-check';
import { PATHS, type Side, type Sides } from './builds.js';
import { type CreateClient, createClient, type PathClient, type TransportName } from './clients.js';
import { type Difference, differencesOf, kindOf, shown } from './difference.js';
import { leavesClient, SETTINGS } from './instance-plan.js';
import { KindCounts } from './kinds.js';
import { type Outcome, outcomeOf } from './outcome.js';
import { isTimed, type Pair, pairs, printed } from './pair.js';
import { ScriptedServer } from './scripted-server.js';

/** A pair whose two outcomes differ, in its smallest form. */
export interface Finding {
  readonly pair: Pair;
  readonly differences: readonly Difference[];
  /** How to make the same pair again. */
  readonly from: string;
}

export interface RunResult {
  readonly pairs: number;
  /** How many calls took the direct path. */
  readonly express: number;
  readonly seconds: number;
  /** How many timed pairs differed once, and were equal when they were repeated. */
  readonly repeated: number;
  readonly kinds: KindCounts;
  readonly findings: readonly Finding[];
}

export interface RunSettings {
  readonly transport: TransportName;
  readonly pairs: number;
  readonly seed: number;
  /** The two paths, unless a run compares two builds. */
  readonly sides?: Sides | undefined;
  readonly createClient?: CreateClient;
  /** Ends the search after so many kinds of differences. */
  readonly mostFindings?: number;
  /** How long a pair may be made smaller. With 0, the pair stays as it was made. */
  readonly shrinkingMs?: number | undefined;
  readonly slots?: number;
  readonly batch?: number;
}

/** Calls of each side that are under way at the same time. */
const SLOTS = 32;
/** Pairs that are generated at once. With more, a long soak would keep all plans in memory. */
const BATCH = 1_000;
const SHRINKING_MS = 20_000;
const MOST_DIFFERING = 4;
/** A pair that depends on time counts only if it differs each time. Each time, its timeout is longer. */
const TIMEOUTS_MS = [60, 240, 960, 960, 960, 960] as const;

/** Makes random calls on both sides, and returns the calls whose outcomes differ. */
export function runPairs(settings: RunSettings): Promise<RunResult> {
  return withRun(settings, (run) => run.result());
}

/** Makes one call on both paths, and returns what differs. */
export function comparePair(pair: Pair, transport: TransportName): Promise<readonly Difference[]> {
  return withRun({ transport, pairs: 1, seed: 0 }, (run) => run.differencesOf(pair, 0));
}

/** Makes each of these calls on both paths, and returns reports of those whose outcomes differ. */
export function comparePairs(compared: readonly Pair[], transport: TransportName): Promise<string[]> {
  return withRun({ transport, pairs: compared.length, seed: 0 }, async (run) => {
    const reports: string[] = [];
    for (const [index, pair] of compared.entries()) {
      const differences = await run.differencesOf(pair, 0);
      if (differences.length > 0) reports.push(report({ pair, differences, from: `pair ${index}` }));
    }
    return reports;
  });
}

async function withRun<T>(settings: RunSettings, use: (run: PairRun) => Promise<T>): Promise<T> {
  const server = await ScriptedServer.start();
  const run = new PairRun(settings, server);
  // The two paths have other functions on the stack, and printed errors show it.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await use(run);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    await run.close();
    await server.close();
  }
}

interface Comparison {
  readonly differences: readonly Difference[];
  readonly usedDirectPath: boolean;
}

interface OneTry {
  readonly pair: Pair;
  readonly slot: number;
  readonly timeoutMs: number;
}

class PairRun {
  readonly #kinds = new Set<string>();
  readonly #findings: Finding[] = [];
  readonly #kindCounts = new KindCounts();
  readonly #clients = new Map<string, PathClient>();
  readonly #create: CreateClient;
  #express = 0;
  #repeated = 0;
  #done = 0;

  constructor(
    private readonly settings: RunSettings,
    private readonly server: ScriptedServer,
  ) {
    this.#create = settings.createClient ?? createClient;
  }

  async result(): Promise<RunResult> {
    const { pairs: count, seed, batch = BATCH } = this.settings;
    const start = performance.now();
    for (let first = 0; first < count && !this.#isEnough; first += batch) {
      // Each batch has its own seed, so that a pair of any batch can be made again quickly.
      const batchSeed = (seed + first) | 0;
      await this.#runBatch(
        fc.sample(pairs, { seed: batchSeed, numRuns: Math.min(batch, count - first) }),
        batchSeed,
      );
    }
    return {
      pairs: this.#done,
      express: this.#express,
      seconds: (performance.now() - start) / 1_000,
      repeated: this.#repeated,
      kinds: this.#kindCounts,
      findings: this.#findings,
    };
  }

  /** Closes the clients. Later calls use new ones, because the direct path remembers only so many forms of calls. */
  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(clients.map((client) => client.close()));
  }

  get #isEnough(): boolean {
    return this.#findings.length >= this.#mostFindings;
  }

  get #mostFindings(): number {
    return this.settings.mostFindings ?? 1;
  }

  async #runBatch(batch: readonly Pair[], seed: number): Promise<void> {
    let next = 0;
    const differing: number[] = [];
    // Many differing pairs can have the same cause.
    const isEnough = (): boolean => differing.length >= MOST_DIFFERING * this.#mostFindings;
    const worker = async (slot: number): Promise<void> => {
      for (let index = next++; index < batch.length && !isEnough(); index = next++) {
        const pair = batch[index];
        if (pair === undefined) return;
        const { differences, usedDirectPath } = await this.#comparison(pair, slot);
        if (differences.length > 0) differing.push(index);
        this.#kindCounts.add(pair, usedDirectPath);
        if (usedDirectPath) this.#express += 1;
        this.#done += 1;
      }
    };
    const { slots = SLOTS } = this.settings;
    await Promise.all(Array.from({ length: slots }, (_, slot) => worker(slot)));
    await this.close();
    for (const index of differing.toSorted((a, b) => a - b)) {
      if (this.#isEnough) return;
      await this.#examine(batch, index, seed);
    }
  }

  /** A pair that differed is made again, alone, and becomes as small as possible. */
  async #examine(batch: readonly Pair[], index: number, seed: number): Promise<void> {
    const original = batch[index];
    if (original === undefined) return;
    const differences = await this.#differencesAlone(original);
    if (differences.length > 0 && this.#kinds.has(kindOf(differences))) return;
    const { shrinkingMs = SHRINKING_MS } = this.settings;
    const pair = shrinkingMs === 0 ? original : await this.#shrunk(original, { seed, index, shrinkingMs });
    const found = await this.#differencesAlone(pair);
    if (found.length === 0) {
      // Other calls of the same client before this call may have caused the difference, or the load of the machine.
      this.#repeated += 1;
      return;
    }
    const kind = kindOf(found);
    if (!this.#kinds.has(kind))
      this.#findings.push({ pair, differences: found, from: `seed ${seed}, path ${index}` });
    this.#kinds.add(kind).add(kindOf(differences));
  }

  async #shrunk(
    original: Pair,
    { seed, index, shrinkingMs }: { seed: number; index: number; shrinkingMs: number },
  ): Promise<Pair> {
    const end = performance.now() + shrinkingMs;
    // After the end no smaller pair fails, so the search stops. A limit of fast-check would leave the last pair under way.
    const property = fc.asyncProperty(pairs, async (pair) => {
      return performance.now() > end || (await this.#differencesAlone(pair)).length === 0;
    });
    const details = await fc.check(property, { seed, path: String(index), numRuns: 1 });
    return details.counterexample?.[0] ?? original;
  }

  /**
   * With new clients: the server may be closing a connection of the last call, which a client takes for its next call before it
   * hears of that.
   */
  async #differencesAlone(pair: Pair): Promise<readonly Difference[]> {
    await this.close();
    return this.differencesOf(pair, SLOTS);
  }

  async differencesOf(pair: Pair, slot: number): Promise<readonly Difference[]> {
    return (await this.#comparison(pair, slot)).differences;
  }

  async #comparison(pair: Pair, slot: number): Promise<Comparison> {
    const { sides = PATHS } = this.settings;
    let last: Comparison = { differences: [], usedDirectPath: false };
    for (const [index, timeoutMs] of (isTimed(pair) ? TIMEOUTS_MS : TIMEOUTS_MS.slice(0, 1)).entries()) {
      if (index > 0) this.#repeated += 1;
      const [expected, actual] = await Promise.all([
        this.#outcome(sides[0], { pair, slot, timeoutMs }),
        this.#outcome(sides[1], { pair, slot, timeoutMs }),
      ]);
      const { usedDirectPath } = actual;
      last = { differences: differencesOf(sides, expected, actual), usedDirectPath };
      if (last.differences.length === 0) break;
    }
    return last;
  }

  async #outcome(side: Side, { pair, slot, timeoutMs }: OneTry): Promise<Outcome> {
    const isShared = leavesClient(pair.instance);
    const client = isShared ? this.#sharedClient(side, slot) : this.#newClient(side, slot, pair);
    try {
      return await outcomeOf(client, pair, this.server, timeoutMs);
    } finally {
      if (!isShared) await client.close();
    }
  }

  #newClient(side: Side, slot: number, { instance }: Pair): PathClient {
    const http = instance.settings === undefined ? undefined : SETTINGS[instance.settings];
    return this.#create({ ...this.#given, side, slot, http });
  }

  #sharedClient(side: Side, slot: number): PathClient {
    const key = `${side.name} ${slot}`;
    let client = this.#clients.get(key);
    if (client === undefined) this.#clients.set(key, (client = this.#create({ ...this.#given, side, slot })));
    return client;
  }

  get #given(): { server: ScriptedServer; transport: TransportName } {
    return { server: this.server, transport: this.settings.transport };
  }
}

/** A finding for a reader: the call, its answers, and both outcomes where they differ. */
export function report({ pair, differences, from }: Finding): string {
  return [`${from}: ${printed(pair)}`, ...differences.map(shown)].join('\n\n');
}
