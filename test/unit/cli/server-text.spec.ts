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

  it('S10: is hidden if it repeats a client id or a secret, in the forms of an address', () => {
    const shown = harmlessFor({ clientId: new Secret(CANARY.clientId), secret: new Secret(CANARY.secret) });
    for (const credential of [CANARY.clientId, CANARY.secret])
      for (const form of [credential, credential.toUpperCase(), encodeURIComponent(credential)])
        expect(shown(`urn:${form}:x`)).toBe('[redacted]');
  });

  it('is shown if it only shares words with a client id', () => {
    const shown = harmlessFor({ clientId: new Secret('acme-payments-production-4711') });
    expect(shown('https://api.example/acme-payments')).toBe('https://api.example/acme-payments');
  });
});
