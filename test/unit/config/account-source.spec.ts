import { beforeAll, describe, expect, it } from 'vitest';
import { accountSource } from '../../../lib/config/account-source.js';
import { ClientAuthority, type ClientCertificate } from '../../support/http/client-certificates.js';
import { errorOf, profileOf } from '../../support/token/token-fixtures.js';

let first: ClientCertificate;
let second: ClientCertificate;

beforeAll(async () => {
  const authority = await ClientAuthority.create();
  [first, second] = await Promise.all([authority.issue('first'), authority.issue('second')]);
});

const profile = profileOf({
  provider: 'bank',
  terms: {
    clientAuth: 'private_key_jwt',
    assertion: { audience: 'tokenUrl', type: 'JWT', certificate: 'x5t', lifetimeSeconds: 300 },
  },
});

/** What the error says, in one line. */
async function messageFor(credentials: object): Promise<string> {
  const source = accountSource(profile, 'one', () => ({ clientId: 'one', ...credentials }));
  return String(await errorOf(source.read())).replaceAll(/\s+/g, ' ');
}

describe('B33: private keys of accounts that cannot be used', () => {
  it('B29: a key without its certificate: the error names the member that is missing', async () => {
    expect(await messageFor({ clientKey: first.key })).toContain(
      'the clientCertificate that accounts returns is missing. Set it to the certificate of the client key.',
    );
  });

  it('B29: a certificate of another key: the error names both members', async () => {
    expect(await messageFor({ clientKey: first.key, clientCertificate: second.cert })).toContain(
      'the clientCertificate that accounts returns does not belong to the key in the clientKey that accounts returns.',
    );
  });

  it('B29: a function: the error does not ask for a function', async () => {
    expect(await messageFor({ clientKey: () => first.key, clientCertificate: first.cert })).toContain(
      'it returns a clientKey which must be a PEM text, a JWK or a KeyObject, not a function.',
    );
  });
});
