import { LONGEST_TIMEOUT_MS } from './number-rules.js';
import { UNREADABLE } from './object-reader.js';
import type { OptionsNode } from './options-node.js';
import { safely } from '../values/safely.js';
import type { TokenStore } from './options/token-store.js';

const OPERATIONS = ['claim', 'publish', 'release'] as const;

/** Reads `store`: an object with the functions of `TokenStore`. The functions are not called at boot. */
export function readStore(root: OptionsNode): TokenStore | undefined {
  const store = root.read('store');
  if (store === undefined || store === UNREADABLE) return undefined;
  if (isStore(store)) return store;
  root.refuse(
    'store',
    `must be a token store: an object with the functions ${OPERATIONS.join(', ')}, and a timeoutMs above 0 if it has one. Pass new RedisTokenStore(client), or leave it out.`,
  );
  return undefined;
}

function isStore(store: unknown): store is TokenStore {
  return safely(() => {
    if (typeof store !== 'object' || store === null) return false;
    const timeoutMs: unknown = Reflect.get(store, 'timeoutMs');
    const timely =
      timeoutMs === undefined ||
      (typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS);
    return timely && OPERATIONS.every((operation) => typeof Reflect.get(store, operation) === 'function');
  }, false);
}
