import { describe, expect, it, onTestFinished } from 'vitest';
import { ClientCredential, withFacts } from '../../../lib/secrets/client-credential.js';
import { addToPrototype } from '../../support/http/pollutions.js';
import { Secret } from '../../../lib/secrets/secret.js';

const FACTS = {
  keyId: 'key-7',
  kid: 'kid-7',
  algorithm: 'ES256',
  certificate: 'PEM',
  clientId: new Secret('client'),
} as const;

const credential = new ClientCredential('secret', FACTS);

it.each(['keyId', 'kid', 'algorithm', 'certificate', 'clientId'] as const)(
  'B36: a credential takes no %s from a polluted prototype',
  (name) => {
    const clean = addToPrototype(name, { value: 'evil' });
    onTestFinished(clean);
    const credentials = [new ClientCredential('secret'), new ClientCredential('secret', {})];
    clean();
    for (const one of credentials) expect(one[name]).toBeUndefined();
  },
);

describe('B8: a credential that was read again', () => {
  it('is the same if all that changes together with it is the same', () => {
    expect(
      credential.equals(new ClientCredential('secret', { ...FACTS, clientId: new Secret('client') })),
    ).toBe(true);
    expect(new ClientCredential('secret').equals(new ClientCredential('secret'))).toBe(true);
  });

  it.each([
    ['value', new ClientCredential('other', FACTS)],
    ['key id', withFacts(credential, { keyId: 'key-8' })],
    ['algorithm', withFacts(credential, { algorithm: 'ES384' })],
    ['certificate', withFacts(credential, { certificate: 'other PEM' })],
    ['client id', withFacts(credential, { clientId: new Secret('other client') })],
    ['client id, which is gone', withFacts(credential, { clientId: undefined })],
  ])('is another one with another %s', (_, other) => {
    expect(credential.equals(other)).toBe(false);
    expect(other.equals(credential)).toBe(false);
  });

  it('keeps the facts that do not change, and cannot be changed', () => {
    const other = withFacts(credential, { algorithm: 'ES384' });
    expect(other).toMatchObject({ ...FACTS, algorithm: 'ES384' });
    expect(other.reveal()).toBe('secret');
    expect(Object.isFrozen(other)).toBe(true);
  });
});
