/**
 * For touching what was given: a getter or a proxy may throw, with a text that holds anything, secrets included. The
 * text ends here (S10).
 */
export function safely<Result>(action: () => Result, otherwise: Result): Result {
  try {
    return action();
  } catch {
    return otherwise;
  }
}
