import { beforeAll, beforeEach, expect } from 'vitest';
import type { CapturedLogs } from '../secrets/captured-logs.js';
import type { FleetNode } from './fleet-node.js';

/** Renews until the log says that the store works again. The process must notice this by itself. */
export async function renewUntilStoreWorks(node: FleetNode, logs: CapturedLogs): Promise<void> {
  const linesAfterRenewal = async (): Promise<string[]> => {
    await node.renewed();
    return logs.of('ProviderAuth');
  };
  await expect
    .poll(linesAfterRenewal, { timeout: 30_000, interval: 50 })
    .toContainEqual(expect.stringMatching(/^log The token store works again\. \(STORE_RECOVERED(, .+)?\)$/));
}

/** The rejections that no code has handled in the current test. */
export function collectUnhandledRejections(): readonly unknown[] {
  const reasons: unknown[] = [];
  beforeAll(() => {
    process.on('unhandledRejection', (reason) => reasons.push(reason));
  });
  beforeEach(() => {
    reasons.length = 0;
  });
  return reasons;
}
