import { isIP } from 'node:net';
import { isObject } from '../values/is-object.js';
import { memberOf } from '../values/member-of.js';
import { safely } from '../values/safely.js';
import { type IoredisClient, ioredisRunner, isIoredisClient } from './ioredis-client.js';
import { isNodeRedisClient, type NodeRedisClient, nodeRedisRunner } from './node-redis-client.js';
import type { RunScript } from './run-script.js';

/** What `RedisTokenStore` takes: a client of a known kind, or a function for any other client. */
export type RedisClient = IoredisClient | NodeRedisClient | RunScript;

/**
 * How this client runs a script. Undefined if the store does not know this kind of client. The kind is recognised by its
 * shape: no driver is imported, and two installed versions of a driver make no difference.
 *
 * @param withinMs how long a script waits for a client that connects.
 */
export function runnerOf(client: unknown, withinMs: number): RunScript | undefined {
  return safely(() => {
    if (isScriptFunction(client)) return functionRunner(client);
    if (typeof client !== 'object' || client === null) return undefined;
    if (isIoredisClient(client)) return ioredisRunner(client, withinMs);
    if (isNodeRedisClient(client)) return nodeRedisRunner(client, withinMs);
    return undefined;
  }, undefined);
}

/**
 * The host and port of a client of a single Redis, for the log. Undefined for other clients: a cluster has many hosts.
 * Only what is a host is given, because someone may write a whole URL there, with its password.
 */
export function hostOf(client: object): string | undefined {
  return safely(() => {
    const options = objectIn(client, 'options');
    const place = objectIn(options, 'socket') ?? options;
    if (place === undefined || memberOf(place, 'path') || memberOf(place, 'sentinels')) return undefined;
    const [host, port] = [memberOf(place, 'host'), memberOf(place, 'port')];
    if (typeof host !== 'string' || (isIP(host) === 0 && !/^[\w.-]{1,253}$/.test(host))) return undefined;
    const name = isIP(host) === 6 ? `[${host}]` : host;
    return typeof port === 'number' ? `${name}:${port}` : name;
  }, undefined);
}

function objectIn(owner: object | undefined, name: string): object | undefined {
  const member = owner && memberOf(owner, name);
  return isObject(member) ? member : undefined;
}

/** What is wrong with a client that the store does not know, and how to fix it. The text contains no value. */
export function problemOf(client: unknown): string {
  return `must be a client of ioredis 5 or newer, of iovalkey, or of node-redis 5 or newer (client, pool, cluster or sentinel), or a function (script, keys, args) that runs a Lua script. ${safely(() => adviceFor(client), OTHER_CLIENT)}`;
}

const OTHER_CLIENT = 'Wrap any other client in such a function.';

function adviceFor(client: unknown): string {
  if (client === undefined || client === null) return 'Create a client and pass it.';
  if (typeof client === 'function') {
    return isClass(client)
      ? 'This is a class: create a client and pass it.'
      : 'This function has members, so it belongs to another library: pass an arrow function.';
  }
  if (typeof client !== 'object')
    return 'This is an address or another plain value: create a client and pass it.';
  if (typeof Reflect.get(client, 'then') === 'function')
    return 'This is a promise: await it, and pass the client that it resolves with.';
  return OTHER_CLIENT;
}

/** The members of every function. A function in sloppy mode has the last two. */
const OF_EVERY_FUNCTION = new Set<PropertyKey>(['length', 'name', 'prototype', 'arguments', 'caller']);

/**
 * Whether this is a plain function. A driver's class cannot be called, and a function with members is the client of some
 * other library: an axios instance, for example.
 */
function isScriptFunction(value: unknown): value is RunScript {
  return (
    typeof value === 'function' &&
    !isClass(value) &&
    Reflect.ownKeys(value).every((key) => OF_EVERY_FUNCTION.has(key))
  );
}

/** Also a class that was compiled to a function, if it has methods, and a generator. Arrow functions have no prototype. */
function isClass(value: Function): boolean {
  const prototype = Reflect.getOwnPropertyDescriptor(value, 'prototype');
  if (prototype === undefined) return false;
  if (prototype.writable !== true) return true;
  const given: unknown = prototype.value;
  return (
    typeof given !== 'object' ||
    given === null ||
    Reflect.ownKeys(given).some((key) => key !== 'constructor') ||
    !Object.hasOwn(given, 'constructor')
  );
}

/** An async function, so that a function that throws is treated as a function that rejects. */
function functionRunner(run: RunScript): RunScript {
  return async (script, keys, args) => run(script, keys, args);
}
