import { expect, it } from 'vitest';
import { UnrepeatableBodyWarning } from '../../../lib/http/unrepeatable-body-warning.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { HOUR } from '../../support/token/token-fixtures.js';

it('B29: a body that cannot be sent again is a warning the first time, and then at most once an hour', async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const pair = { interface: 'easy', environment: 'sandbox' } as const;
  const warning = new UnrepeatableBodyWarning(pair, 'api.example', clock, {
    warn: (line) => void lines.push(line),
  });
  for (let calls = 0; calls < 10; calls += 1) warning.notResent();
  expect(lines).toHaveLength(1);
  await clock.advance(HOUR - 1);
  warning.notResent();
  expect(lines).toHaveLength(1);
  await clock.advance(1);
  warning.notResent();
  warning.notResent();
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^A request to easy sandbox got a 401 .* \(BODY_NOT_REPLAYABLE, api\.example\)$/);
});
