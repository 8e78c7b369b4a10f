import { isPlainObject } from '../../values/is-object.js';

/**
 * Changes the leaves of plain objects and arrays, and the names of members. Returns the value itself if nothing changes, and
 * otherwise a copy. The original is never changed. An object that occurs twice, or in a circle, does so in the copy too. There
 * is no recursion, because a server decides how deep its JSON is.
 */
export function changedCopy(value: unknown, change: (leaf: unknown) => unknown): unknown {
  const copies = new Map<object, object>();
  let hasChanged = false;

  const changedLeaf = (leaf: unknown): unknown => {
    const changed = change(leaf);
    if (!Object.is(changed, leaf)) hasChanged = true;
    return changed;
  };
  const copyOf = (part: unknown): unknown => {
    if (!Array.isArray(part) && !isPlainObject(part)) return changedLeaf(part);
    const known = copies.get(part);
    if (known !== undefined) return known;
    const copy: object = Array.isArray(part)
      ? []
      : (Object.create(Object.getPrototypeOf(part) as object | null) as object);
    copies.set(part, copy);
    return copy;
  };

  const result = copyOf(value);
  // A loop over a map also visits entries that are added during the loop.
  for (const [original, copy] of copies) {
    if (Array.isArray(original)) {
      const items = copy as unknown[];
      for (const item of original) items.push(copyOf(item));
      continue;
    }
    for (const [name, member] of Object.entries(original)) {
      // An assignment to a member named `__proto__` would set the prototype.
      Object.defineProperty(copy, String(changedLeaf(name)), {
        value: copyOf(member),
        configurable: true,
        enumerable: true,
        writable: true,
      });
    }
  }
  return hasChanged ? result : value;
}
