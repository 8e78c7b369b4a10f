import type { StoreAnswer } from '../../../../lib/config/options/token-store.js';
import { failureOf, HOUR, MINUTE } from '../../token/token-fixtures.js';
import { settled } from '../../token/fake-clock.js';
import { ExploredProcess, type InFlight, type Surroundings } from './explored-process.js';
import { resetSeals } from './explored-seals.js';
import { type ExecutedPublication, ExploredStore, type PlantedStore } from './explored-store.js';
import { ExploredTime, type ExploredTimer } from './explored-time.js';
import type { FleetFacts, WaitFact } from './fleet-facts.js';
import { brokenInvariant } from './invariants.js';

/** What the processes have at the start of a history. */
export interface Scenario {
  readonly name: string;
  readonly start: 'no token' | 'a revoked token' | 'an expired token';
  /** The client secret of each process. Processes with the same secret form one fleet. */
  readonly secrets: readonly string[];
  /** The clients have assertions in place of these secrets, and each of these names is the subject of an assertion (B32). */
  readonly hasAssertions?: true;
  /**
   * All processes get the token of the start at the same moment, because they begin one after the other. If they begin together, some
   * wait for the first one. Without a wait, the age of a token does not show whether it is older than a refused token.
   */
  readonly atOneMoment?: true;
  /** Only faults of these kinds. @default all */
  readonly faults?: readonly Fault[];
  /** Only faults of this process. All processes are alike, so the first history with a planted error is the same. @default all */
  readonly faultyProcess?: string;
  readonly planted?: {
    readonly store?: PlantedStore;
    readonly forgets?: true;
    readonly alwaysSaysSent?: true;
    readonly storeTimeoutMs?: number;
    readonly leewayMs?: number;
  };
}

/**
 * `slow`, `still`: a message or an answer, or a process, goes on at any later moment. `lost`: a message or an answer. `failed`: the token endpoint
 * fails. `cut`: the network loses all token requests of a process from now on. `restarted`: Redis. `garbage`: another writer of the store. `clock`: the store's clock is set back. `secret`: a changed secret.
 */
export type Fault =
  | 'slow'
  | 'still'
  | 'lost'
  | 'failed'
  | 'cut'
  | 'killed'
  | 'restarted'
  | 'revoked'
  | 'garbage'
  | 'clock'
  | 'secret';

/** Something that can happen next. */
export interface Choice {
  /** A fault. Undefined if this happens without a fault, or ends something slow. */
  readonly fault?: Fault | undefined;
  /** The process that the fault concerns, if it concerns one process. */
  readonly process?: string;
  /** Another step comes before the step that would be next in a quiet system. */
  readonly isOtherOrder?: true;
  /** How many token requests become late by this: time passes before they are answered. */
  readonly late?: number | undefined;
  readonly happen: () => void | Promise<void>;
}

/** A history that has not ended after this time has a caller that waits for ever. */
const LONGEST_MS = 10 * MINUTE;
const MOST_STEPS = 2_000;

/**
 * Each process has its own wrong wall clock and its own jitter, so that all of them do not look at the same moment. The jitter is high:
 * so a process looks 13 times in 2 s, not 25 times.
 */
const PROCESSES = [
  { name: 'A', wallAheadMs: 0, random: 0.7 },
  { name: 'B', wallAheadMs: 7_000, random: 0.8 },
  { name: 'C', wallAheadMs: -7_000, random: 0.95 },
];

const ORDER = { message: 0, answer: 1, response: 2, request: 2 } as const;

/** One step of the store's clock that looks like a long lease, and one that makes all records look like records of the future. */
const SET_BACK_MS = [3_000, 60_000];

