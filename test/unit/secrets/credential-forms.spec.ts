import { expect, it } from 'vitest';
import { formEncoded, holdsCredential } from '../../../lib/secrets/credential-forms.js';

const SECRET = 'S3cr3t "Value"+/ü';

it.each([
  ['as it is', SECRET],
  ['in a sentence and in capitals', `Bad secret: ${SECRET.toUpperCase()}!`],
  ['percent-encoded', encodeURIComponent(SECRET)],
  ['percent-encoded in small letters', encodeURIComponent(SECRET).toLowerCase()],
  ['as in a form', new URLSearchParams({ secret: SECRET }).toString()],
  ['as in JSON', JSON.stringify({ secret: SECRET })],
  ['with every letter escaped', SECRET.replace(/[^]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)],
])('S10: a credential is found %s', (_, text) => {
  expect(holdsCredential(text, SECRET)).toBe(true);
});

it.each(['', 'invalid_client', SECRET.slice(1), encodeURIComponent(SECRET.slice(0, -1))])(
  'S10: a text without the whole credential is no reason to hide it: %j',
  (text) => {
    expect(holdsCredential(text, SECRET)).toBe(false);
  },
);

it('S2: Basic authentication has credentials as in a form', () => {
  expect(formEncoded('a &=+%ü')).toBe('a+%26%3D%2B%25%C3%BC');
});
