import { expect, it } from 'vitest';
import { jsonLines } from '../../../../lib/cli/simulate/json-lines.js';
import { WrittenText } from '../../../support/application/doctor-check.js';
import { NO_COUNTS } from '../../../support/application/shown-session.js';

it('B25: with --json, each event is one JSON object in a line', () => {
  const output = new WrittenText();
  const lines = jsonLines(output);
  const counts = { ...NO_COUNTS, tokenRequests: 1 };
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
  expect(output.text.endsWith('\n')).toBe(true);
  expect(
    output.text
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
