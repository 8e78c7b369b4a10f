/**
 * Runs a Lua script in Redis, as `EVAL` does, and resolves with the reply. This is all that the store needs from Redis, so
 * any client can be wrapped in such a function. The keys are separate from the arguments, because a client of a cluster
 * chooses the node by the keys. All keys of one call are in one slot.
 */
export type RunScript = (script: string, keys: string[], args: string[]) => Promise<unknown>;

/** The client has no connection now. The store sends nothing: a command that waits in a queue runs when no caller expects it. */
export function notConnected(): Error {
  return new Error('NOT_CONNECTED');
}
