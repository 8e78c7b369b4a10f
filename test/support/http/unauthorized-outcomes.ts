import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { onTestFinished } from 'vitest';

/** The outcomes of refused tokens from now on. */
export function givenOutcomes(): string[] {
  const outcomes: string[] = [];
  const add = (event: unknown): void => void outcomes.push((event as { outcome: string }).outcome);
  subscribe('provider-auth:http-unauthorized', add);
  onTestFinished(() => void unsubscribe('provider-auth:http-unauthorized', add));
  return outcomes;
}
