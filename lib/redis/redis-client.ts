/** What is used of a client: `Redis` (a single node or Sentinel) and `Cluster` of ioredis have it, and so has iovalkey. */
export interface RedisClient {
  /** `ready` when commands can be sent at once. */
  readonly status: string;
  /** Runs a script, as Redis' `EVAL` does. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Connects a client that has not connected yet. A client that lacks this connects with its first command. */
  connect?(): Promise<unknown>;
  /** Tells once of a change of `status`. */
  once(event: 'ready' | 'close' | 'end', listener: () => void): unknown;
  /** Takes such a listener away. */
  off(event: 'ready' | 'close' | 'end', listener: () => void): unknown;
}

/** On its way to `ready`. `wait` counts once `connect()` was called: a client may change its status a moment later. */
const ON_THE_WAY = new Set(['wait', 'connecting', 'connect']);

/**
 * Whether commands reach Redis now. A client on its way is waited for a little: an application's first token is often
 * asked for while its client connects. To any other nothing is sent, because it would wait in the client's own queue,
 * and happen when nobody expects it any more.
 */
export function becomesReady(client: RedisClient, withinMs: number): Promise<boolean> {
  if (client.status === 'ready') return Promise.resolve(true);
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
