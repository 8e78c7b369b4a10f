import { notConnected, type RunScript, troubleOf } from './run-script.js';

/** The methods that the store uses. `Redis` (a single node or Sentinel) and `Cluster` of ioredis have them, and iovalkey too. */
export interface IoredisClient {
  /** `ready` if commands can be sent at once. */
  readonly status: string;
  /** Runs a script, as Redis' `EVAL` does. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Connects a client that has not connected yet. A client that lacks this connects with its first command. */
  connect?(): Promise<unknown>;
  /** Calls the listener at the next change to this status. */
  once(event: 'ready' | 'close' | 'end', listener: () => void): unknown;
  /** Removes such a listener. */
  off(event: 'ready' | 'close' | 'end', listener: () => void): unknown;
}

/** Only clients of this kind have a `status` that is text. */
export function isIoredisClient(client: object): client is IoredisClient {
  return (
    typeof Reflect.get(client, 'status') === 'string' &&
    ['eval', 'once', 'off'].every((method) => typeof Reflect.get(client, method) === 'function')
  );
}

/** @param withinMs how long a script waits for a client that connects. */
export function ioredisRunner(client: IoredisClient, withinMs: number): RunScript {
  /** One for all scripts: Node warns of a leak if a client has more than ten listeners. */
  let connecting: Promise<boolean> | undefined;
  const trouble = troubleOf(client);
  return async (script, keys, args) => {
    if (client.status !== 'ready') {
      connecting ??= becomesReady(client, withinMs).finally(() => (connecting = undefined));
      if (!(await connecting)) throw notConnected(trouble);
    }
    trouble.code = undefined;
    return client.eval(script, keys.length, ...keys, ...args);
  };
}

/** The statuses of a client that connects. `wait` is one of them, because a client may change its status a moment after `connect()`. */
const ON_THE_WAY = new Set(['wait', 'connecting', 'connect']);

/**
 * Whether commands reach Redis now. This function waits a short time for a client that connects, because an application
 * often needs its first token at that moment.
 */
function becomesReady(client: IoredisClient, withinMs: number): Promise<boolean> {
  if (client.status === 'wait') {
    if (client.connect === undefined) return Promise.resolve(true);
    // A lazy client connects with its first command, but with `enableOfflineQueue: false` it rejects that command.
    client.connect().catch(() => {});
  }
  if (!ON_THE_WAY.has(client.status)) return Promise.resolve(client.status === 'ready');
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer);
      for (const event of EVENTS) client.off(event, settle);
      resolve(client.status === 'ready');
    };
    const timer = setTimeout(settle, withinMs);
    timer.unref();
    for (const event of EVENTS) client.once(event, settle);
  });
}

const EVENTS = ['ready', 'close', 'end'] as const;
