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

/** A script that waits for requests, without its action. */
export interface WaitingScript {
  /** Different for each script of this process. */
  readonly id: number;
  readonly scope: Scope;
  /** For how many more requests. Undefined if it stays until `reset()`. */
  readonly left?: number;
}

export interface Script<Kind extends AnyExchange> extends WaitingScript {
  readonly action: Action<Kind>;
  left?: number;
}

let newestId = 0;

/**
 * Scripts that wait for requests. A script with a number of requests comes first, in the order of creation. If no such
 * script matches, the newest script without a number answers.
 */
export class ScriptQueue<Kind extends AnyExchange> {
  /** In the order in which a request tries them. */
  #scripts: Script<Kind>[] = [];

  get isEmpty(): boolean {
    return this.#scripts.length === 0;
  }

  add({ scope, action }: Pick<Script<Kind>, 'scope' | 'action'>): void {
    const { times: left } = scope;
    const id = (newestId += 1);
    if (left !== undefined && !(left > 0)) return;
    // After those with a number, and before those without.
    const place = this.#scripts.findLastIndex((one) => one.left !== undefined) + 1;
    this.#scripts.splice(place, 0, { id, scope, action, ...(left !== undefined && { left }) });
  }

  get waiting(): readonly WaitingScript[] {
    return [...this.#scripts];
  }

  /** Removes one script. Returns whether it still waited. */
  remove(id: number): boolean {
    const before = this.#scripts.length;
    this.#scripts = this.#scripts.filter((script) => script.id !== id);
    return this.#scripts.length < before;
  }

  /** The script for a request. It is used up once. */
  take(exchange: Kind): Script<Kind> | undefined {
    const next = this.#scripts.find(({ scope }) => matches(scope, exchange));
    if (next?.left === undefined) return next;
    next.left -= 1;
    if (next.left <= 0) this.remove(next.id);
    return next;
  }

  clear(): void {
    this.#scripts = [];
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
