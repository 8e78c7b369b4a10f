import { describe, expect, it } from 'vitest';
import { headerTracing } from '../../../lib/module/boot-report.js';

const warnings = (environment: NodeJS.ProcessEnv) =>
  headerTracing(environment).map((text) => text.split(' ')[0]);

describe('S10: warns of an environment that prints request headers', () => {
  it.each(['http', 'HTTPS', 'net', 'fs,http', '*', 'ht*', 'tls http', ' tls , net '])(
    'NODE_DEBUG=%s',
    (value) => {
      expect(warnings({ NODE_DEBUG: value })).toEqual(['NODE_DEBUG']);
    },
  );

  it.each(['follow-redirects', '*', 'express:*,follow-*', '*redirects'])('DEBUG=%s', (value) => {
    expect(warnings({ DEBUG: value })).toEqual(['DEBUG']);
  });

  it.each([
    {},
    { NODE_DEBUG: '' },
    { NODE_DEBUG: 'tls,stream,undici' },
    { NODE_DEBUG: 'http2' },
    { DEBUG: 'express:*' },
    { DEBUG: 'fastify:*,foo,express:*' },
    { DEBUG: '-follow-redirects' },
    { DEBUG: '-*' },
    { NODE_DEBUG: ' , ' },
    { NODE_DEBUG: 'http.,(' },
  ])('but not of %j', (environment) => {
    expect(warnings(environment)).toEqual([]);
  });

  it('S10: says what is printed, and what to do', () => {
    expect(headerTracing({ NODE_DEBUG: 'http' })).toEqual([
      'NODE_DEBUG prints the headers of every request, including access tokens and client secrets. Unset it outside of development.',
    ]);
  });

  it('and never repeats what the variable holds', () => {
    expect(headerTracing({ NODE_DEBUG: 'http,canary' }).join()).not.toContain('canary');
  });
});
