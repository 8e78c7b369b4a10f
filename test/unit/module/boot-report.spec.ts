import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MountedFile } from '../../../lib/config/secret-sources/mounted-file.js';
import { clientSecretOf, fixedSource, sourceOf } from '../../../lib/config/secret-sources/secret-sources.js';
import type { TokenStore } from '../../../lib/config/options/token-store.js';
import { ClientCredential, type SecretSource } from '../../../lib/secrets/client-credential.js';
import { reportBoot } from '../../../lib/module/boot-report.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { profileOf, SteeredSecret } from '../../support/token/token-fixtures.js';

const store = {} as TokenStore;

function checkedSource(value: unknown): SecretSource {
  const source = sourceOf(value, { path: 'clientSecret', env: undefined }, clientSecretOf(undefined));
  if (typeof source === 'string') throw new Error(source);
  return source;
}

function reportOf(settings: Parameters<typeof reportBoot>[0]): string[] {
  const logs = new CapturedLogs();
  Logger.overrideLogger(logs);
  onTestFinished(() => Logger.overrideLogger(false));
  reportBoot(settings);
  return logs.of('ProviderAuth');
}

function warnings(clientSecret: SecretSource, further: Parameters<typeof profileOf>[0] = {}): string[] {
  return reportOf({ profiles: [profileOf({ clientSecret, active: false, ...further })], store });
}

describe('B11: a client secret that a reader of the store could guess', () => {
  it('is reported at boot, without its value and its length', () => {
    const expected =
      'warn The client secret of easy sandbox has fewer than 16 characters. Entries in the token store are sealed with a ' +
      'key made from it, so a reader of the store can guess it. Ask the provider for a longer secret, or make sure ' +
      'that only this application can read the store.';
    expect(warnings(fixedSource(new ClientCredential('password')))).toEqual([expected]);
    expect(warnings(fixedSource(new ClientCredential('x'.repeat(15))))).toEqual([expected]);
  });

  it('is not reported if it is long, or if no store shares the tokens', () => {
    expect(warnings(fixedSource(new ClientCredential('x'.repeat(16))))).toEqual([]);
    const short = profileOf({ clientSecret: fixedSource(new ClientCredential('a')), active: false });
    expect(reportOf({ profiles: [short] })).toEqual([]);
  });

  it('B32: is not reported for an assertion, which seals nothing', () => {
    const short = fixedSource(new ClientCredential('a'));
    expect(warnings(short, { credential: 'assertion' })).toEqual([]);
  });

  it('is not read from a function, and a secret that was not read at boot is not reported', () => {
    let calls = 0;
    const source = checkedSource(() => {
      calls += 1;
      return 'a';
    });
    expect(warnings(source)).toEqual([]);
    expect(calls).toBe(0);
    expect(warnings(new SteeredSecret())).toEqual([]);
  });

  it('B8: is reported for a file without reading the file a second time', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'short-secret-'));
    const file = join(directory, 'secret');
    await writeFile(file, 'fifteen letters\n');
    const source = checkedSource(new MountedFile(file, 'secret'));
    await rm(directory, { recursive: true });
    expect(warnings(source)).toHaveLength(1);
  });
});

const warning = (environment: string): string =>
  `warn interfaces.easy.sandbox.clientSecret has the same value as SECRET_BEFORE_${environment}. ` +
  'Each environment has its own credentials: put each in its place.';

const same = (environment: string, of = 'easy') =>
  profileOf({ interface: of, environment, active: false, sameSecretAs: `SECRET_BEFORE_${environment}` });

describe('B29: the report of a boot', () => {
  const long = fixedSource(new ClientCredential('x'.repeat(16)));
  const addresses = {
    baseUrl: 'https://api.example/canary/v1',
    tokenUrl: 'https://login.example:8443/token?tenant=canary',
    clientSecret: long,
  };
  const active = profileOf(addresses);

  it('B29: has a line for each active pair, with hosts only', () => {
    const passive = profileOf({ environment: 'production', active: false });
    const line = 'log easy sandbox is active (API: api.example, token URL: login.example:8443';
    expect(reportOf({ profiles: [active, passive] })).toEqual([`${line}).`]);
    expect(reportOf({ profiles: [active], store })).toEqual([`${line}, tokens shared by a store).`]);
  });

  it('S5: has one warning for an interface whose environments have one secret, for the first of them', () => {
    const profiles = [
      same('sandbox'),
      same('production'),
      same('sandbox', 'originations'),
      profileOf(addresses),
    ];
    expect(reportOf({ profiles }).slice(1)).toEqual([warning('sandbox'), warning('production')]);
  });

  it('B11: warns of a secret that a reader of the store could guess', () => {
    const short = profileOf({ ...addresses, clientSecret: fixedSource(new ClientCredential('a')) });
    expect(reportOf({ profiles: [short], store })).toEqual([
      expect.stringContaining('is active'),
      expect.stringContaining('has fewer than 16 characters'),
    ]);
  });

  it('S10: warns of a variable that makes Node print headers', () => {
    const before = process.env;
    process.env = { ...before, NODE_DEBUG: 'http' };
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

  it('B35: has one warning for all variables that look like ours', () => {
    expect(reportOf({ profiles: [], unknownVariables: ['PROVIDER_A', 'PROVIDER_B'] })).toEqual([
      'warn The module does not know these variables, and does not read them: PROVIDER_A, PROVIDER_B. Correct or remove them.',
    ]);
    expect(reportOf({ profiles: [], unknownVariables: [] })).toEqual([]);
    expect(reportOf({ profiles: [] })).toEqual([]);
  });
});
