import { Logger } from '@nestjs/common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TokenStore } from '../../../lib/config/options/token-store.js';
import { headerTracing, reportBoot } from '../../../lib/module/boot-report.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { profileOf } from '../../support/token/token-fixtures.js';

type Reported = Parameters<typeof reportBoot>[0];

const store = {} as TokenStore;

function reportOf(settings: Reported): string[] {
  const logs = new CapturedLogs();
  Logger.overrideLogger(logs);
  onTestFinished(() => Logger.overrideLogger(false));
  reportBoot(settings);
  return logs.of('ProviderAuth');
}

const passive = (further: Parameters<typeof profileOf>[0]) => profileOf({ active: false, ...further });

const active = profileOf({
  baseUrl: 'https://api.example/canary/v1',
  tokenUrl: 'https://login.example:8443/token?tenant=canary',
});

const ACTIVE = 'log easy sandbox is active (API: api.example, token URL: login.example:8443';

const same = (environment: string, of = 'easy') =>
  passive({ interface: of, environment, sameSecretAs: `SECRET_BEFORE_${environment}` });

const SAME = (environment: string): string =>
  `warn interfaces.easy.sandbox.clientSecret has the same value as SECRET_BEFORE_${environment}. ` +
  'Each environment has its own credentials: put each in its place.';

describe('the report of a boot', () => {
  it.each<[string, string[], Reported]>([
    [
      'B29: has a line for each active pair, with hosts only',
      [`${ACTIVE}).`],
      { profiles: [active, passive({ environment: 'production' })] },
    ],
    [
      'B29: says that a store shares the tokens',
      [`${ACTIVE}, tokens shared by a store).`],
      { profiles: [active], store },
    ],
    [
      'S5: has one warning for an interface whose environments have one secret, for the first of them',
      [SAME('sandbox'), SAME('production')],
      { profiles: [same('sandbox'), same('production'), same('sandbox', 'originations')] },
    ],
  ])('%s', (_, expected, settings) => {
    expect(reportOf(settings)).toEqual(expected);
  });

  it('B29: lets each certificate say when it ends', () => {
    const warnOfEnd = vi.fn<() => void>();
    const tls = { warnOfEnd } as unknown as NonNullable<typeof active.tls>;
    reportOf({ profiles: [active, { ...active, tls }] });
    expect(warnOfEnd).toHaveBeenCalledOnce();
  });
});

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
