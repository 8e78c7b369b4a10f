import { isObject } from '../values/is-object.js';
import { safely } from '../values/safely.js';

/** Where Node's own `fetch` finds its dispatcher: up to Node 24 at the first place, later at the second. */
const OF_PROCESS = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'].map((name) => Symbol.for(name));

/**
 * The dispatchers of a `fetch` that is given none. What undici 8 puts at the first place only passes requests on to the
 * dispatcher at the second place.
 */
export function dispatchersOfProcess(): object[] {
  return OF_PROCESS.map((place): unknown => Reflect.get(globalThis, place)).filter(
    (one): one is object => isObject(one) && !passesOn(one),
  );
}

/**
 * Whether a dispatcher is the one that undici 8 puts at the first place. A bundler that minifies shortens the name of its class
 * (B15), but not those of its functions.
 */
export function passesOn({ constructor }: Partial<object>): boolean {
  return typeof constructor === 'function' && 'wrapHandler' in constructor;
}

type Settings = readonly unknown[];
type Kept = ReadonlyMap<string | undefined, unknown>;

/**
 * The settings of the connections of an undici dispatcher. Undefined if it hides them: then it could accept any certificate
 * (S9). An `Agent` keeps its options under a symbol. Other dispatchers keep an agent there, as a `MockAgent` does, or only a
 * function that connects, as a `Pool` does.
 */
export function settingsOfDispatcher(dispatcher: unknown): Settings | undefined {
  // A dispatcher of the application may throw, or lead back to itself.
  return safely(() => settingsIn(dispatcher), undefined);
}

function settingsIn(dispatcher: unknown): Settings | undefined {
  if (!isObject(dispatcher)) return undefined;
  const kept = keptBy(dispatcher);
  // A proxy's agent has a function that connects. It uses these settings.
  if (kept.has('request tls settings'))
    return [kept.get('request tls settings'), kept.get('proxy tls settings')];
  // A `MockPool` gets its options from this agent.
  if (kept.has('mock agent')) return settingsIn(kept.get('mock agent'));
  const parts = [...kept.values()].filter(isDispatcher).map(settingsIn);
  if (kept.has('options')) parts.push(ownSettings(dispatcher, kept));
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
}

const symbolsOf = Object.getOwnPropertySymbols;

function keptBy(dispatcher: object): Kept {
  return new Map(
    symbolsOf(dispatcher).map((symbol) => [symbol.description, Reflect.get(dispatcher, symbol)]),
  );
}

function isDispatcher(value: unknown): boolean {
  return isObject(value) && typeof Reflect.get(value, 'dispatch') === 'function';
}

function ownSettings(dispatcher: object, kept: Kept): Settings | undefined {
  const options = kept.get('options');
  if (!isObject(options)) return undefined;
  const [connect, tls]: Settings = ['connect', 'tls'].map((name): unknown => Reflect.get(options, name));
  const hasOwnFunction = typeof connect === 'function' || kept.get('factory') !== factoryOfUndici(dispatcher);
  return hasOwnFunction ? undefined : [options, connect, tls];
}

/** What makes the pools of an agent by default. A factory of the application may give them other settings. */
function factoryOfUndici(dispatcher: object): unknown {
  // The class of undici has this method. The constructor of a subclass is never called.
  let prototype: unknown = Object.getPrototypeOf(dispatcher);
  while (isObject(prototype) && !symbolsOf(prototype).some(({ description }) => description === 'dispatch'))
    prototype = Object.getPrototypeOf(prototype);
  if (!isObject(prototype)) return undefined;
  return keptBy(Reflect.construct(prototype.constructor, []) as object).get('factory');
}
