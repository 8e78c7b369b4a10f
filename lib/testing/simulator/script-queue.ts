import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { Exchange } from './exchange.js';

export type Action<Kind extends Exchange> = (exchange: Kind) => void | Promise<void>;

/** Which requests a script is meant for, and how long it waits before it acts. */
export interface Scope {
  readonly interface?: ProviderInterface;
  readonly environment?: ProviderEnvironment;
  readonly path?: string | RegExp;
  /** How many requests; all from now on unless it is given. */
  readonly times?: number;
  readonly afterMs?: number;
}

export interface Script<Kind extends Exchange> {
  readonly scope: Scope;
  readonly action: Action<Kind>;
}

/**
 * Scripts waiting for requests. Those with a number are used up in the order they were written; when none of them fits,
 * the newest standing one does. So "refuse all, but first answer two late" reads as it is written.
 */
export class ScriptQueue<Kind extends Exchange> {
  #counted: (Script<Kind> & { left: number })[] = [];
  #standing: Script<Kind>[] = [];

  get isEmpty(): boolean {
    return this.#counted.length === 0 && this.#standing.length === 0;
  }

  add(script: Script<Kind>): void {
    const { times } = script.scope;
    if (times === undefined) this.#standing.unshift(script);
    else if (times > 0) this.#counted.push({ ...script, left: times });
  }

  take(exchange: Kind): Script<Kind> | undefined {
    if (this.isEmpty) return undefined;
    const next = this.#counted.find(({ scope }) => fits(scope, exchange));
    if (!next) return this.#standing.find(({ scope }) => fits(scope, exchange));
    next.left -= 1;
    if (next.left <= 0) this.#counted = this.#counted.filter((one) => one !== next);
    return next;
  }

  clear(): void {
    this.#counted = [];
    this.#standing = [];
  }
}

function fits(scope: Scope, exchange: Exchange): boolean {
  return (
    (scope.interface === undefined || scope.interface === exchange.interface) &&
    (scope.environment === undefined || scope.environment === exchange.environment) &&
    (scope.path === undefined || leadsTo(scope.path, exchange.path))
  );
}

function leadsTo(wanted: string | RegExp, path: string): boolean {
  if (typeof wanted !== 'string') return path.search(wanted) >= 0; // unlike test(), heedless of lastIndex
  return path === wanted || path.startsWith(`${wanted}?`);
}
