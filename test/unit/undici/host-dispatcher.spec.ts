import { Logger } from '@nestjs/common';
import { expect, it, onTestFinished, vi } from 'vitest';

const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

const ofUndici8 = { constructor: { wrapHandler: () => undefined } };
const other = {};

const registered = (): unknown => Reflect.get(globalThis, DISPATCHER);
const register = (dispatcher: unknown): boolean => Reflect.set(globalThis, DISPATCHER, dispatcher);

function redefine(target: object, name: string, property: PropertyDescriptor): void {
  const original = Object.getOwnPropertyDescriptor(target, name) ?? {};
  Object.defineProperty(target, name, { configurable: true, ...property });
  onTestFinished(() => void Object.defineProperty(target, name, original));
}

interface Case {
  readonly nodesUndici?: string;
  readonly hasFetch?: boolean;
  /** The dispatcher that another module registered before. */
  readonly earlier?: object;
  /** The dispatcher that undici registers when it is imported. */
  readonly later?: object;
}

/** Imports our entry. Node registers its own dispatcher when `Headers` is read for the first time, unless there is one. */
async function importEntry({ nodesUndici = '6.21.0', hasFetch = true, earlier, later }: Case) {
  const { Headers } = globalThis;
  const original = registered();
  const ofNode = {};
  const get = (): unknown => (registered() === undefined && register(ofNode), Headers);
  register(earlier);
  redefine(globalThis, 'Headers', hasFetch ? { get } : { value: undefined });
  redefine(process, 'versions', { value: { ...process.versions, undici: nodesUndici } });
  vi.resetModules();
  vi.doMock('undici', async (importOriginal) => {
    if (later) register(later);
    return importOriginal<object>();
  });
  onTestFinished(() => {
    register(original);
    vi.doUnmock('undici');
    vi.resetModules();
  });
  return { ofNode, ...(await import('../../../lib/undici/index.js')) };
}

it.each<[name: string, given: Case, dispatcher: object | 'of Node', warnings: number]>([
  ['undici replaces the dispatcher', { later: ofUndici8 }, 'of Node', 1],
  ['undici leaves the dispatcher alone', {}, 'of Node', 0],
  ['another module imported undici 8 before', { earlier: ofUndici8 }, ofUndici8, 1],
  [
    'the fetch of Node works with the dispatcher of undici 8',
    { earlier: ofUndici8, nodesUndici: '7.0.0' },
    ofUndici8,
    0,
  ],
  ['another module registered its dispatcher', { earlier: other }, other, 0],
  ['Node has no fetch', { hasFetch: false, later: other }, other, 0],
])(
  'B27: our entry leaves the dispatcher of Node in place, or warns once where it cannot: %s',
  async (_, given, dispatcher, warnings) => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const { ofNode, undiciTransport } = await importEntry(given);
    expect(registered()).toBe(dispatcher === 'of Node' ? ofNode : dispatcher);
    const transport = undiciTransport();
    expect(warn).not.toHaveBeenCalled();
    const text =
      "undici 8 replaces the dispatcher of this Node's own fetch (nodejs/undici#5500): then requests that set " +
      'Content-Length fail. The import of nestjs-provider-auth/undici puts the old dispatcher back, other imports do not. ' +
      'Install undici@7.';
    for (const environment of ['sandbox', 'production'] as const) {
      transport.open({ interface: 'easy', environment });
      expect(warn.mock.calls).toEqual(Array.from({ length: warnings }, () => [text]));
    }
  },
);
