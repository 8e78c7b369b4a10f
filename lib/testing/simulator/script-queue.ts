import { covers } from './addresses.js';
import type { Action, Exchange, Scope, Script } from './exchange.js';

let newestId = 0;

/**
 * All scripts that wait for requests. A script with a number of requests comes first, in the order of creation. If no such
 * script matches, the newest script without a number answers.
 */
export class ScriptQueue {
  /** In the order in which a request tries them. */
  #scripts: Script[] = [];

  add(scope: Scope, action: Action): void {
    const { times: left } = scope;
    const id = (newestId += 1);
    if (left !== undefined && !(left > 0)) return;
    // After those with a number, and before those without.
    const place = this.#scripts.findLastIndex((one) => one.left !== undefined) + 1;
    this.#scripts.splice(place, 0, { id, scope, action, left });
  }

  get waiting(): readonly Omit<Script, 'action'>[] {
    return [...this.#scripts];
  }

  get hasEarly(): boolean {
    return this.#scripts.some(({ scope }) => scope.early);
  }

  /** Removes one script. Returns whether it still waited. */
  remove(id: number): boolean {
    const before = this.#scripts.length;
    this.#scripts = this.#scripts.filter((script) => script.id !== id);
    return this.#scripts.length < before;
  }

  /** The script for a request. It is used up once. */
  take(exchange: Exchange<string, string>, early?: true): Script | undefined {
    const next = this.#scripts.find(({ scope }) => scope.early === early && matches(scope, exchange));
    if (next?.left === undefined) return next;
    next.left -= 1;
    if (next.left <= 0) this.remove(next.id);
    return next;
  }

  clear(): void {
    this.#scripts = [];
  }
}

function matches(scope: Scope, { record }: Exchange<string, string>): boolean {
  return (
    scope.kind === record.findings.kind &&
    covers(scope, record) &&
    (scope.path === undefined || isPath(scope.path, record.path))
  );
}

function isPath(wanted: string | RegExp, path: string): boolean {
  // `search` ignores `lastIndex`, which `test` would change.
  if (typeof wanted !== 'string') return path.search(wanted) >= 0;
  return path === wanted || path.startsWith(`${wanted}?`);
}
