import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { types } from 'node:util';

/** Numbers for prototypes and for the sources of functions. The same number on both sides means the same object or source. */
const numbers = new WeakMap<object, number>();
const numbersOfTexts = new Map<string, number>();
let lastNumber = 0;
let classesAreNumberedByShape = false;

/** Two builds have their own classes. From now on, two classes are the same if a caller sees the same class. */
export function numberClassesByShape(): void {
  classesAreNumberedByShape = true;
}

function numberOf(value: object): number {
  let number = numbers.get(value);
  if (number !== undefined) return number;
  const text = textOfSource(value);
  number = (text === undefined ? undefined : numbersOfTexts.get(text)) ?? (lastNumber += 1);
  if (text !== undefined) numbersOfTexts.set(text, number);
  numbers.set(value, number);
  return number;
}

function textOfSource(value: object): string | undefined {
  // Each client has functions that it made from the same source.
  if (typeof value === 'function') return Function.prototype.toString.call(value);
  return classesAreNumberedByShape ? shapeOf(value) : undefined;
}

/** The name and the members of a class and of its parents. */
function shapeOf(prototype: object | null): string {
  if (prototype === null || prototype === Object.prototype) return '';
  const { constructor: maker } = prototype;
  const members = Reflect.ownKeys(prototype).map(String).toSorted();
  return `${maker.name} {${members.join()}} ${shapeOf(Object.getPrototypeOf(prototype) as object | null)}`;
}

/** Objects that exist once for each path, and the names under which both paths are compared. */
export type KnownObjects = ReadonlyMap<object, string>;

/** Of a value, or of the descriptor of a property. */
const DURATION = /\.duration(\.value)?$/;

/** axios' cancel tokens keep the listeners of each call. Each build has its own. */
const LISTENER = /\._listeners\.\d+$/;

const LONGEST_TEXT = 400;
const MOST_LINES = 4_000;

/**
 * A value as lines of text: every own key in order, with its attributes, its value and its prototype. An object that occurs
 * again is shown as a reference to its first place, so two values with the same lines also share the same parts.
 */
export function portraitOf(value: unknown, known: KnownObjects, name = 'value'): string[] {
  return new Portrait(known).draw(name, value);
}

class Portrait {
  readonly #lines: string[] = [];
  readonly #places = new Map<object, string>();

  constructor(private readonly known: KnownObjects) {}

  draw(name: string, value: unknown): string[] {
    this.#add(name, value, '');
    return this.#lines;
  }

  #add(path: string, value: unknown, attributes: string): void {
    if (this.#lines.length > MOST_LINES) return;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      this.#lines.push(`${path}${attributes}: ${primitive(value, path)}`);
      return;
    }
    const known = this.known.get(value) ?? this.#places.get(value);
    if (known !== undefined) {
      this.#lines.push(`${path}${attributes}: same as ${known}`);
      return;
    }
    this.#places.set(value, path);
    const isOfBuild = classesAreNumberedByShape && LISTENER.test(path);
    this.#lines.push(`${path}${attributes}: ${isOfBuild ? 'a listener' : kindOf(value)}`);
    if (isOpaque(value)) return;
    this.#addMembers(path, value);
  }

  #addMembers(path: string, value: object): void {
    if (value instanceof Map || value instanceof Set) {
      for (const [index, entry] of [...value].entries()) this.#add(`${path}<${index}>`, entry, '');
    }
    for (const key of Reflect.ownKeys(value)) {
      if (typeof value === 'function' && FUNCTION_KEYS.has(key)) continue;
      const at = Reflect.getOwnPropertyDescriptor(value, key);
      if (at === undefined) continue;
      const place = typeof key === 'symbol' ? `${path}[${String(key)}]` : `${path}.${key}`;
      this.#add(place, 'value' in at ? at.value : Reflect.get(value, key), attributesOf(at));
    }
  }
}

const FUNCTION_KEYS = new Set<PropertyKey>(['length', 'name', 'prototype', 'arguments', 'caller']);

function attributesOf(at: PropertyDescriptor): string {
  const attributes = [
    ...(at.enumerable ? [] : ['hidden']),
    ...(at.configurable ? [] : ['fixed']),
    ...('value' in at ? (at.writable ? [] : ['read-only']) : ['accessor']),
  ];
  return attributes.length === 0 ? '' : ` (${attributes.join(', ')})`;
}

function primitive(value: unknown, path: string): string {
  if (typeof value === 'string') return textOf(value);
  // axios measures how long the adapter took.
  if (DURATION.test(path) && typeof value === 'number') return 'a duration';
  return Object.is(value, -0) ? '-0' : typeof value === 'bigint' ? `${value}n` : String(value);
}

function textOf(text: string): string {
  return text.length > LONGEST_TEXT
    ? `${JSON.stringify(text.slice(0, LONGEST_TEXT))}… ${text.length} characters, ${hashOf(text)}`
    : JSON.stringify(text);
}

function hashOf(content: string | Buffer): string {
  return createHash('sha1').update(content).digest('hex');
}

/** The class of an object, what it contains besides its members, and whether it can be changed. */
function kindOf(value: object): string {
  const state = Object.isFrozen(value) ? ' frozen' : Object.isExtensible(value) ? '' : ' not extensible';
  return `${classOf(value)}${contentOf(value)}${state}`;
}

function classOf(value: object): string {
  if (typeof value === 'function') return `function ${value.name}/${value.length} #${numberOf(value)}`;
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null) return 'null prototype';
  if (prototype === Object.prototype) return 'Object';
  const maker: unknown = Object.hasOwn(prototype, 'constructor')
    ? Reflect.get(prototype, 'constructor')
    : undefined;
  // A prototype without a class was made for one object.
  return typeof maker === 'function'
    ? `${maker.name} #${numberOf(prototype)}`
    : `inherits from ${classOf(prototype)}`;
}

function contentOf(value: object): string {
  const bytes = bytesOf(value);
  if (bytes) {
    const shared = ArrayBuffer.isView(value) && value.byteLength !== value.buffer.byteLength;
    return ` of ${bytes.length} bytes, ${hashOf(bytes)} ${bytes.toString('latin1', 0, 40)}${shared ? ', a part of more' : ''}`;
  }
  if (Array.isArray(value)) return ` of ${value.length}`;
  if (value instanceof Date || value instanceof RegExp) return ` ${String(value)}`;
  if (value instanceof URLSearchParams) return ` ${value.toString()}`;
  if (value instanceof AbortSignal) return ` aborted: ${value.aborted}`;
  return types.isBoxedPrimitive(value) ? ` ${String(value.valueOf())}` : '';
}

function bytesOf(value: object): Buffer | undefined {
  if (types.isAnyArrayBuffer(value)) return Buffer.from(value);
  return ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : undefined;
}

/** Objects whose members are details of Node, or were shown as content. */
function isOpaque(value: object): boolean {
  return (
    value instanceof Readable ||
    value instanceof AbortSignal ||
    value instanceof URLSearchParams ||
    types.isPromise(value) ||
    bytesOf(value) !== undefined
  );
}
