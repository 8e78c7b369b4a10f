import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { format, inspect, type InspectOptions } from 'node:util';

export interface Rendering {
  readonly how: string;
  readonly text: string;
}

const WITHOUT_LIMITS: InspectOptions = {
  depth: null,
  maxArrayLength: null,
  maxStringLength: null,
  breakLength: Infinity,
};

/** The texts that a logger, a template or an error page might make of a value. */
export function renderings(value: unknown): Rendering[] {
  const ways: [string, () => string][] = [
    ['String', () => String(value)],
    ['JSON.stringify', () => JSON.stringify(value) ?? ''],
    ['JSON.stringify without circles', () => JSON.stringify(value, circlesCut()) ?? ''],
    ['JSON.stringify of own properties', () => JSON.stringify(ownProperties(value), circlesCut()) ?? ''],
    ['inspect', () => inspect(value)],
    ['inspect to the depth', () => inspect(value, WITHOUT_LIMITS)],
    ['inspect with hidden', () => inspect(value, { ...WITHOUT_LIMITS, showHidden: true, getters: true })],
    [
      'inspect as it is',
      () => inspect(value, { ...WITHOUT_LIMITS, showHidden: true, getters: true, customInspect: false }),
    ],
    ['inspect with proxies', () => inspect(value, { ...WITHOUT_LIMITS, showProxy: true })],
    ['format %s', () => format('%s', value)],
    ['format %o', () => format('%o', value)],
    ['format %O', () => format('%O', value)],
    ['format %j', () => format('%j', value)],
    ['console', () => printed(value)],
    ['stack', () => (value instanceof Error ? String(value.stack) : '')],
  ];
  return ways.map(([how, render]) => ({ how, text: attempted(render) }));
}

/** The message of a failed attempt is a text too. For example, JSON quotes the path to a circle. */
function attempted(render: () => string): string {
  try {
    return render();
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

function printed(value: unknown): string {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done): void {
      text += chunk.toString();
      done();
    },
  });
  const console = new Console({ stdout: stream, stderr: stream, inspectOptions: { depth: 20 } });
  console.log(value);
  console.error('failed:', value);
  console.dir(value, { depth: 20 });
  if (typeof value === 'object' && value !== null) console.table(value);
  return text;
}

function circlesCut(): (key: string, value: unknown) => unknown {
  const seen = new Set<unknown>();
  return (_key, value) => {
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return '[seen]';
    seen.add(value);
    return value;
  };
}

/** All own properties, also those that are not enumerable. Some loggers print errors as JSON in this way. */
function ownProperties(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.getOwnPropertyNames(value).map((key) => [key, (value as Record<string, unknown>)[key]]),
  );
}
