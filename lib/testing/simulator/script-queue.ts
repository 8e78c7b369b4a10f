import type { AnyExchange } from './exchange.js';

export type Action<Kind extends AnyExchange> = { act(exchange: Kind): void | Promise<void> }['act'];

/** Which requests a script answers, and how long it waits before the answer. */
export interface Scope {
  readonly interface?: string;
  readonly environment?: string;
  readonly path?: string | RegExp;
  /** How many requests. Without it, all requests until `reset()`. */
  readonly times?: number;
  readonly afterMs?: number;
}

export interface Script<Kind extends AnyExchange> {
  readonly scope: Scope;
  readonly action: Action<Kind>;
}

/** A script that answers a request. */
export interface TakenScript<Kind extends AnyExchange> extends Script<Kind> {
  /** Different for each script of this process. */
  readonly id: number;
}

/** A script that waits for requests, without its action. */
export interface WaitingScript {
  readonly id: number;
  readonly scope: Scope;
  /** For how many more requests. Undefined if it stays until `reset()`. */
  readonly left?: number;
}

let newestId = 0;

/**
 * Scripts that wait for requests. A script with a number of requests comes first, in the order of creation. If no such
 * script matches, the newest script without a number answers.
 */
export class ScriptQueue<Kind extends AnyExchange> {
  #counted: (TakenScript<Kind> & { left: number })[] = [];
  #standing: TakenScript<Kind>[] = [];

  get isEmpty(): boolean {
    return this.#counted.length === 0 && this.#standing.length === 0;
  }

  add(script: Script<Kind>): void {
    const { times } = script.scope;
    const id = (newestId += 1);
    if (times === undefined) this.#standing.unshift({ ...script, id });
    else if (times > 0) this.#counted.push({ ...script, id, left: times });
  }

  get waiting(): readonly WaitingScript[] {
    return [...this.#counted, ...this.#standing];
  }

  /** Removes one script. Returns whether it still waited. */
  remove(id: number): boolean {
    const before = this.waiting.length;
    this.#counted = this.#counted.filter((script) => script.id !== id);
    this.#standing = this.#standing.filter((script) => script.id !== id);
    return this.waiting.length < before;
  }

  /** The script for a request. It is used up once. */
  take(exchange: Kind): TakenScript<Kind> | undefined {
    if (this.isEmpty) return undefined;
    const next = this.#counted.find(({ scope }) => matches(scope, exchange));
    if (!next) return this.#standing.find(({ scope }) => matches(scope, exchange));
    next.left -= 1;
    if (next.left <= 0) this.#counted = this.#counted.filter((one) => one !== next);
    return next;
  }

  clear(): void {
    this.#counted = [];
    this.#standing = [];
  }
}

function matches(scope: Scope, exchange: AnyExchange): boolean {
  return (
    (scope.interface === undefined || scope.interface === exchange.interface) &&
    (scope.environment === undefined || scope.environment === exchange.environment) &&
    (scope.path === undefined || isPath(scope.path, exchange.path))
  );
}

function isPath(wanted: string | RegExp, path: string): boolean {
  // `search` ignores `lastIndex`, which `test` would change.
  if (typeof wanted !== 'string') return path.search(wanted) >= 0;
  return path === wanted || path.startsWith(`${wanted}?`);
}
