import type { ShownRequest } from '../../../lib/cli/simulate/shown.js';

/** The moment after so many milliseconds. */
export const atMs = (ms: number): string => new Date(Date.UTC(2026, 0, 2, 3, 4, 5, ms)).toISOString();

/** A call that worked, but for these changes. Its number is also the moment when it arrived. */
export const shownCall = (id: number, changes: Partial<ShownRequest> = {}): ShownRequest => ({
  id,
  at: atMs(id),
  kind: 'api',
  interface: 'easy',
  environment: 'sandbox',
  method: 'GET',
  path: `/${id}`,
  status: 200,
  reason: 'valid token',
  ok: true,
  durationMs: 1,
  count: id,
  ...changes,
});
