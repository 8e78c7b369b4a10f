import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Logger } from '@nestjs/common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LOG_CONTEXT } from '../../../lib/logging/safe-logger.js';
import { TroubleReport } from '../../../lib/token/trouble-report.js';
import { failureOf, profileOf } from '../../support/token/token-fixtures.js';

function givenReport() {
  const lines: string[] = [];
  const line = (level: string) => (message: unknown) => void lines.push(`${level} ${String(message)}`);
  const logger = { error: line('error'), warn: line('warn'), log: line('log') };
  return { lines, report: new TroubleReport(profileOf(), logger) };
}

describe('TroubleReport', () => {
  it('logs one line when a provider starts to fail and one line when it works again', () => {
    const { lines, report } = givenReport();
    report.obtained();
    expect(lines).toEqual([]);
    for (let count = 0; count < 100; count += 1) report.failed(failureOf());
    report.failed(failureOf('TOKEN_REJECTED'));
    expect(lines).toEqual([`error ${failureOf().message} (TOKEN_UNAVAILABLE, 127.0.0.1:9)`]);
    report.obtained();
    report.obtained();
    expect(lines.slice(1)).toEqual(['log Access tokens for easy sandbox are available again.']);
  });

  it('logs again when the provider fails again', () => {
    const { lines, report } = givenReport();
    report.failed(failureOf());
    report.obtained();
    report.failed(failureOf());
    expect(lines).toHaveLength(3);
  });

  it('logs what to do', () => {
    const { lines, report } = givenReport();
    report.failed(failureOf('TOKEN_REJECTED', { remedy: 'Check the client secret.' }));
    expect(lines[0]).toMatch(
      /^error No access token for easy sandbox: .* Check the client secret\. \(TOKEN_REJECTED, 127\.0\.0\.1:9\)$/,
    );
  });

  it('B3: logs that renewals pause, and that the API accepts tokens again', () => {
    const { lines, report } = givenReport();
    report.renewalsPaused();
    report.renewalsResumed();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^warn The API of easy sandbox refuses tokens that were just obtained\..* Set the base URL \(interfaces\.easy\.sandbox\.baseUrl\)/,
    );
    expect(lines[1]).toBe('log The API of easy sandbox accepts tokens again.');
  });

  it('logs through the logger of Nest, under the name of the library', () => {
    const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    new TroubleReport(profileOf()).failed(failureOf());
    expect(error).toHaveBeenCalledExactlyOnceWith(`${failureOf().message} (TOKEN_UNAVAILABLE, 127.0.0.1:9)`);
    expect(LOG_CONTEXT).toBe('ProviderAuth');
    expect(error.mock.contexts[0]).toMatchObject({ context: LOG_CONTEXT });
  });
});

describe('the event of a provider', () => {
  it('says that the provider fails, with code and end, and that it works again', () => {
    const received: unknown[] = [];
    const listen = (event: unknown): void => {
      received.push(event);
    };
    subscribe('provider-auth:provider-state', listen);
    onTestFinished(() => void unsubscribe('provider-auth:provider-state', listen));
    const { report } = givenReport();
    const retryAt = new Date(42);
    report.failed(failureOf().until(retryAt));
    report.failed(failureOf());
    report.obtained();
    const pair = { interface: 'easy', environment: 'sandbox' };
    expect(received).toEqual([
      { ...pair, state: 'failing', code: 'TOKEN_UNAVAILABLE', retryAt },
      { ...pair, state: 'recovered' },
    ]);
  });
});
