/** What is used of a client: `Redis` (a single node or Sentinel) and `Cluster` of ioredis have it, and so has iovalkey. */
export interface RedisClient {
  /** `ready` when commands can be sent at once. */
  readonly status: string;
  /** Runs a script, as Redis' `EVAL` does. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Tells once of a change of `status`. */
  once(event: 'ready' | 'close' | 'end', listener: () => void): unknown;
  /** Takes such a listener away. */
  off(event: 'ready' | 'close' | 'end', listener: () => void): unknown;
}

/** On its way to `ready` for the first time, or again. */
const ON_THE_WAY = new Set(['connecting', 'connect']);

/**
 * Whether commands reach Redis now. A client on its way is waited for a little: an application's first token is often
 * asked for while its client connects. To any other nothing is sent, because it would wait in the client's own queue,
 * and happen when nobody expects it any more.
 */
export function becomesReady(client: RedisClient, withinMs: number): Promise<boolean> {
  // A lazy client connects when it is first used.
  if (client.status === 'ready' || client.status === 'wait') return Promise.resolve(true);
  if (!ON_THE_WAY.has(client.status)) return Promise.resolve(false);
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
