import { createHash, createPrivateKey } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { fixedCredentials, quotedPath, settingsLine } from '../../../../lib/cli/simulate/settings-file.js';

const EASY = { interface: 'easy', environment: 'sandbox' };

const digestOf = (names: string) => createHash('sha256').update(`provider-auth simulate ${names}`).digest();

it.each([
  [EASY, 'easy sandbox', 'easy-sandbox-simulated'],
  [{ ...EASY, account: 'merchant-1' }, 'easy sandbox merchant-1', 'easy-sandbox-merchant-1-simulated'],
  [{ interface: 'stock', environment: 'test' }, 'stock test', 'stock-test-simulated'],
])('B25: the simulated pair %j has its own credentials, the same at each start', (pair, names, clientId) => {
  const digest = digestOf(names);
  const hex = digest.toString('hex');
  const [one, two, three, four] = hex.slice(0, 48).match(/.{12}/g) ?? [];
  const credentials = fixedCredentials(pair);
  expect(credentials).toEqual({
    clientId,
    clientSecret: `${one}+%/${two}+%=${three}+%=${four}`,
    clientKey: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----\n[^-]+\n-----END PRIVATE KEY-----\n$/),
  });
  const { kty, crv, d } = createPrivateKey(credentials.clientKey ?? '').export({ format: 'jwk' });
  expect({ kty, crv, d }).toEqual({ kty: 'EC', crv: 'P-256', d: digest.toString('base64url') });
});

it('B25: a value and a path are in quotes if a shell would change them', () => {
  expect(settingsLine(['A', 'b_1/c.pem'])).toBe('A=b_1/c.pem\n');
  expect(settingsLine(['A', 'b c'])).toBe("A='b c'\n");
  for (const [platform, quote] of Object.entries({ linux: "'", win32: '"' })) {
    vi.stubGlobal('process', { platform });
    const quoted = ['a_1/b.env', 'a b'].map(quotedPath);
    vi.unstubAllGlobals();
    expect(quoted).toEqual(['a_1/b.env', `${quote}a b${quote}`]);
  }
});
