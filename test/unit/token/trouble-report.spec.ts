import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Logger } from '@nestjs/common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LOG_CONTEXT } from '../../../lib/logging/safe-logger.js';
import { TroubleReport } from '../../../lib/token/trouble-report.js';
import { failureOf, profileOf } from '../../support/token/token-fixtures.js';

function given() {
  const lines: string[] = [];
  const line = (level: string) => (message: unknown) => void lines.push(`${level} ${String(message)}`);
  const logger = { error: line('error'), warn: line('warn'), log: line('log') };
  return { lines, report: new TroubleReport(profileOf(), logger) };
}

describe('TroubleReport', () => {
  it('says one line when failing starts, one when it is over, nothing in between', () => {
    const { lines, report } = given();
    report.obtained();
    expect(lines).toEqual([]);
    for (let count = 0; count < 100; count += 1) report.failed(failureOf());
    report.failed(failureOf('TOKEN_REJECTED'));
    expect(lines).toEqual([`error ${failureOf().message}`]);
    report.obtained();
    report.obtained();
    expect(lines.slice(1)).toEqual(['log Access tokens for easy sandbox can be had again.']);
  });

  it('says so again when it fails again', () => {
    const { lines, report } = given();
    report.failed(failureOf());
    report.obtained();
    report.failed(failureOf());
    expect(lines).toHaveLength(3);
  });

  it('says what to do about it', () => {
    const { lines, report } = given();
    report.failed(failureOf('TOKEN_REJECTED', { remedy: 'Check the client secret.' }));
    expect(lines[0]).toMatch(/^error No access token for easy sandbox: .* Check the client secret\.$/);
  });

  it('B3: says that renewals are in vain, and that they are no longer', () => {
    const { lines, report } = given();
    report.refusedInVain();
    report.acceptedAgain();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^warn The API of easy sandbox refuses tokens that were just obtained\..* Set the base URL \(interfaces\.easy\.sandbox\.baseUrl\)/,
    );
    expect(lines[1]).toBe('log The API of easy sandbox accepts tokens again.');
  });

  it('speaks through the logger of Nest, under the name of the library', () => {
    const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    new TroubleReport(profileOf()).failed(failureOf());
    expect(error).toHaveBeenCalledExactlyOnceWith(failureOf().message);
    expect(LOG_CONTEXT).toBe('ProviderAuth');
    expect(error.mock.contexts[0]).toMatchObject({ context: LOG_CONTEXT });
  });
});

describe('the event of a provider', () => {
  it('tells that it fails, with code and end, and that it works again', () => {
    const heard: unknown[] = [];
    const listen = (event: unknown): void => {
      heard.push(event);
    };
    subscribe('provider-auth:provider-state', listen);
    onTestFinished(() => void unsubscribe('provider-auth:provider-state', listen));
    const { report } = given();
    const retryAt = new Date(42);
    report.failed(failureOf().until(retryAt));
    report.failed(failureOf());
    report.obtained();
    const pair = { interface: 'easy', environment: 'sandbox' };
    expect(heard).toEqual([
      { ...pair, state: 'failing', code: 'TOKEN_UNAVAILABLE', retryAt },
      { ...pair, state: 'recovered' },
    ]);
  });
});