/** One history: real processes on one store. The caller chooses what happens next, step by step. */
export class FleetRun {
  readonly #time = new ExploredTime();
  readonly #store: ExploredStore;
  readonly #around: Surroundings;
  readonly #processes: readonly ExploredProcess[];
  #publications: ExecutedPublication[] = [];
  #revocationsLeft: number;
  #hasEnded = false;
  /** A fault has happened that can delay a renewal, apart from `cut`. */
  #hadOtherFault = false;
  /** When a token request that reaches the token endpoint was last under way. */
  #lastRequestAt = 0;
  /** Looks that showed the same again. They are one line of the history. */
  #looks = new Map<string, number>();
  steps = 0;

  private constructor(
    readonly scenario: Scenario,
    intern: Surroundings['intern'],
    private readonly lines?: string[],
  ) {
    const { planted = {}, start, secrets } = scenario;
    this.#store = new ExploredStore(this.#time, planted.store);
    // One for the start, and one as a fault.
    this.#revocationsLeft = start === 'a revoked token' ? 2 : 1;
    this.#around = {
      time: this.#time,
      store: this.#store,
      inFlight: [],
      handedOut: [],
      lifetimeMs: start === 'an expired token' ? MINUTE : HOUR,
      storeTimeoutMs: planted.storeTimeoutMs,
      leewayMs: planted.leewayMs ?? 0,
      revoked: new Set(),
      issued: new Map(),
      replacedSecrets: new Set(),
      intern,
      log: (line) => this.#log(line),
    };
    const [forgets, alwaysSaysSent] = [planted.forgets === true, planted.alwaysSaysSent === true];
    this.#processes = PROCESSES.slice(0, secrets.length).map(
      (process, index) =>
        new ExploredProcess(
          {
            ...process,
            secret: secrets[index] ?? '',
            hasAssertions: scenario.hasAssertions === true,
            forgets,
            alwaysSaysSent,
          },
          this.#around,
        ),
    );
  }

  /**
   * All processes have what the scenario says, and need a token now.
   *
   * @param lines what happens is written there. Only the shortest history that breaks an invariant is written down.
   */
  static async start(
    scenario: Scenario,
    intern: Surroundings['intern'],
    lines?: string[],
  ): Promise<FleetRun> {
    resetSeals();
    const run = new FleetRun(scenario, intern, lines);
    if (scenario.start !== 'no token') await run.#prepare();
    for (const process of run.#processes) process.begin();
    await settled();
    return run;
  }

  /**
   * What can happen next. The first choice is what happens in a quiet system. Empty if the history has ended. Most callers take the
   * first choice, so the others are made only for a caller that asks for them.
   */
  *choices(): Generator<Choice, void, undefined> {
    const living = this.#processes.filter(({ isAlive }) => isAlive);
    const { inFlight } = this.#around;
    const paused = living.filter(({ isPaused }) => isPaused);
    const isDone =
      living.every((one) => one.hasToken || one.isCutOff) && inFlight.length + paused.length === 0;
    if (isDone || this.#time.now > LONGEST_MS || this.steps > MOST_STEPS) {
      this.#hasEnded = true;
      return;
    }
    const ready = inFlight
      .filter((one) => !one.isHeld && (one.what === 'message' || !one.process.isPaused))
      .toSorted((one, other) => ORDER[one.what] - ORDER[other.what]);
    const requests = ready.filter(({ what }) => what === 'request');
    const messages = ready.filter(({ what }) => what !== 'request');
    yield* messages.length > 0 ? this.#beforeTimePasses(messages, requests) : this.#whileTimePasses(requests);
  }

  /** The timers of the processes that run. */
  #timers(): ExploredTimer[] {
    const running = this.#processes.filter(({ isAlive, isPaused }) => isAlive && !isPaused);
    return this.#time.timersOf(new Set(running.map(({ name }) => name)));
  }

  /** The ends of what is slow. */
  #releases(): Choice[] {
    return [
      ...this.#around.inFlight.filter(({ isHeld }) => isHeld).map((one) => this.#finish(one)),
      ...this.#processes
        .filter(({ isAlive, isPaused }) => isAlive && isPaused)
        .map((process) => this.#resume(process)),
    ];
  }

  /** Messages are on their way, and no time passes. */
  *#beforeTimePasses(
    messages: readonly InFlight[],
    requests: readonly InFlight[],
  ): Generator<Choice, void, undefined> {
    const [first, ...others] = messages;
    if (first === undefined) return;
    const isQuiet = others.length === 0 && isLook(first) && first.process.waitsWithoutChange(this.#time.now);
    yield isQuiet ? this.#finish(first) : this.#go(first);
    if (isQuiet) return;
    const overdue = this.#timers().filter(({ due }) => due <= this.#time.now);
    yield* [
      ...[...others, ...requests].map((one) => ({ ...this.#go(one), isOtherOrder: true as const })),
      ...overdue.map((timer) => ({ ...this.#fire(timer), isOtherOrder: true as const })),
      ...this.#releases(),
      ...this.#faults(first),
      // All other faults of these messages can also happen when the message is the first one.
      ...others.flatMap((one) => this.#faultsInStore(one)),
      ...requests.flatMap((one) => this.#requestFaults(one)),
      ...this.#storeFaults(),
      ...this.#providerFaults(),
    ];
  }

  /** Only token requests are on their way. The token endpoint may answer before or after the next timer. */
  *#whileTimePasses(requests: readonly InFlight[]): Generator<Choice, void, undefined> {
    const timers = this.#timers();
    const [timer] = timers;
    const mustAnswer = Math.min(...requests.map(({ until = Infinity }) => until));
    const atOnce = timers.filter(({ due }) => due === timer?.due && due < mustAnswer);
    const process = this.#processes.find(({ name }) => name === timer?.process);
    const soon = requests.filter(({ isLate }) => !isLate);
    if (timer && atOnce.length > 0 && soon.length === 0 && process?.waitsWithoutChange(timer.due)) {
      yield this.#fire(timer);
      return;
    }
    const choices = [
      ...requests.map((one) => this.#go(one)),
      ...atOnce.map((one) => this.#fireBefore(soon, one, one !== timer)),
      ...this.#releases(),
    ];
    if (choices.length === 0) {
      this.#hasEnded = true;
      return;
    }
    yield* choices;
    yield* [
      ...requests.flatMap((one) => this.#requestFaults(one)),
      ...(requests.some((one) => one.process === process) ? [] : this.#faultsOf(process)),
      ...this.#providerFaults(),
    ];
  }

  /**
   * Plays a choice. Returns the invariant that does not hold any more, if there is one.
   *
   * @param isRepeated the result is not needed: this is the start, or an earlier history has made the same choices up to here.
   */
  async play(choice: Choice, isRepeated = false): Promise<string | undefined> {
    this.steps += 1;
    if (choice.fault && choice.fault !== 'cut') this.#hadOtherFault = true;
    this.#publications = [];
    this.#around.handedOut.length = 0;
    await choice.happen();
    await settled();
    if (this.#around.inFlight.some(isRequest)) this.#lastRequestAt = this.#time.now;
    return isRepeated ? undefined : this.broken();
  }

  broken(): string | undefined {
    return brokenInvariant(this.#facts());
  }

  /** Equal texts mean that the same things can happen from here on. */
  async fingerprint(): Promise<string> {
    const processes = this.#processes.map(({ state }) => state);
    const flights = this.#around.inFlight
      .map(({ process, number, what, text, isHeld, isLate, result }) =>
        [process.name, number, what, text, isHeld, isLate, this.#describe(what, result)].join(' '),
      )
      .toSorted();
    const content = await this.#store.content();
    const { replacedSecrets, revoked } = this.#around;
    return [
      this.#time.now,
      this.#revocationsLeft,
      [...revoked].join(' '),
      replacedSecrets.size,
      content,
      ...processes,
      ...flights,
    ].join('|');
  }

  /** Without faults, until all processes have a token. Then the API refuses this token, or the token expires. */
  async #prepare(): Promise<void> {
    const groups = this.scenario.atOneMoment ? this.#processes.map((one) => [one]) : [this.#processes];
    for (const group of groups) {
      for (const process of group) process.begin();
      await settled();
      for (let [next] = this.choices(); next !== undefined; [next] = this.choices())
        await this.play(next, true);
    }
    this.#hasEnded = false;
    this.steps = 0;
    this.lines?.splice(0);
    if (this.scenario.start === 'an expired token') this.#time.now += MINUTE;
    else this.#revoke();
  }

  #facts(): FleetFacts {
    const { inFlight, handedOut, issued } = this.#around;
    const asking = inFlight.filter(isRequest);
    return {
      now: this.#time.now,
      leases: this.#store.leases,
      requests: asking.map(({ process }) => process.requestFact()),
      waitsForOthers: this.#hadOtherFault ? [] : this.#waitsForOthers(),
      handedOut,
      publications: this.#publications.map(({ token, ...publication }) => ({
        ...publication,
        entryOfToken: issued.get(String(token))?.entry,
      })),
      unfinished: this.#hasEnded
        ? this.#processes
            .filter(({ isAlive, isCutOff, hasToken }) => isAlive && !isCutOff && !hasToken)
            .map(({ name }) => name)
        : [],
    };
  }

  #waitsForOthers(): WaitFact[] {
    const sinceRequest = this.#time.now - this.#lastRequestAt;
    return this.#processes
      .filter(({ hasToken, isCutOff }) => !hasToken && !isCutOff)
      .map(({ name, waitedMs }) => ({ process: name, ms: Math.min(waitedMs, sinceRequest) }));
  }

  #log(line: string): void {
    if (this.lines === undefined) return;
    for (const [name, times] of this.#looks)
      this.lines.push(`${''.padStart(10)}  ${name} looks ${times} times more and sees the same`);
    this.#looks.clear();
    this.lines.push(`${this.#time.now.toFixed(0).padStart(7)} ms  ${line}`);
  }

  /**
   * The message is executed, the answer arrives, or the token endpoint answers. An answer arrives at once, unless its process has
   * something else under way: no other process notices the difference.
   */
  #go(one: InFlight): Choice {
    const { inFlight } = this.#around;
    const isAlone = !inFlight.some(
      (other) => other !== one && other.process === one.process && !isWrite(other),
    );
    if (isAlone || !isLook(one) || one.isHeld) return this.#finish(one);
    return {
      happen: async () => {
        const { answer } = await this.#execute(one);
        this.#onItsWay(one, 'answer', answer, false);
      },
    };
  }

  #finish(one: InFlight): Choice {
    const { process } = one;
    const happen = async (): Promise<void> => {
      if (one.what === 'message') {
        const { answer, described } = await this.#execute(one);
        if (process.isPaused) this.#onItsWay(one, 'answer', answer, false);
        else process.deliver(one, answer, described);
        return;
      }
      if (one.what === 'request') {
        this.#answerRequest(one);
        return;
      }
      this.#remove(one);
      const described = this.#describe(one.what, one.result);
      this.#log(
        one.what === 'answer'
          ? `the answer reaches ${process.name}: ${described}`
          : `the token endpoint gives ${process.name} ${described}`,
      );
      process.deliver(one, one.result, described);
    };
    return { happen };
  }

  #answerRequest(one: InFlight): void {
    const { process, entry = '' } = one;
    this.#remove(one);
    if (this.#around.replacedSecrets.has(entry)) {
      this.#log(`the token endpoint refuses the old secret of ${process.name}`);
      process.fail(one, failureOf('TOKEN_REJECTED'));
      return;
    }
    const token = process.issue(entry);
    this.#log(`the token endpoint gives ${process.name} ${token}`);
    process.deliver(one, token, token);
  }

  /** What can go wrong with a message or an answer. */
  #faults(one: InFlight): Choice[] {
    const { process, text, what } = one;
    if (what !== 'message') return [this.#hold(one), ...this.#faultsOf(process)];
    return [
      this.#hold(one),
      ...this.#faultsInStore(one),
      this.#fault(
        'lost',
        `a message of ${process.name} is lost (${text}), and ${process.name} gets an error`,
        () => {
          process.hadStoreTrouble = true;
          this.#remove(one);
          process.fail(one, new Error('ECONNRESET'));
        },
        process,
      ),
      ...this.#faultsOf(process),
    ];
  }

  /** Faults with which the store executes the message now. */
  #faultsInStore(one: InFlight): Choice[] {
    const { process } = one;
    if (one.what !== 'message') return [];
    return [
      {
        fault: 'slow',
        process: process.name,
        happen: async () => {
          process.hadStoreTrouble = true;
          const { answer } = await this.#execute(one);
          this.#log(`the answer to ${process.name} is slow`);
          this.#onItsWay(one, 'answer', answer, true);
        },
      },
      {
        fault: 'lost',
        process: process.name,
        happen: async () => {
          process.hadStoreTrouble = true;
          await this.#execute(one);
          this.#log(`the answer to ${process.name} is lost, and ${process.name} gets an error`);
          process.fail(one, new Error('ECONNRESET'));
        },
      },
    ];
  }

  #requestFaults(one: InFlight): Choice[] {
    const { process, entry = '' } = one;
    const fail = (): void => {
      this.#remove(one);
      process.fail(one, failureOf());
    };
    const hold = (): void => this.#onItsWay(one, 'response', process.issue(entry), true);
    const failed = this.#fault('failed', `the token endpoint fails for ${process.name}`, fail, process);
    const slow = this.#fault('slow', `the token endpoint's answer to ${process.name} is slow`, hold, process);
    const isRefused = this.#around.replacedSecrets.has(entry);
    return [...(isRefused ? [] : [slow, failed]), ...this.#faultsOf(process)];
  }

  #faultsOf(process: ExploredProcess | undefined): Choice[] {
    if (!process?.isAlive || process.isPaused) return [];
    return [
      this.#fault('killed', `${process.name} is killed`, () => process.kill(), process),
      ...(process.isCutOff ? [] : [this.#cut(process)]),
      this.#fault(
        'still',
        `${process.name} stands still`,
        () => {
          process.isPaused = true;
          process.hadStoreTrouble = true;
        },
        process,
      ),
    ];
  }

  #cut(process: ExploredProcess): Choice {
    const line = `the network loses the token requests of ${process.name} from now on`;
    return this.#fault('cut', line, () => void (process.isCutOff = true), process);
  }

  #storeFaults(): Choice[] {
    return [
      this.#fault('restarted', 'Redis restarts and has lost everything', () => this.#store.restart()),
      ...SET_BACK_MS.map((ms) =>
        this.#fault('clock', `the store's clock is set back by ${ms} ms`, () => {
          this.#mayFindUnusable();
          this.#store.setClockBy(-ms);
        }),
      ),
      ...this.#store.possibleGarbage().map(({ name, entry, garbage }) =>
        this.#fault('garbage', `another writer writes ${garbage} for the entry ${entry}`, () => {
          this.#mayFindUnusable();
          return this.#store.write(name, garbage);
        }),
      ),
    ];
  }

  /** After three unusable records in a row a process asks alone. */
  #mayFindUnusable(): void {
    for (const process of this.#processes) process.hadStoreTrouble = true;
  }

  /** Each of them happens at most once in a history, in addition to the start. */
  #providerFaults(): Choice[] {
    const [secret = ''] = this.scenario.secrets;
    const { issued, replacedSecrets } = this.#around;
    return [
      ...(this.#revocationsLeft === 0 || issued.size === this.#around.revoked.size
        ? []
        : [{ fault: 'revoked' as const, happen: () => this.#revoke() }]),
      ...(replacedSecrets.size > 0
        ? []
        : [
            this.#fault('secret', `the secret ${secret} is changed`, () => {
              replacedSecrets.add(secret);
              for (const process of this.#processes)
                if (process.secrets.includes(secret)) process.changeSecret(`another ${secret}`);
            }),
          ]),
    ];
  }

  #revoke(): void {
    this.#revocationsLeft -= 1;
    for (const token of this.#around.issued.keys()) this.#around.revoked.add(token);
    this.#log(`the provider revokes ${[...this.#around.revoked].join(', ')}`);
  }

  #hold(one: InFlight): Choice {
    const { process, text, what } = one;
    return this.#fault(
      'slow',
      what === 'message'
        ? `${process.name} ${text}: this message is slow`
        : `the answer to ${process.name} is slow`,
      () => {
        one.isHeld = true;
        process.hadStoreTrouble = true;
      },
      process,
    );
  }

  #fault(fault: Fault, line: string, happen: () => void | Promise<void>, process?: ExploredProcess): Choice {
    return {
      fault,
      ...(process && { process: process.name }),
      happen: async () => {
        this.#log(line);
        await happen();
      },
    };
  }

  #resume(process: ExploredProcess): Choice {
    const happen = (): void => {
      this.#log(`${process.name} goes on`);
      process.isPaused = false;
    };
    return { happen };
  }

  /** Time passes before these token requests are answered. */
  #fireBefore(requests: readonly InFlight[], timer: ExploredTimer, isOtherOrder: boolean): Choice {
    const fire = this.#fire(timer);
    const happen = (): void | Promise<void> => {
      for (const one of requests) one.isLate = true;
      return fire.happen();
    };
    return { happen, late: requests.length, ...(isOtherOrder && { isOtherOrder }) };
  }

  #fire(timer: ExploredTimer): Choice {
    const happen = (): void => {
      const process = this.#processes.find(({ name }) => name === timer.process);
      this.#time.now = Math.max(this.#time.now, timer.due);
      process?.note(`timer ${timer.number}`);
      this.#time.fire(timer);
    };
    return { happen };
  }

  async #execute(one: InFlight): Promise<{ answer: unknown; described: string }> {
    this.#remove(one);
    if (one.message === undefined) throw new Error('Only a message can be executed.');
    const { name } = one.process;
    const isOneMoreLook = one.process.waitsWithoutChange(this.#time.now);
    const { answer, publication } = await this.#store.execute(one.message);
    if (publication) this.#publications.push(publication);
    const described = this.#describe('answer', answer);
    if (isOneMoreLook) this.#looks.set(name, (this.#looks.get(name) ?? 0) + 1);
    else this.#log(`${name} ${one.text}${answer ? `: ${described}` : ''}`);
    return { answer, described };
  }

  /** What is on its way: an answer of the store, or a token. */
  #describe(what: InFlight['what'], result: unknown): string {
    if (what !== 'answer') return String(result);
    return result === undefined ? 'done' : this.#store.describe(result as StoreAnswer);
  }

  #onItsWay(one: InFlight, what: 'answer' | 'response', result: unknown, isHeld: boolean): void {
    this.#remove(one);
    if (one.process.isAlive) this.#around.inFlight.push({ ...one, what, result, isHeld });
  }

  #remove(one: InFlight): void {
    const { inFlight } = this.#around;
    const place = inFlight.indexOf(one);
    if (place !== -1) inFlight.splice(place, 1);
  }
}

function isRequest({ what }: InFlight): boolean {
  return what === 'request' || what === 'response';
}

function isLook({ what, message }: InFlight): boolean {
  return what === 'message' && message?.kind === 'claim';
}

/** No process waits for the answer to a publication or a release. */
function isWrite({ message }: InFlight): boolean {
  return message !== undefined && message.kind !== 'claim';
}
