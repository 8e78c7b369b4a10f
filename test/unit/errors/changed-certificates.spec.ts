import { describe, expect, it } from 'vitest';
import { readCertificatesAfter } from '../../../lib/errors/changed-certificates.js';
import type { ClientTls } from '../../../lib/net/client-tls.js';

const VERSION = Symbol('before');

/** Certificates that count how often they are read again. */
function givenTls(hasChanged: boolean) {
  const tls = {
    readings: 0,
    looks: [] as number[],
    look: (afterMs: number): void => void tls.looks.push(afterMs),
    readAgainSince(version: symbol): Promise<boolean> {
      expect(version).toBe(VERSION);
      tls.readings += 1;
      return Promise.resolve(hasChanged);
    },
  };
  return tls;
}

const errorWith = (code: unknown): Error => Object.assign(new Error('x'), { code });

describe('B34: a request that failed', () => {
  it.each<[string, unknown, boolean, number]>([
    ['for an unknown authority', errorWith('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), true, 1],
    ['for an expired certificate', errorWith('CERT_HAS_EXPIRED'), true, 1],
    ['for a missing client certificate', errorWith('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), true, 1],
    ['for a refused client certificate', errorWith('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'), true, 1],
    // The connection may have been open: the server may have received the request.
    ['in the middle of TLS', errorWith('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'), false, 1],
    ['by a timeout', errorWith('ETIMEDOUT'), false, 0],
    ['without a code', new Error('x'), false, 0],
    ['with something else', 'CERT_HAS_EXPIRED', false, 0],
  ])('B34: %s', async (_, error, mayBeSentAgain, readings) => {
    const changed = givenTls(true);
    expect(await readCertificatesAfter(error, changed as object as ClientTls, VERSION)).toBe(mayBeSentAgain);
    expect(changed.readings).toBe(readings);
    expect(changed.looks).toEqual([]);
    const same = givenTls(false);
    expect(await readCertificatesAfter(error, same as object as ClientTls, VERSION)).toBe(false);
  });

  it('B34: by a reset is not sent again, and does not wait: the certificates are read for the next one', async () => {
    for (const error of [errorWith('ECONNRESET'), errorWith('EPIPE')]) {
      const tls = givenTls(true);
      expect(await readCertificatesAfter(error, tls as object as ClientTls, VERSION)).toBe(false);
      expect(tls).toMatchObject({ readings: 0, looks: [1_000] });
    }
  });
});
