/** Where Node's own `fetch` finds its dispatcher, up to Node 24. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

// The first read of `Headers` loads Node's own undici. It registers its dispatcher, and later copies leave it there.
const before = typeof globalThis.Headers === 'function' ? registered() : undefined;

/**
 * Workaround: undici 8 replaces the dispatcher of Node's own `fetch` when it is imported. An older `fetch` does not work
 * well with the new dispatcher: a request that sets `Content-Length` itself fails (nodejs/undici#5500 and #5858; seen with
 * undici 8.12.4 on Node 22.23 and 24.0, not on 24.21 and 26.10). This function puts the old dispatcher back, and returns
 * whether that was necessary. `test/package/good-neighbour.spec.ts` and the matrix show it. This file can go when every
 * undici of the peer range leaves the dispatcher alone.
 */
export function restoreDispatcherOfHost(): boolean {
  return before !== undefined && before !== registered() && Reflect.set(globalThis, DISPATCHER, before);
}

/** Whether the `fetch` of this Node (which has undici 6) uses undici 8, because another module imported undici 8 earlier. */
export function hostFetchIsOnUndici8(nodesUndici = process.versions['undici'] ?? ''): boolean {
  const { constructor } = Object(registered()) as object;
  // Minifiers shorten the name of a class, but not those of its functions.
  return Number.parseInt(nodesUndici, 10) < 7 && 'wrapHandler' in constructor;
}

function registered(): unknown {
  return Reflect.get(globalThis, DISPATCHER);
}
