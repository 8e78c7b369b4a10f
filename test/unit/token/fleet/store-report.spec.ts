import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreReport } from '../../../../lib/token/fleet/store-report.js';

const retryAt = new Date(1_000_000);

function given() {
  const lines: string[] = [];
  const report = new StoreReport({
    warn: (line) => void lines.push(`warn ${line}`),
    log: (line) => void lines.push(`log ${line}`),
  });
  const heard: unknown[] = [];
  const listen = (event: unknown): void => void heard.push(event);
  subscribe('provider-auth:store-state', listen);
  onTestFinished(() => void unsubscribe('provider-auth:store-state', listen));
  return { lines, heard, report };
}

describe('the report on a store', () => {
  it('B10: says why it fails, what that means and what to do, and tells who listens', () => {
    const { lines, heard, report } = given();
    report.failing('ECONNREFUSED', retryAt);
    expect(lines).toEqual([
      'warn The token store fails (ECONNREFUSED). Requests go on: this process asks for its own tokens and tries ' +
        'the store again by itself. Check the store and the connection to it.',
    ]);
    expect(heard).toEqual([{ state: 'failing', why: 'ECONNREFUSED', retryAt }]);
  });

  it('B10: says when it is back', () => {
    const { lines, heard, report } = given();
    report.recovered();
    expect(lines).toEqual(['log The token store works again.']);
    expect(heard).toEqual([{ state: 'recovered' }]);
  });
});
