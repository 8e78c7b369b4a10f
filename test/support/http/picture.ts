import { Readable } from 'node:stream';
import { types } from 'node:util';
import { AxiosHeaders } from 'axios';

/**
 * A value as lines of text: each own enumerable member with its value, in the order of their names. An object that occurs again is
 * shown by its first place. Neither prototypes nor which function a member has is shown.
 */
export function pictureOf(value: unknown, left: readonly string[] = []): string {
  const lines: string[] = [];
  const places = new Map<unknown, string>();
  const add = (path: string, part: unknown): void => {
    const seen = places.get(part);
    if (typeof part !== 'object' || part === null) return void lines.push(`${path}: ${primitive(part)}`);
    if (seen !== undefined) return void lines.push(`${path}: same as ${seen}`);
    places.set(part, path);
    lines.push(`${path}: ${contentOf(part)}`);
    if (isOpaque(part)) return;
    const names = Reflect.ownKeys(part).filter((name) =>
      Object.prototype.propertyIsEnumerable.call(part, name),
    );
    for (const name of names.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)))
      if (!left.includes(String(name))) add(`${path}.${String(name)}`, Reflect.get(part, name));
    if (part instanceof Error) {
      add(`${path}.message`, part.message);
      add(`${path}.cause`, part.cause);
    }
  };
  add('value', value);
  return lines.join('\n');
}

function primitive(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'string') return JSON.stringify(value.length > 200 ? `${value.length}` : value);
  return Object.is(value, -0) ? '-0' : `${typeof value} ${String(value)}`;
}

function contentOf(value: object): string {
  if (value instanceof Error) return value.name;
  if (types.isDate(value)) return String(value.getTime());
  if (value instanceof URLSearchParams) return `?${value.toString()}`;
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex');
  if (types.isArrayBuffer(value)) return Buffer.from(value).toString('hex');
  if (value instanceof AbortSignal) return `aborted ${value.aborted}`;
  if (value instanceof AxiosHeaders) return 'headers';
  return Array.isArray(value) ? `${value.length} elements` : 'an object';
}

/** Objects with members that are details of Node, or were shown as content. */
function isOpaque(value: object): boolean {
  return (
    value instanceof Readable ||
    value instanceof AbortSignal ||
    value instanceof FormData ||
    value instanceof Blob ||
    types.isDate(value) ||
    ArrayBuffer.isView(value) ||
    types.isArrayBuffer(value)
  );
}
