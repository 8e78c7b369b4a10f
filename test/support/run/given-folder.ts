import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder that ends with the test. */
export function givenFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'provider-auth-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
