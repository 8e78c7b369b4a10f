/** An error and its causes, from the outermost to the innermost. Code of an application may have made an error its own cause. */
export function causesOf(error: unknown): ReadonlySet<Error> {
  const found = new Set<Error>();
  for (let one = error; one instanceof Error && !found.has(one); one = one.cause) found.add(one);
  return found;
}
