/** Calls `create` once for each object. The result is kept as long as the object. */
export function oncePer<Key extends object, Result extends object>(
  create: (key: Key) => Result,
): (key: Key) => Result {
  const known = new WeakMap<Key, Result>();
  return (key) => {
    let result = known.get(key);
    if (result === undefined) known.set(key, (result = create(key)));
    return result;
  };
}
