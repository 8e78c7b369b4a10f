/** Getters may create new objects without end, so the search follows only so many getters in a row. */
const MOST_GETTERS = 3;

interface Stop {
  readonly path: string;
  readonly value: unknown;
  /** How many getters led here. */
  readonly getters: number;
}

/** The paths to a text in an object, through own properties, symbols, maps, sets, buffers and getters. */
export function pathsTo(needle: string, root: unknown): string[] {
  const found: string[] = [];
  const seen = new Set<unknown>();
  const stops: Stop[] = [{ path: '$', value: root, getters: 0 }];
  for (const { path, value, getters } of stops) {
    if (holds(needle, value)) found.push(path);
    if (!leadsOn(value) || seen.has(value)) continue;
    seen.add(value);
    if (value instanceof Map || value instanceof Set) {
      stops.push({ path: `${path}<entries>`, value: [...value], getters });
    }
    for (const key of Reflect.ownKeys(value)) {
      stops.push({ path: `${path}.${String(key)}`, value: read(value, key), getters });
    }
    if (getters === MOST_GETTERS) continue;
    for (const key of getterNames(value)) {
      stops.push({ path: `${path}.get ${String(key)}`, value: read(value, key), getters: getters + 1 });
    }
  }
  return found;
}

function holds(needle: string, value: unknown): boolean {
  if (typeof value === 'string') return value.includes(needle);
  if (!ArrayBuffer.isView(value)) return false;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(needle);
}

function leadsOn(value: unknown): value is object {
  return (
    (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) || typeof value === 'function'
  );
}

function getterNames(value: object): PropertyKey[] {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null || prototype === Object.prototype) return [];
  return Reflect.ownKeys(prototype).filter(
    (key) => typeof Object.getOwnPropertyDescriptor(prototype, key)?.get === 'function',
  );
}

function read(owner: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(owner, key);
  } catch {
    return undefined;
  }
}
