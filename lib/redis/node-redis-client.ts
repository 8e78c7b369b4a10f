import { setTimeout as pause } from 'node:timers/promises';
import { notConnected, type RunScript, troubleOf } from './run-script.js';

/** The members that the store uses. The client, the pool, the cluster and the sentinel of node-redis 5 and newer have them. */
export interface NodeRedisClient {
  /** Whether the application has called `connect()`, and has not closed the client since. */
  readonly isOpen: boolean;
  /** Whether commands can be sent at once. The pool and the cluster of version 5 do not know it. */
  readonly isReady?: boolean;
  /** Runs a script, as Redis' `EVAL` does. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /**
   * Only a sign of version 5 or newer. The store reads replies of every type mapping instead of calling this, because the
   * sentinel of version 5 changes the mapping of the client that it is called on.
   */
  withTypeMapping(typeMapping: object): unknown;
}

/** How often the store looks whether a client has connected. The kinds and versions of clients have no event in common. */
const LOOK_EVERY_MS = 10;

/** Version 4 lacks `withTypeMapping`. Its clusters need other calls, and its legacy mode needs callbacks. */
export function isNodeRedisClient(client: object): client is NodeRedisClient {
  return (
    typeof Reflect.get(client, 'isOpen') === 'boolean' &&
    ['eval', 'withTypeMapping'].every((method) => typeof Reflect.get(client, method) === 'function')
  );
}

/** @param withinMs how long a script waits for a client that connects. */
export function nodeRedisRunner(client: NodeRedisClient, withinMs: number): RunScript {
  let wasReady = false;
  const trouble = troubleOf(client);
  /** A client that was ready has lost its connection, or a client has failed to connect. The store waits for neither. */
  const connects = (): boolean =>
    client.isOpen && client.isReady === false && !wasReady && trouble.code === undefined;
  return async (script, keys, args) => {
    const until = performance.now() + withinMs;
    while (connects() && performance.now() < until) await pause(LOOK_EVERY_MS, undefined, { ref: false });
    // A client without `isReady` may queue the command. Its caller waits no longer than the deadline of the store, and a lease that
    // comes later is released.
    if (!(client.isOpen && client.isReady !== false)) throw notConnected(trouble);
    wasReady = true;
    trouble.code = undefined;
    return client.eval(script, { keys, arguments: args });
  };
}
