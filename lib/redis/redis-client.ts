import { errorMonitor } from 'node:events';
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { errorWord } from '../errors/error-code.js';
import { isObject, memberOf } from '../values/objects.js';
import { oncePer } from '../values/once-per.js';
import { safely } from '../values/safely.js';

/**
 * Runs a Lua script in Redis, as `EVAL` does, and resolves with the reply. Wrap any other client in such a function. A cluster
 * client chooses the node by the keys, which are all in one slot.
 */
export type RunScript = (script: string, keys: string[], args: string[]) => Promise<unknown>;

/** The methods that the store uses. `Redis` (a single node or Sentinel) and `Cluster` of ioredis have them, and iovalkey too. */
export interface IoredisClient {
  /** `ready` if commands can be sent at once. */
  readonly status: string;
  /** Runs a script, as Redis' `EVAL` does. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Connects a client that hasn't connected yet. Without this method, the client must connect with its first command. */
  connect?(): Promise<unknown>;
}

/** The members that the store uses. The client, the pool, the cluster and the sentinel of node-redis 5 and newer have them. */
export interface NodeRedisClient {
  /** Whether your app has called `connect()`, and hasn't closed the client since. */
  readonly isOpen: boolean;
  /** Whether commands can be sent at once. Absent in the pool and cluster of version 5. */
  readonly isReady?: boolean;
  /** Runs a script, as Redis' `EVAL` does. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /**
   * Shows that the client is version 5 or newer. The store never calls it, and reads replies in any type mapping, because
   * version 5's sentinel changes the mapping of the client itself.
   */
  withTypeMapping(typeMapping: object): unknown;
}

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
    // Async, so that a function that throws is treated as a function that rejects.
    if (isScriptFunction(client)) return async (script, keys, args) => client(script, keys, args);
    if (typeof client !== 'object' || client === null) return undefined;
    if (isIoredisClient(client)) return runnerOn(ofIoredis(client), withinMs);
    if (isNodeRedisClient(client)) return runnerOn(ofNodeRedis(client), withinMs);
    return undefined;
  }, undefined);
}

interface Connection {
  readonly client: object;
  /** Commands can be sent if it is `ready`. The store waits while it connects: an application often needs its first token then. */
  readonly state: () => 'ready' | 'connecting' | 'down';
  readonly run: RunScript;
}

/** How often the store looks whether a client has connected. The kinds and versions of clients have no event in common. */
const LOOK_EVERY_MS = 10;

/** Sends nothing to a client without a connection: a command that waits in its queue would run when no caller expects it. */
function runnerOn({ client, state, run }: Connection, withinMs: number): RunScript {
  const trouble = troubleOf(client);
  return async (script, keys, args) => {
    const until = performance.now() + withinMs;
    while (state() === 'connecting' && performance.now() < until)
      await pause(LOOK_EVERY_MS, undefined, { ref: false });
    const { code } = trouble;
    if (state() !== 'ready') throw Object.assign(new Error('NOT_CONNECTED'), code !== undefined && { code });
    trouble.code = undefined;
    return run(script, keys, args);
  };
}

/** Why a client has no connection, as far as its events say. */
interface ConnectionTrouble {
  /** The code of the last error since the client was seen ready. Of the error itself nothing is kept: it may hold a password. */
  code: string | undefined;
}

/**
 * Follows the events of a client. With `errorMonitor`, an `EventEmitter` without a listener for `error` still ends the process, as
 * the application decides. One listener for all stores: Node warns of more than ten.
 */
const troubleOf = oncePer((client: object): ConnectionTrouble => {
  const trouble: ConnectionTrouble = { code: undefined };
  const on: unknown = Reflect.get(client, 'on');
  if (typeof on === 'function')
    Reflect.apply(on, client, [errorMonitor, (error: unknown) => (trouble.code = errorWord(error))]);
  return trouble;
});

function hasMethods(client: object, ...names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(client, name) === 'function');
}

/** Only clients of this kind have a `status` that is text. */
function isIoredisClient(client: object): client is IoredisClient {
  return typeof Reflect.get(client, 'status') === 'string' && hasMethods(client, 'eval');
}

/** The statuses of a client that connects. `wait` is one of them, because a client may change its status a moment after `connect()`. */
const ON_THE_WAY = new Set(['wait', 'connecting', 'connect']);

function ofIoredis(client: IoredisClient): Connection {
  return {
    client,
    state() {
      const { status } = client;
      // Without `connect`, a lazy client connects with its first command.
      if (status === 'ready' || (status === 'wait' && client.connect === undefined)) return 'ready';
      // With `enableOfflineQueue: false`, a lazy client rejects the command with which it would connect.
      if (status === 'wait') client.connect?.().catch(() => {});
      return ON_THE_WAY.has(status) ? 'connecting' : 'down';
    },
    run: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
  };
}

/** Version 4 lacks `withTypeMapping`. Its clusters need other calls, and its legacy mode needs callbacks. */
function isNodeRedisClient(client: object): client is NodeRedisClient {
  return typeof Reflect.get(client, 'isOpen') === 'boolean' && hasMethods(client, 'eval', 'withTypeMapping');
}

function ofNodeRedis(client: NodeRedisClient): Connection {
  let wasReady = false;
  return {
    client,
    state() {
      if (!client.isOpen) return 'down';
      if (client.isReady !== false) return 'ready';
      // The store does not wait for a client that has lost its connection, or has failed to connect.
      return wasReady || troubleOf(client).code !== undefined ? 'down' : 'connecting';
    },
    // A client without `isReady` may queue the command. Its caller waits no longer than the deadline of the store, and gives back a
    // lease that comes later.
    run(script, keys, args) {
      wasReady = true;
      return client.eval(script, { keys, arguments: args });
    },
  };
}

/** The members of every function. A function in sloppy mode has the last two. */
const OF_EVERY_FUNCTION = new Set<PropertyKey>(['length', 'name', 'prototype', 'arguments', 'caller']);

/**
 * Whether this is a plain function. A driver's class cannot be called, and a function with members is the client of some
 * other library: an axios instance, for example.
 */
function isScriptFunction(value: unknown): value is RunScript {
  if (typeof value !== 'function' || isClass(value)) return false;
  return Reflect.ownKeys(value).every((key) => OF_EVERY_FUNCTION.has(key));
}

/** The prototype of a class cannot be replaced. An arrow function has none. */
function isClass(value: Function): boolean {
  return Reflect.getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
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

/** What is wrong with a client that the store does not know, and how to fix it. */
export const WRONG_CLIENT =
  'must be a client of ioredis 5 or newer, of iovalkey, or of node-redis 5 or newer (client, pool, cluster or sentinel), and not its class, ' +
  'its address or a promise of it, or a function (script, keys, args) that runs a Lua script. Wrap any other client in such a function.';
