import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CREDENTIAL_KINDS, signingKeySource } from '../../../lib/secrets/client-key.js';
import { MountedFile } from '../../../lib/secrets/mounted-file.js';
import { fileSource, type SecretSource } from '../../../lib/secrets/secret-source.js';
import { validateOptions } from '../../../lib/config/validate-options.js';
import { defineProvider, ProviderAuthConfigError } from '../../../lib/index.js';
import { requiredPartsOf } from '../../../lib/testing/any-provider.js';
import { ClientAuthority, type ClientCertificate } from '../../support/http/client-certificates.js';
import { MountedSecret } from '../../support/http/mounted-secret.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const PLACES = {
  clientKey: { path: 'clientKey', env: undefined },
  clientCertificate: { path: 'clientCertificate', env: undefined },
};

let first: ClientCertificate;
let second: ClientCertificate;

beforeAll(async () => {
  const authority = await ClientAuthority.create();
  [first, second] = await Promise.all([authority.issue('first'), authority.issue('second')]);
});

async function sourceOf(path: string, member: keyof typeof PLACES): Promise<SecretSource> {
  const file = new MountedFile(path, 'secret');
  const source = await fileSource(file, PLACES[member], CREDENTIAL_KINDS[member]());
  if (typeof source === 'string') throw new Error(source);
  return source;
}

it('B31: a certificate file that does not belong to the key file is named in the error', async () => {
  const volume = new MountedSecret(first);
  const source = signingKeySource({
    key: await sourceOf(volume.files.key, 'clientKey'),
    certificate: await sourceOf(volume.files.cert, 'clientCertificate'),
    assertion: { certificate: 'x5c' },
    keyId: undefined,
    placeOf: (member) => PLACES[member],
  });
  expect((await source.read()).certificate).toBe(first.cert.trim());
  volume.replace({ key: first.key, cert: second.cert });
  expect(String(await errorOf(source.read()))).toMatch(
    /clientCertificate {2}does not belong to the key in clientKey\./,
  );
});

describe('C4: files of a key and its certificate that are missing', () => {
  it.each([
    ['both', { BANK_PAY_LIVE_CLIENT_KEY_FILE: '/nowhere/key.pem' }, 'names a file that does not exist'],
    ['the key is not set', {}, 'is missing'],
  ])('C4: are all in the one error: %s', async (_, variables, flawOfKey) => {
    const set = {
      BANK_ENVIRONMENT: 'live',
      BANK_PAY_LIVE_TOKEN_URL: 'https://bank.example/token',
      BANK_PAY_LIVE_BASE_URL: 'https://bank.example/v1',
      BANK_PAY_LIVE_CLIENT_ID: 'client-of-live',
      BANK_PAY_LIVE_CLIENT_CERTIFICATE_FILE: '/nowhere/certificate.pem',
      ...variables,
    };
    for (const [name, value] of Object.entries(set)) vi.stubEnv(name, value);
    const bank = defineProvider({
      name: 'bank',
      environments: ['live'],
      interfaces: { pay: { clientAuth: 'private_key_jwt', assertion: { certificate: 'x5t' } } },
    });
    const { catalogue } = requiredPartsOf(bank);
    const error = await errorOf(validateOptions(catalogue, bank.config()));
    if (!(error instanceof ProviderAuthConfigError)) throw error;
    expect(error.problems).toMatchObject([
      { path: 'interfaces.pay.live.clientKey', message: expect.stringContaining(flawOfKey) },
      {
        path: 'interfaces.pay.live.clientCertificate',
        message: expect.stringContaining('names a file that does not exist'),
      },
    ]);
  });
});
