import type { AxiosInstance } from 'axios';
import type { PlannedConfig } from './planned-config.js';

/** Names for what exists once for each path: the defaults of the client, and what the caller gave to the call. */
export function knownObjects(axios: AxiosInstance, planned?: PlannedConfig): Map<object, string> {
  const known = new Map<object, string>();
  if (planned) {
    name(known, 'given', planned.config);
    name(known, 'given.body', planned.body);
  }
  name(known, 'defaults', axios.defaults);
  return known;
}

function name(known: Map<object, string>, path: string, value: unknown): void {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!isObject || known.has(value)) return;
  known.set(value, path);
  if (ArrayBuffer.isView(value)) return;
  for (const [key, part] of Object.entries(value)) name(known, `${path}.${key}`, part);
}
