import { inspect, isDeepStrictEqual } from 'node:util';
import { type KnownObjects, portraitOf } from './portrait.js';

type Result = Record<string, unknown>;

/**
 * What a caller does first with a result. A result may make its members late, so each way to look comes first in some calls.
 * The portrait of the whole result comes after it.
 */
export const FIRST_LOOKS = {
  portrait: () => 'the portrait is the first look',
  inspect: (result) => inspect(result),
  JSON: (result) => JSON.stringify(result),
  spread: (result, known) => portraitOf({ ...result }, known, 'spread'),
  'all that inspect finds': (result) => inspect(result, EVERYTHING),
  clone: (result) => inspect(structuredClone(result), DEEP),
  'clones of members': (result) =>
    Object.keys(result).map(
      (name) => `${name}: ${String(attempt(() => inspect(structuredClone(result[name]), DEEP)))}`,
    ),
  'names of own members': (result) => Object.keys(result).join(),
  'names of all members': (result) => {
    const names = [];
    for (const name in result) names.push(name);
    return names.join();
  },
  'own properties': (result, known) =>
    portraitOf(Object.getOwnPropertyDescriptors(result), known, 'properties'),
  'deep equality': (result) => [
    isDeepStrictEqual(result, { ...result }),
    isDeepStrictEqual({ ...result }, Object.assign({}, result)),
    isDeepStrictEqual(result['config'], structuredCloneOfPlain(result['config'])),
  ],
  'a config of the application': (result, known) => {
    const own = { mine: true };
    result['config'] = own;
    return portraitOf(result, known, 'changed');
  },
  'without config': (result, known) => {
    delete result['config'];
    return portraitOf(result, known, 'without config');
  },
  text: (result) => Reflect.apply(String, undefined, [result]),
  toJSON: (result) => inspect((result['toJSON'] as (() => unknown) | undefined)?.call(result), DEEP),
  'config alone': ({ config }, known) => [inspect(config), ...portraitOf(config, known, 'config')],
  'headers as JSON': ({ headers, response }) =>
    JSON.stringify([headers, (response as Result | undefined)?.['headers']]),
  'has own config': (result) => ['config' in result, Object.hasOwn(result, 'config'), 'toString' in result],
} satisfies Record<string, (result: Result, known: KnownObjects) => unknown>;

const DEEP = { depth: 6, maxArrayLength: 20, maxStringLength: 200 };
const EVERYTHING = { depth: Infinity, showHidden: true, maxArrayLength: 20, maxStringLength: 200 };

/**
 * What the look shows, as text that depends neither on the time that the call took, nor on the numbers that Node gives to promises
 * once anything in this process, such as an earlier spec, has used `AsyncLocalStorage`.
 */
export function firstLook(look: keyof typeof FIRST_LOOKS, result: unknown, known: KnownObjects): string {
  if (typeof result !== 'object' || result === null) return inspect(result);
  const shown = attempt(() => FIRST_LOOKS[look](result as Result, known));
  return (Array.isArray(shown) ? shown.join('\n') : String(shown))
    .replaceAll(/("?duration"?: ?)\d+/g, '$1<ms>')
    .replaceAll(/(\[Symbol\((?:trigger_)?async_id_symbol\)\]: )\d+/g, '$1<number>');
}

function attempt(look: () => unknown): unknown {
  try {
    return look();
  } catch (error) {
    return `throws ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
  }
}

/** Functions are the same in the copy. */
function structuredCloneOfPlain(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? Object.assign({}, value) : value;
}
