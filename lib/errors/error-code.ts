/** The code that Node gave an error, such as `ECONNREFUSED`. Undefined if the error has no code of this form. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined;
}

/** Redis has three texts for what a user may not do: for a command, and for a command of a script, in old and in new versions. */
const NO_RIGHT = /^NOPERM|ACL failure|can't run this command/;

/** Before version 7, Redis puts what a script did in front: `ERR Error running script (call to f_…): @user_script: 7: -OOM command not …`. */
const FIRST_WORD = /^(?:ERR Error running script .*?: -)?([A-Z][A-Z_]{1,15})(?= |$)/;

/**
 * The code of Node (`ECONNREFUSED`) or the first word of an error of Redis (`WRONGPASS`). Never the text: it may quote what
 * was sent. A client of several hosts may keep the error of a host in its own error: ioredis as `lastNodeError`, node-redis as `cause`.
 */
export function errorWord(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return wordOf(error) ?? wordOf(Reflect.get(error, 'lastNodeError') ?? error.cause);
}

function wordOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined) return /^[A-Z][A-Z_]{1,39}$/.exec(code)?.[0];
  if (NO_RIGHT.test(error.message)) return 'NOPERM';
  return FIRST_WORD.exec(error.message)?.[1];
}
