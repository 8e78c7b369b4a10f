import type { AxiosInterceptorManager, InternalAxiosRequestConfig } from 'axios';

type Config = InternalAxiosRequestConfig;
type Manager = AxiosInterceptorManager<Config>;
type Interceptor = (config: Config) => Config;

/** What the manager keeps of an interceptor, and hands to axios when a request is made. */
interface Handler {
  readonly fulfilled: unknown;
  readonly rejected: undefined;
  readonly synchronous: true;
  readonly runWhen: (config: Config) => boolean;
}

interface Visited {
  forEach(visit: (handler: Handler) => void): void;
}

/**
 * Registers a request interceptor that runs after all others, whichever order axios is told to run them in: by default
 * the one registered first runs last, and with `transitional.legacyInterceptorReqResOrdering` off, or with a
 * `transitional` that does not name it, the one registered last. It is handed to axios at both ends, for one order each,
 * wherever it stands in the list, which others may change.
 */
export function registerLast(manager: Manager, interceptor: Interceptor): void {
  manager.use(interceptor);
  const atEnd = (runWhen: Handler['runWhen']): Handler => {
    return { fulfilled: interceptor, rejected: undefined, synchronous: true, runWhen };
  };
  const first = atEnd(runsInReverse);
  const last = atEnd((config) => !runsInReverse(config));
  const visited = manager as unknown as Visited;
  const visitAll = visited.forEach.bind(manager);
  visited.forEach = (visit) => {
    const others: Handler[] = [];
    let isRegistered = false;
    visitAll((handler) => {
      if (handler.fulfilled === interceptor) isRegistered = true;
      else others.push(handler);
    });
    // Removing the interceptor removes it from both ends.
    if (isRegistered) visit(first);
    for (const handler of others) visit(handler);
    if (isRegistered) visit(last);
  };
}

/** As axios decides it: its default counts only where there is no `transitional` at all. */
function runsInReverse({ transitional }: Config): boolean {
  return transitional ? Boolean(transitional.legacyInterceptorReqResOrdering) : true;
}
