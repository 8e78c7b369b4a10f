export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** An object that is no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}
