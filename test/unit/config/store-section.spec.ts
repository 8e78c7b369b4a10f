import { describe, expect, it } from 'vitest';
import { validateOptions } from '../../support/application/built-in.js';
import { ProviderAuthConfigError } from '../../../lib/errors/provider-auth-config.error.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';

function optionsWith(store: unknown): object {
  const credentials = { clientId: 'store-spec-client', clientSecret: 'store-spec-secret' };
  const address = { tokenUrl: 'https://a.example/auth/v0/connect/token', baseUrl: 'https://a.example/v1' };
  return { environment: 'sandbox', interfaces: { easy: { sandbox: { ...address, ...credentials } } }, store };
}

async function problemsOf(store: unknown): Promise<readonly { path: string; message: string }[]> {
  try {
    await validateOptions(optionsWith(store), {});
    return [];
  } catch (error) {
    if (error instanceof ProviderAuthConfigError) return error.problems;
    throw error;
  }
}

describe('C4: the option store', () => {
  it('may be left out', async () => {
    expect((await validateOptions(optionsWith(undefined), {})).store).toBeUndefined();
  });

  it('is handed on as it is', async () => {
    const store = new MemoryTokenStore();
    expect((await validateOptions(optionsWith(store), {})).store).toBe(store);
  });

  const half = { claim: () => {}, publish: () => {} };
  it.each([
    'redis://127.0.0.1',
    5,
    null,
    [],
    {},
    half,
    { ...half, release: 'no' },
    { ...half, release: () => {}, timeoutMs: 0 },
    { ...half, release: () => {}, timeoutMs: '250' },
    { ...half, release: () => {}, sealKey: 'canary' },
  ])('C4: is refused when it is no store', async (store) => {
    expect(await problemsOf(store)).toEqual([
      { path: 'store', message: expect.stringContaining('claim, publish, release') },
    ]);
  });
});
