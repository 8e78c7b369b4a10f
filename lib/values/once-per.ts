/** Calls `create` once for each object. The result is kept as long as the object. */
export function oncePer<Key extends object, Result extends object>(
  create: (key: Key) => Result,
): (key: Key) => Result {
  const known = new WeakMap<Key, Result>();
  return (key) => {
    const result = known.get(key) ?? create(key);
    known.set(key, result);
    return result;
  };
}
