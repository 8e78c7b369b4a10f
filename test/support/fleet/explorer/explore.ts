import { withoutStacks } from '../../run/without-stacks.js';
import { useNumberedSeals } from './explored-seals.js';
import { type Choice, FleetRun, type Scenario } from './fleet-run.js';

/** What an exploration has done. */
export interface Exploration {
  readonly histories: number;
  readonly states: number;
  readonly steps: number;
  /** The shortest history that breaks an invariant: the fewest faults, then the fewest steps. */
  readonly broken: BrokenHistory | undefined;
}

interface BrokenHistory {
  readonly sentence: string;
  readonly faults: number;
  readonly steps: number;
  readonly lines: readonly string[];
}

/** What a history has cost so far. */
interface Cost {
  readonly faults: number;
  /** How many of these faults are `slow` or `still`. */
  readonly slow: number;
  /** How many token requests were not answered at once. */
  readonly late: number;
  /** How many steps came before the step that would have been next in a quiet system. */
  readonly orders: number;
}

/** What a history may cost at most. */
export type Bound = Pick<Cost, 'faults'> & Partial<Cost>;

const NOTHING: Cost = { faults: 0, slow: 0, late: 0, orders: 0 };

/** The last choice of a history that is not the first choice of its step. The choices before are those of another plan. */
interface Plan extends Cost {
  readonly before: Plan | undefined;
  readonly step: number;
  readonly choice: number;
}

/**
 * Plays all histories with at most so many faults: every order of the steps that are possible at one moment, and every moment at
 * which the token endpoint may answer. Each history runs from its start, so no state has to be copied. A history ends where another
 * history has been in the same state with as low a cost. Histories with fewer faults come first, and then histories that differ at an
 * earlier step.
 */
export function explore(scenario: Scenario, bound: Bound): Promise<Exploration> {
  return withoutStacks(() => useNumberedSeals(() => new Explorer(scenario, bound).explore()));
}

class Explorer {
  readonly #scenario: Scenario;
  readonly #bound: Cost;
  /** How histories have come to each state. */
  readonly #visited = new Map<string, (Cost & { readonly steps: number })[]>();
  readonly #numbers = new Map<string, number>();
  /** By the number of faults, then by the step. */
  readonly #plans: Plan[][][] = [[[{ ...NOTHING, before: undefined, step: -1, choice: 0 }]]];
  #histories = 0;
  #steps = 0;
  #broken: { readonly plan: Plan; readonly sentence: string; readonly steps: number } | undefined;

  constructor(scenario: Scenario, { faults, slow = faults, late = Infinity, orders = Infinity }: Bound) {
    this.#scenario = scenario;
    this.#bound = { faults, slow, late, orders };
  }

  async explore(): Promise<Exploration> {
    for (let plan = this.#nextPlan(); plan !== undefined; plan = this.#nextPlan()) await this.#play(plan);
    const { sentence, steps, plan } = this.#broken ?? {};
    return {
      histories: this.#histories,
      states: this.#visited.size,
      steps: this.#steps,
      broken:
        plan && sentence !== undefined && steps !== undefined
          ? { sentence, steps, faults: plan.faults, lines: await this.#linesOf(plan) }
          : undefined,
    };
  }

  #nextPlan(): Plan | undefined {
    const withFewest = this.#plans.find((ofFaults) => ofFaults.some((ofStep) => ofStep.length > 0));
    return withFewest?.find((ofStep) => ofStep !== undefined && ofStep.length > 0)?.pop();
  }

  async #play(plan: Plan): Promise<void> {
    if (!this.#canBeShorter(plan, plan.step)) return;
    this.#histories += 1;
    const run = await FleetRun.start(this.#scenario, this.#number);
    const planned = plannedChoices(plan);
    for (let step = 0; this.#canBeShorter(plan, step); step += 1) {
      const isOpen = step > plan.step;
      if (isOpen && !(await this.#isNew(run, plan))) return;
      const choices = isOpen ? [...run.choices()] : [];
      for (const [index, choice] of choices.entries()) if (index > 0) this.#add(plan, step, index, choice);
      const chosen = isOpen ? choices[0] : plannedChoice(run, planned, step);
      const sentence = chosen ? await run.play(chosen, step < plan.step) : run.broken();
      this.#steps += 1;
      if (sentence !== undefined) this.#broken = { sentence, plan, steps: step + 1 };
      if (sentence !== undefined || chosen === undefined) return;
    }
  }

  #add(before: Plan, step: number, choice: number, given: Choice): void {
    if (!isPossible(given, this.#scenario)) return;
    const { fault, late = 0, isOtherOrder } = given;
    const bound = this.#bound;
    const cost = {
      faults: before.faults + (fault === undefined ? 0 : 1),
      slow: before.slow + (fault === 'slow' || fault === 'still' ? 1 : 0),
      // What has no bound is not counted: otherwise equal states would differ in it.
      late: bound.late === Infinity ? 0 : before.late + late,
      orders: bound.orders === Infinity || isOtherOrder === undefined ? before.orders : before.orders + 1,
    };
    if (!isWithin(cost, bound)) return;
    const ofFaults = (this.#plans[cost.faults] ??= []);
    (ofFaults[step + 1] ??= []).push({ ...cost, before, step, choice });
  }

  /** Whether no history has been in this state at as low a cost, after as few steps. */
  async #isNew(run: FleetRun, { faults, slow, late, orders }: Plan): Promise<boolean> {
    const state = await run.fingerprint();
    const earlier = this.#visited.get(state) ?? [];
    const cost = { faults, slow, late, orders, steps: run.steps };
    if (earlier.some((one) => isWithin(one, cost) && one.steps <= cost.steps)) return false;
    this.#visited.set(state, [...earlier, cost]);
    return true;
  }

  #canBeShorter({ faults }: Plan, step: number): boolean {
    const broken = this.#broken;
    return (
      broken === undefined ||
      faults < broken.plan.faults ||
      (faults === broken.plan.faults && step < broken.steps - 1)
    );
  }

  /** Equal numbers mean equal events in the same order. */
  readonly #number = (before: number, event: string): number => {
    const key = `${before} ${event}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, number);
    return number;
  };

  async #linesOf(plan: Plan): Promise<readonly string[]> {
    const lines: string[] = [];
    const run = await FleetRun.start(this.#scenario, this.#number, lines);
    const planned = plannedChoices(plan);
    for (let step = 0; ; step += 1) {
      const chosen = plannedChoice(run, planned, step);
      if (chosen === undefined || (await run.play(chosen)) !== undefined) return lines;
    }
  }
}

function isPossible({ fault, process }: Choice, { faults, faultyProcess }: Scenario): boolean {
  if (fault === undefined) return true;
  return faults?.includes(fault) !== false && (faultyProcess === undefined || faultyProcess === process);
}

function isWithin(cost: Cost, bound: Cost): boolean {
  const names = ['faults', 'slow', 'late', 'orders'] as const;
  return names.every((name) => cost[name] <= bound[name]);
}

function plannedChoice(
  run: FleetRun,
  planned: ReadonlyMap<number, number>,
  step: number,
): Choice | undefined {
  const place = planned.get(step) ?? 0;
  let index = 0;
  for (const choice of run.choices()) {
    if (index === place) return choice;
    index += 1;
  }
  return undefined;
}

function plannedChoices(last: Plan): ReadonlyMap<number, number> {
  const choices = new Map<number, number>();
  for (let plan: Plan | undefined = last; plan !== undefined; plan = plan.before)
    choices.set(plan.step, plan.choice);
  return choices;
}
