import { expect, it } from 'vitest';
import { type CredentialKind, credentialName, hasOwnKey } from '../../../lib/errors/setting-names.js';

it.each<[CredentialKind | undefined, string, boolean]>([
  [undefined, 'client secret', true],
  ['secret', 'client secret', true],
  ['key', 'client key', true],
  ['assertion', 'client assertion', false],
  ['certificate', 'client certificate', false],
])(
  'B32: of the credentials of a client, only a secret or a key seals its stored tokens: %s',
  (credential, name, seals) => {
    expect(credentialName({ credential })).toBe(name);
    expect(hasOwnKey({ credential })).toBe(seals);
  },
);
