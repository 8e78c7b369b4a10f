import { types } from 'node:util';

/** A text that code can reach, and the path to this text. */
export interface ReachableText {
  readonly path: string;
  readonly text: string;
}

/** With more objects, the walk has reached the whole process. The test should then search a smaller value. */
const MOST_OBJECTS = 400_000;

/**
 * All texts that code can reach from a value without calling its methods: own keys and symbols, enumerable or not, names
 * of keys, getters, also of prototypes, Maps, Sets, bytes, and the entries of Headers, URLSearchParams and FormData.
 *
 * @param seen the objects whose texts are known, from a walk at the same moment.
 */
export function* walk(root: unknown, name: string, seen = new Set<object>()): Generator<ReachableText> {
  const open: { path: string; value: unknown }[] = [{ path: name, value: root }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value } = next;
    if (typeof value !== 'object' && typeof value !== 'function') {
      if (typeof value === 'string' || typeof value === 'symbol' || typeof value === 'bigint')
        yield { path, text: String(value) };
      continue;
    }
    if (value === null || seen.has(value)) continue;
    seen.add(value);
    if (seen.size > MOST_OBJECTS)
      throw new RangeError(`More than ${MOST_OBJECTS} objects in reach of ${name}.`);
    yield* attempted(() => [...textsOf(value, path)]) ?? [];
    if (types.isTypedArray(value)) continue;
    for (const child of childrenOf(value, path)) open.push(child);
  }
}

/** The paths to this text. */
export function pathsTo(needle: string, root: unknown): string[] {
  const texts = [...walk(root, '$')];
  return texts.filter(({ text }) => text.includes(needle)).map(({ path }) => path);
}

/** The texts in an object itself, without its members. */
function* textsOf(value: object, path: string): Generator<ReachableText> {
  const bytes = bytesOf(value);
  if (bytes) {
    yield { path: `${path}<bytes>`, text: bytes.toString('latin1') };
    yield { path: `${path}<UTF-8>`, text: bytes.toString('utf8') };
    yield { path: `${path}<UTF-16>`, text: bytes.toString('utf16le') };
    return;
  }
  if (types.isBoxedPrimitive(value)) yield { path: `${path}<boxed>`, text: String(value.valueOf()) };
  if (types.isRegExp(value)) yield { path: `${path}<pattern>`, text: value.source };
  if (Array.isArray(value) && value.length > 7 && value.every(isByte)) {
    yield { path: `${path}<bytes>`, text: Buffer.from(value as number[]).toString('utf8') };
  }
  if (typeof value === 'function') yield { path: `${path}<name>`, text: value.name };
}

function isByte(one: unknown): boolean {
  return typeof one === 'number' && one >= 0 && one < 256;
}

function bytesOf(value: object): Buffer | undefined {
  if (types.isAnyArrayBuffer(value)) return Buffer.from(value);
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return undefined;
}

function* childrenOf(value: object, path: string): Generator<{ path: string; value: unknown }> {
  for (const key of attempted(() => Reflect.ownKeys(value)) ?? []) {
    yield { path: `${path}<key>`, value: key };
    yield { path: `${path}.${String(key)}`, value: attempted(() => Reflect.get(value, key) as unknown) };
    // A getter is a function. Code can also reach the members of this function.
    const descriptor = attempted(() => Reflect.getOwnPropertyDescriptor(value, key));
    if (descriptor?.get) yield { path: `${path}.${String(key)}<getter>`, value: descriptor.get };
  }
  yield* attempted(() => [...inherited(value, path)]) ?? [];
  if (types.isMap(value)) {
    for (const [key, one] of Map.prototype.entries.call(value)) {
      yield { path: `${path}<Map key>`, value: key };
      yield { path: `${path}<Map ${typeof key === 'string' ? key : ''}>`, value: one };
    }
  }
  if (types.isSet(value)) {
    for (const one of Set.prototype.values.call(value)) yield { path: `${path}<Set>`, value: one };
  }
  if (isWebCollection(value)) {
    for (const [key, one] of value) {
      yield { path: `${path}<key>`, value: key };
      yield { path: `${path}<${String(key)}>`, value: one };
    }
  }
}

/** The values of all inherited getters for this object. Other members of a class do not belong to the object. */
function* inherited(value: object, path: string): Generator<{ path: string; value: unknown }> {
  let level = attempted(() => Reflect.getPrototypeOf(value));
  while (level && level !== Object.prototype && level !== Function.prototype) {
    for (const key of Reflect.ownKeys(level)) {
      const descriptor = Object.getOwnPropertyDescriptor(level, key);
      if (descriptor?.get === undefined) continue;
      yield {
        path: `${path}.${String(key)}`,
        value: attempted(() => descriptor.get?.call(value) as unknown),
      };
    }
    // A prototype that belongs to no class is an object like any other.
    if (!Object.hasOwn(level, 'constructor')) yield { path: `${path}<prototype>`, value: level };
    level = Object.getPrototypeOf(level) as object | null;
  }
}

function isWebCollection(value: object): value is Iterable<[unknown, unknown]> {
  const kinds = [Headers, URLSearchParams, FormData];
  return kinds.some((kind) => attempted(() => value instanceof kind) ?? false);
}

/** Code that is only read or printed may throw. Undefined then. */
export function attempted<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
