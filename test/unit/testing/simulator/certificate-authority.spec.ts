import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type AuthorityKeeper,
  type AuthorityPems,
  type CertificateKind,
  issueServerCertificate,
} from '../../../../lib/testing/simulator/certificate-authority.js';

const VALID = ['Jan  1 00:00:00 2000 GMT', 'Dec 31 23:59:59 2099 GMT'];
const EXPIRED = ['Jan  1 00:00:00 2000 GMT', 'Jan  1 00:00:00 2001 GMT'];
const LOOPBACK = 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1';
const CA = 'CN=Provider Simulator CA';
const SERVER = 'CN=Provider Simulator';

const read = (pem: string) => {
  const certificate = new X509Certificate(pem);
  const { subject, issuer, validFrom, validTo, subjectAltName } = certificate;
  return { certificate, shown: { subject, issuer, valid: [validFrom, validTo], subjectAltName } };
};

const isPairOf = (certificate: X509Certificate, key: string): boolean =>
  key.startsWith('-----BEGIN PRIVATE KEY-----\n') && certificate.checkPrivateKey(createPrivateKey(key));

describe('B19: the certificate of a server', () => {
  it.each<[kind: CertificateKind, issuer: string, valid: string[], names: string]>([
    ['trusted', CA, VALID, LOOPBACK],
    ['expired', CA, EXPIRED, LOOPBACK],
    ['wrong-host', CA, VALID, 'DNS:somewhere-else.invalid'],
    ['self-signed', SERVER, VALID, LOOPBACK],
  ])('%s', async (kind, issuer, valid, subjectAltName) => {
    const { ca, cert, key, client } = await issueServerCertificate(kind);
    const [authority, server] = [read(ca), read(cert)];
    expect(authority.shown).toEqual({ subject: CA, issuer: CA, valid: VALID, subjectAltName: undefined });
    expect(authority.certificate.ca).toBe(true);
    expect(server.shown).toEqual({ subject: SERVER, issuer, valid, subjectAltName });
    const signer = kind === 'self-signed' ? server : authority;
    expect(server.certificate.verify(signer.certificate.publicKey)).toBe(true);
    expect(isPairOf(server.certificate, key)).toBe(true);
    expect(server.certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(client).toBeUndefined();
  });

  it('can come with that of a client, from the same authority', async () => {
    const { ca, client } = await issueServerCertificate('trusted', undefined, true);
    const { certificate, shown } = read(client?.cert ?? '');
    expect(shown).toEqual({
      subject: 'CN=Simulated client',
      issuer: CA,
      valid: VALID,
      subjectAltName: undefined,
    });
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.verify(read(ca).certificate.publicKey)).toBe(true);
    expect(isPairOf(certificate, client?.key ?? '')).toBe(true);
  });

  it('each start uses a new authority', async () => {
    const [one, other] = [await issueServerCertificate('trusted'), await issueServerCertificate('trusted')];
    expect(read(one.cert).certificate.verify(read(other.ca).certificate.publicKey)).toBe(false);
    expect(one.key).not.toBe(other.key);
  });
});

describe('B25: the keeper of an authority', () => {
  it('gets the new authority, and gives it back at the next start', async () => {
    const saved: AuthorityPems[] = [];
    const keeper: AuthorityKeeper = {
      load: () => Promise.resolve(saved[0]),
      save: (authority) => Promise.resolve(void saved.push(authority)),
    };
    const first = await issueServerCertificate('trusted', keeper);
    const second = await issueServerCertificate('trusted', keeper);
    expect(saved).toEqual([{ certificate: first.ca, key: expect.any(String) }]);
    expect(isPairOf(read(first.ca).certificate, saved[0]?.key ?? '')).toBe(true);
    expect(second.ca).toBe(first.ca);
    expect(second.key).not.toBe(first.key);
    const { certificate, shown } = read(second.cert);
    expect(shown).toMatchObject({ subject: SERVER, issuer: CA });
    expect(certificate.verify(read(first.ca).certificate.publicKey)).toBe(true);
    expect(certificate.checkIssued(read(first.ca).certificate)).toBe(true);
  });
});
