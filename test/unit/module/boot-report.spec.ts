import { Logger } from '@nestjs/common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  clientSecretOf,
  fixedSource,
  sourceOf,
  type SecretSource,
} from '../../../lib/secrets/secret-source.js';
import type { TokenStore } from '../../../lib/config/options/token-store.js';
import { ClientCredential } from '../../../lib/secrets/client-credential.js';
import { reportBoot } from '../../../lib/module/boot-report.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { profileOf, SteeredSecret } from '../../support/token/token-fixtures.js';

type Reported = Parameters<typeof reportBoot>[0];

const store = {} as TokenStore;

function reportOf(settings: Reported): string[] {
  const logs = new CapturedLogs();
  Logger.overrideLogger(logs);
  onTestFinished(() => Logger.overrideLogger(false));
  reportBoot(settings);
  return logs.of('ProviderAuth');
}

const secretOf = (length: number): SecretSource => fixedSource(new ClientCredential('x'.repeat(length)));

const passive = (further: Parameters<typeof profileOf>[0]) => profileOf({ active: false, ...further });

const active = profileOf({
  baseUrl: 'https://api.example/canary/v1',
  tokenUrl: 'https://login.example:8443/token?tenant=canary',
  clientSecret: secretOf(16),
});

const ACTIVE = 'log easy sandbox is active (API: api.example, token URL: login.example:8443';

const SHORT =
  'warn The client secret of easy sandbox has fewer than 16 characters. Entries in the token store are sealed with a ' +
  'key made from it, so a reader of the store can guess it. Ask the provider for a longer secret, or make sure ' +
  'that only this application can read the store.';

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
      'B11: warns of a secret that a reader of the store could guess',
      [SHORT],
      { profiles: [passive({ clientSecret: secretOf(15) })], store },
    ],
    ['B11: accepts a long secret', [], { profiles: [passive({ clientSecret: secretOf(16) })], store }],
    [
      'B11: accepts a short secret without a store',
      [],
      { profiles: [passive({ clientSecret: secretOf(1) })] },
    ],
    [
      'B32: accepts a short assertion, which seals nothing',
      [],
      { profiles: [passive({ clientSecret: secretOf(1), credential: 'assertion' })], store },
    ],
    [
      'B11: does not know a secret that was not read at boot',
      [],
      { profiles: [passive({ clientSecret: new SteeredSecret() })], store },
    ],
    [
      'S5: has one warning for an interface whose environments have one secret, for the first of them',
      [SAME('sandbox'), SAME('production')],
      { profiles: [same('sandbox'), same('production'), same('sandbox', 'originations')] },
    ],
  ])('%s', (_, expected, settings) => {
    expect(reportOf(settings)).toEqual(expected);
  });

  it('B11: calls no function for a secret', () => {
    const read = vi.fn<() => string>(() => 'a');
    const clientSecret = sourceOf(read, { path: 'clientSecret', env: undefined }, clientSecretOf(undefined));
    expect(reportOf({ profiles: [passive({ clientSecret: clientSecret as SecretSource })], store })).toEqual(
      [],
    );
    expect(read).not.toHaveBeenCalled();
  });

  it('S10: warns of a variable that makes Node print headers', () => {
    const before = process.env;
    process.env = { NODE_DEBUG: 'http' };
    onTestFinished(() => {
      process.env = before;
    });
    expect(reportOf({ profiles: [] })).toEqual([
      expect.stringMatching(/^warn NODE_DEBUG prints the headers of every request/),
    ]);
  });

  it('B29: lets each certificate say when it ends', () => {
    const warnOfEnd = vi.fn<() => void>();
    const tls = { warnOfEnd } as unknown as NonNullable<typeof active.tls>;
    reportOf({ profiles: [active, { ...active, tls }] });
    expect(warnOfEnd).toHaveBeenCalledOnce();
  });
});
