import { Agent, setGlobalDispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  hostFetchIsOnUndici8,
  restoreDispatcherOfHost,
} from '../../../../lib/undici/pool/global-dispatcher.js';
import { warnOfUndici8 } from '../../../../lib/undici/pool/undici.js';
import { CapturedLogs } from '../../../support/secrets/captured-logs.js';

const REGISTRY = Symbol.for('undici.globalDispatcher.1');

/** Has the function of the class that undici 8 registers. In a minified bundle, the class has any name. */
class MinifiedWrapper extends Agent {
  static wrapHandler(): void {}
}

describe("the dispatcher of the host's fetch", () => {
  let before: unknown;

  beforeEach(() => {
    before = Reflect.get(globalThis, REGISTRY);
  });

  afterEach(() => {
    Reflect.set(globalThis, REGISTRY, before);
  });

  it('B27: is put back when an import has replaced it', () => {
    expect(restoreDispatcherOfHost()).toBe(false);
    Reflect.set(globalThis, REGISTRY, new MinifiedWrapper());
    expect(restoreDispatcherOfHost()).toBe(true);
    expect(Reflect.get(globalThis, REGISTRY)).toBe(before);
  });

  it.each([
    ['6.28.1', true],
    ['7.29.1', false],
    ['8.10.2', false],
    ['', false],
  ])('B27 B15: is of undici 8 on a Node with undici %s: %j', (nodesUndici, expected) => {
    setGlobalDispatcher(new Agent());
    expect(hostFetchIsOnUndici8(nodesUndici)).toBe(false);
    Reflect.set(globalThis, REGISTRY, new MinifiedWrapper());
    expect(hostFetchIsOnUndici8(nodesUndici)).toBe(expected);
  });

  it('B27: is of undici 8 or not by the undici of this Node', () => {
    Reflect.set(globalThis, REGISTRY, new MinifiedWrapper());
    expect(hostFetchIsOnUndici8()).toBe(Number.parseInt(process.versions['undici'] ?? '', 10) < 7);
  });

  it.each([undefined, null])('B27: is of no other undici if it is %s', (dispatcher) => {
    Reflect.set(globalThis, REGISTRY, dispatcher);
    expect(hostFetchIsOnUndici8('6.28.1')).toBe(false);
  });

  it('B27: is warned of, with what to install', () => {
    const logs = new CapturedLogs();
    warnOfUndici8(false, logs);
    expect(logs.lines).toEqual([]);
    warnOfUndici8(true, logs);
    expect(logs.lines).toHaveLength(1);
    const [{ level, text } = {}] = logs.lines;
    expect(level).toBe('warn');
    for (const words of ['nodejs/undici#5500', 'puts the old dispatcher back', 'Install undici@7'])
      expect(text).toContain(words);
  });
});
