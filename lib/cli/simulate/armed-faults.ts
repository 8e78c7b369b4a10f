import type { ProviderSimulator } from '../../testing/index.js';
import { labelOf } from './faults.js';
import { type Chain, codeOf, type Target } from './verbs.js';

/** A fault that waits for requests, or one that has ended. */
export interface ArmedFault {
  readonly id: number;
  readonly on: Target;
  readonly label: string;
  /** The chain as code. */
  readonly code: string;
  readonly interface?: string;
  readonly environment?: string;
  /** For how many more requests. Absent if it stays until it is removed. */
  readonly left?: number;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Absent while it waits. */
  readonly until?: number;
}

/** So many ended faults are remembered, for a page that opens later. */
const REMEMBERED = 50;

/** The faults that people and programs have made, with what is left of them. */
export class ArmedFaults {
  readonly #provider: ProviderSimulator;
  readonly #all = new Map<number, ArmedFault>();

  constructor(provider: ProviderSimulator) {
    this.#provider = provider;
  }

  /** Call this after a chain has run. */
  add(on: Target, chain: Chain): void {
    for (const { id, scope, left } of this.#provider.waitingScripts) {
      if (this.#all.has(id)) continue;
      this.#all.set(id, {
        id,
        on,
        label: labelOf(on, chain),
        code: codeOf(on, chain),
        ...(scope.interface !== undefined && { interface: scope.interface }),
        ...(scope.environment !== undefined && { environment: scope.environment }),
        ...(left !== undefined && { left }),
        from: Date.now(),
      });
    }
  }

  clear(): void {
    this.#all.clear();
  }

  /** The oldest first, as `noteWhatIsLeft` has seen them. */
  list(): readonly ArmedFault[] {
    return [...this.#all.values()];
  }

  /** Notes what is left of each fault, and when a fault has ended. Forgets the oldest ended ones. */
  noteWhatIsLeft(): void {
    const waiting = new Map(this.#provider.waitingScripts.map((script) => [script.id, script]));
    for (const fault of this.#all.values()) {
      if (fault.until !== undefined) continue;
      const left = waiting.get(fault.id)?.left;
      const isOver = !waiting.has(fault.id);
      this.#all.set(fault.id, {
        ...fault,
        ...(left !== undefined && { left }),
        ...(isOver && { until: Date.now() }),
      });
    }
    const ended = [...this.#all.values()].filter(({ until }) => until !== undefined);
    for (const { id } of ended.slice(0, -REMEMBERED)) this.#all.delete(id);
  }
}
