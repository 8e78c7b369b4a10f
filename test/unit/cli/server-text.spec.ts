import { describe, expect, it } from 'vitest';
import { harmless, harmlessFor } from '../../../lib/cli/server-text.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { CANARY } from '../../support/token/token-fixtures.js';

describe('text of a server', () => {
  it('cannot control a terminal: control characters and direction marks are replaced', () => {
    expect(harmless('a\u001b[31mb\r\nc\u202ed\u2028e')).toBe('a\ufffd[31mb\ufffd\ufffdc\ufffdd\ufffde');
  });

  it('loses halves of characters, which no terminal can show', () => {
    expect(harmless('a\ud800b')).toBe('a\ufffdb');
  });

  it('is cut if it is too long', () => {
    expect(harmless('x'.repeat(200))).toBe('x'.repeat(200));
    expect(harmless('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`);
  });

  it('is only made harmless if there is nothing to hide', () => {
    expect(harmlessFor({})('urn:\u001b')).toBe('urn:\ufffd');
  });

  it('S10: is hidden if it repeats the secret of a client without an id', () => {
    const shown = harmlessFor({ secret: new Secret(CANARY.secret) });
    expect(shown(CANARY.secret)).toBe('[redacted]');
  });

  it('S10: is hidden if it repeats a client id or a secret, in any form', () => {
    const shown = harmlessFor({ clientId: new Secret(CANARY.clientId), secret: new Secret(CANARY.secret) });
    for (const credential of [CANARY.clientId, CANARY.secret])
      for (const form of [
        credential,
        credential.toUpperCase(),
        encodeURIComponent(credential),
        Buffer.from(credential).toString('base64url'),
        Buffer.from(credential).toString('hex'),
      ])
        expect(shown(`urn:${form}:x`)).toBe('[redacted]');
    expect(shown(`urn:${CANARY.secret.slice(3, 15)}`)).toBe('[redacted]');
  });

  it.each([
    [
      'fully percent-encoded',
      (secret: string) => Buffer.from(secret).toString('hex').replaceAll(/../g, '%$&'),
    ],
    ['in hexadecimal digits of UTF-16', (secret: string) => Buffer.from(secret, 'utf16le').toString('hex')],
    ['backwards', (secret: string) => Array.from(secret).toReversed().join('')],
    ['with spaces between', (secret: string) => Array.from(secret).join(' ')],
    ['in Basic form', (secret: string) => Buffer.from(`shop-12:${secret}`).toString('base64')],
  ])('S10: is blanked where it repeats a credential %s', (_, write) => {
    const shown = harmlessFor({ clientId: new Secret(CANARY.clientId), secret: new Secret(CANARY.secret) });
    for (const credential of [CANARY.clientId, CANARY.secret])
      expect(shown(`urn:${write(credential)}`)).toBe('[redacted]');
  });

  it('B28: is searched as far as it is shown, and not to its end', () => {
    const shown = harmlessFor({ clientId: new Secret(CANARY.clientId), secret: new Secret(CANARY.secret) });
    const start = 'x'.repeat(199);
    expect(shown(start + Buffer.from(CANARY.clientId).join(' '))).toBe('[redacted]');
    expect(shown(start.repeat(50) + CANARY.secret)).toBe(`${start}x…`);
    const long = CANARY.clientId.repeat(10);
    expect(harmlessFor({ clientId: new Secret(long) })(start + Buffer.from(long).join(' '))).toBe(
      '[redacted]',
    );
  });

  it('is shown if it only shares words with a client id', () => {
    const shown = harmlessFor({ clientId: new Secret('acme-payments-production-4711') });
    expect(shown('https://api.example/acme-payments')).toBe('https://api.example/acme-payments');
  });
});
