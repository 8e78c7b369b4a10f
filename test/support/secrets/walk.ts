import { types } from 'node:util';

/** A text that code can reach, and the way to it. */
export interface ReachableText {
  readonly path: string;
  readonly text: string;
}

/** Beyond this a walk has strayed into the whole process, and the test should look at a smaller value. */
const MOST_OBJECTS = 400_000;

/**
 * Everything that code can reach from a value without calling its methods: all own keys and symbols, enumerable or not,
 * getters, also those of prototypes, Maps, Sets, bytes, iterators of the web's collections, names of keys.
 */
export function* walk(root: unknown, name: string): Generator<ReachableText> {
  const seen = new Set<object>();
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

/** What an object holds that is no object itself. */
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
    // A getter is code, and code may close over a value: what is written on it is in reach.
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

/** Getters of all prototypes, asked on the object itself; the plain values of classes are not the object's. */
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
    // What is no prototype of a class is an object like others.
    if (!Object.hasOwn(level, 'constructor')) yield { path: `${path}<prototype>`, value: level };
    level = Object.getPrototypeOf(level) as object | null;
  }
}

function isWebCollection(value: object): value is Iterable<[unknown, unknown]> {
  const kinds = [Headers, URLSearchParams, FormData];
  return kinds.some((kind) => attempted(() => value instanceof kind) ?? false);
}

function attempted<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
