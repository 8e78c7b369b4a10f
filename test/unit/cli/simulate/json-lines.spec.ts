import { expect, it } from 'vitest';
import { JsonLines } from '../../../../lib/cli/simulate/json-lines.js';

it('B25: with --json, each event is one JSON object in a line', () => {
  let text = '';
  const lines = new JsonLines({ write: (more) => (text += more) });
  const counts = {
    tokenRequests: 1,
    apiRequests: 0,
    failed: 0,
    failedTokenRequests: 0,
    failedCalls: 0,
    recovered: 0,
    unsent: 0,
    early: 0,
  };
  const started = { origin: 'o', settings: 's', ca: 'c', command: 'n', control: 'a', page: 'p' };
  const request = {
    id: 1,
    at: 'now',
    kind: 'token',
    method: 'POST',
    path: '/token',
    reason: 'two\nlines',
    ok: true,
    durationMs: 1,
    count: 1,
  } as const;
  const fault = { at: 'now', by: 'key', chain: 'token.revokeAll()', result: 2 } as const;
  lines.started(started);
  lines.request(request, counts);
  lines.fault(fault);
  lines.scenario('Over.');
  lines.cleared(counts);
  lines.ended(counts);
  expect(text.endsWith('\n')).toBe(true);
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { event: 'started', ...started },
    { event: 'request', ...request, counts },
    { event: 'fault', ...fault },
    { event: 'scenario', text: 'Over.' },
    { event: 'cleared', counts },
    { event: 'ended', counts },
  ]);
});
