import { errorMonitor } from 'node:events';
import { errorWord } from '../errors/error-code.js';
import { oncePer } from '../values/once-per.js';

/**
 * Runs a Lua script in Redis, as `EVAL` does, and resolves with the reply. This is all that the store needs from Redis, so
 * any client can be wrapped in such a function. The keys are separate from the arguments, because a client of a cluster
 * chooses the node by the keys. All keys of one call are in one slot.
 */
export type RunScript = (script: string, keys: string[], args: string[]) => Promise<unknown>;

/** The client has no connection now. The store sends nothing: a command that waits in a queue runs when no caller expects it. */
export function notConnected({ code }: ConnectionTrouble): Error {
  return Object.assign(new Error('NOT_CONNECTED'), code === undefined ? {} : { code });
}

/** Why a client has no connection, as far as its events say. */
export interface ConnectionTrouble {
  /** The code of the last error since the client was seen ready. Of the error itself nothing is kept: it may hold a password. */
  code: string | undefined;
}

/**
 * Follows the events of a client (B35). The kind of listener is `errorMonitor`: an `EventEmitter` without a listener for `error`
 * must still end the process, because the application decides that. One listener for all stores: Node warns of more than ten.
 */
export const troubleOf = oncePer((client: object): ConnectionTrouble => {
  const trouble: ConnectionTrouble = { code: undefined };
  const on: unknown = Reflect.get(client, 'on');
  if (typeof on === 'function')
    Reflect.apply(on, client, [errorMonitor, (error: unknown) => (trouble.code = errorWord(error))]);
  return trouble;
});
