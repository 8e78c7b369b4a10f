import { beforeAll, describe, expect, it, vi } from 'vitest';
import { accountSource, UnknownAccountError } from '../../../lib/secrets/account-source.js';
import type { ProviderAuthConfigError } from '../../../lib/index.js';
import { ClientCredential } from '../../../lib/secrets/client-credential.js';
import { ClientAuthority, type ClientCertificate } from '../../support/http/client-certificates.js';
import { errorOf, profileOf } from '../../support/token/token-fixtures.js';

let first: ClientCertificate;

beforeAll(async () => {
  first = await (await ClientAuthority.create()).issue('first');
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

  it('B29: what a function gives', async () => {
    expect(await messageFor({ clientKey: () => 7, clientCertificate: first.cert })).toContain(
      'the clientKey that accounts returns cannot be used: its function gives a value which must be a PEM text, a JWK or a KeyObject, not a number.',
    );
  });
});

describe('B33: what accounts returns', () => {
  const withSecret = profileOf({ provider: 'bank', interface: 'pay', environment: 'live', terms: {} });
  const withAssertion = profileOf({ provider: 'bank', terms: { clientAuth: 'client_assertion' } });
  const read = (given: unknown, of = withSecret) => accountSource(of, 'one', () => given).read();
  const flawOf = async (given: unknown, of = withSecret) =>
    ((await errorOf(read(given, of))) as ProviderAuthConfigError).problems;

  it('B33: is the credentials of an account of a pair', async () => {
    const load = vi.fn<() => object>(() => ({
      clientId: 'the id',
      clientSecret: 'the secret',
      keyId: 'no key',
    }));
    const credential = await accountSource(withSecret, 'one', load).read();
    expect(load).toHaveBeenCalledExactlyOnceWith('one', { interface: 'pay', environment: 'live' });
    expect([credential.reveal(), credential.clientId?.reveal()]).toEqual(['the secret', 'the id']);
  });

  it('B33: may be a function for each credential, as in the options', async () => {
    const stored = {
      clientId: 'one',
      own: 'the secret',
      clientSecret() {
        return Promise.resolve(this.own);
      },
    };
    expect((await read(stored)).reveal()).toBe('the secret');
    const signed = { clientId: 'one', clientKey: () => first.key, clientCertificate: () => first.cert };
    expect((await read(signed, profile)).certificate).toBeDefined();
    const failing = { clientId: 'one', clientSecret: () => Promise.reject(new Error('canary')) };
    expect(await flawOf(failing)).toMatchObject([
      {
        path: 'the clientSecret that accounts returns',
        message: expect.stringMatching(/^gives nothing: your function/),
      },
    ]);
  });

  it('B33: needs no id with an assertion of another system', async () => {
    const { clientId } = await read({ clientAssertion: 'the assertion' }, withAssertion);
    expect(clientId).toBeUndefined();
    const given = { clientAssertion: 'the assertion', clientId: 'the id' };
    expect((await read(given, withAssertion)).clientId?.reveal()).toBe('the id');
  });

  it('B33: is the id alone with the certificate of the pair', async () => {
    const certificate = new ClientCredential('the certificate of the pair');
    const of = profileOf({
      terms: { clientAuth: 'tls_client_auth' },
      clientSecret: { read: () => Promise.resolve(certificate) },
    });
    const credential = await read({ clientId: 'the id' }, of);
    expect([credential.reveal(), credential.clientId?.reveal()]).toEqual([certificate.reveal(), 'the id']);
  });

  it('B33: has the key id of the account', async () => {
    const given = { clientId: 'the id', clientKey: first.key, clientCertificate: first.cert, keyId: 'july' };
    expect(await read(given, profile)).toMatchObject({ keyId: 'july', certificate: first.cert });
    expect(await read({ ...given, keyId: undefined }, profile)).toMatchObject({ keyId: undefined });
  });

  it('B33: says with undefined that there is no such account', async () => {
    await expect(read(undefined)).rejects.toThrow(UnknownAccountError);
  });

  it.each<[unknown, string]>([
    [null, 'must return an object with credentials, or undefined, not null.'],
    ['the secret', 'must return an object with credentials, or undefined, not a string.'],
    [{ clientSecret: 'the secret' }, 'cannot be used: it returns a clientId which is missing. Return it.'],
    [
      { clientSecret: 'the secret', clientId: '' },
      'cannot be used: it returns a clientId which is empty. Return it.',
    ],
    [
      { clientSecret: 'the secret', clientId: 7 },
      'cannot be used: it returns a clientId which must be a string, not a number.',
    ],
  ])('C4: is refused if it is %j', async (given, message) => {
    expect(await flawOf(given)).toEqual([{ path: 'accounts', message }]);
  });

  it.each([
    ['clientSecret', withSecret],
    ['clientKey', profile],
    ['clientAssertion', withAssertion],
  ])('C4: is refused without a %s, and the message says to return one', async (member, of) => {
    const path = `the ${member} that accounts returns`;
    expect(await flawOf({ clientId: 'the id' }, of)).toEqual([{ path, message: 'is missing. Return it.' }]);
  });

  it('C4: is refused if the key id is empty', async () => {
    const given = { clientId: 'the id', clientKey: first.key, clientCertificate: first.cert, keyId: '' };
    const message = 'cannot be used: it returns a keyId which is empty. Set it.';
    expect(await flawOf(given, profile)).toEqual([{ path: 'accounts', message }]);
  });
});
