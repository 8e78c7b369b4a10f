/**
 * Runs code that touches a value of the application or a text of a server. A getter, a proxy or a parser may throw, and the text of
 * that error may contain a secret. The error is dropped here (S10).
 */
export function safely<Result>(action: () => Result, otherwise: Result): Result {
  try {
    return action();
  } catch {
    return otherwise;
  }
}

/** `process.cwd()` throws if the folder was removed. */
export function workingFolder(): string {
  return safely(() => process.cwd(), '(unknown)');
}
