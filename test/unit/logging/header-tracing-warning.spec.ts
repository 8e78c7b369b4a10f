import { describe, expect, it } from 'vitest';
import { warnOfHeaderTracing } from '../../../lib/logging/header-tracing-warning.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';

function warnings(environment: NodeJS.ProcessEnv): string[] {
  const logs = new CapturedLogs();
  warnOfHeaderTracing(environment, logs);
  return logs.lines.map(({ level, text }) => `${level} ${text.split(' ')[0]}`);
}

describe('S10: warns of an environment that prints request headers', () => {
  it.each(['http', 'HTTPS', 'net', 'fs,http', '*', 'ht*', 'tls http', ' tls , net '])(
    'NODE_DEBUG=%s',
    (value) => {
      expect(warnings({ NODE_DEBUG: value })).toEqual(['warn NODE_DEBUG']);
    },
  );

  it.each(['follow-redirects', '*', 'express:*,follow-*'])('DEBUG=%s', (value) => {
    expect(warnings({ DEBUG: value })).toEqual(['warn DEBUG']);
  });

  it.each([
    {},
    { NODE_DEBUG: '' },
    { NODE_DEBUG: 'tls,stream,undici' },
    { NODE_DEBUG: 'http2' },
    { DEBUG: 'express:*' },
    { DEBUG: '-follow-redirects' },
    { DEBUG: '-*' },
    { NODE_DEBUG: ' , ' },
    { NODE_DEBUG: 'http.,(' },
  ])('but not of %j', (environment) => {
    expect(warnings(environment)).toEqual([]);
  });

  it('B24: once for a process, however many definitions there are, and names all that is printed', () => {
    const logs = new CapturedLogs();
    const environment = { NODE_DEBUG: 'http' };
    for (let definition = 0; definition < 3; definition += 1) warnOfHeaderTracing(environment, logs);
    expect(logs.lines.map(({ text }) => text)).toEqual([
      'NODE_DEBUG prints the headers of every request, including access tokens and client secrets. Unset it outside of development.',
    ]);
  });

  it('and never repeats what the variable holds', () => {
    const logs = new CapturedLogs();
    warnOfHeaderTracing({ NODE_DEBUG: 'http,canary' }, logs);
    expect(logs.text).not.toContain('canary');
  });
});
