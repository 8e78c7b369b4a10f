import 'reflect-metadata'; // @peculiar/x509 looks up its classes through it
import { generateKeyPairSync, X509Certificate as NodeCertificate } from 'node:crypto';
import { SubjectAlternativeNameExtension, X509Certificate } from '@peculiar/x509';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createCertificate, createClientCertificate } from '../../../../lib/testing/simulator/certificate.js';

const KEY_USAGE = '2.5.29.15';

const keys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const date = fc.date({
  min: new Date('1950-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});
const address = fc.oneof(
  fc.uint8Array({ minLength: 4, maxLength: 4 }),
  fc.uint8Array({ minLength: 16, maxLength: 16 }),
);

describe('a certificate', () => {
  const [subjectKeys, issuerKeys] = [keys(), keys()];

  it('B19: has the names, addresses and dates that it was given, by two independent readers', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 64 }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 64 }),
        fc.tuple(date, date),
        fc.array(fc.domain(), { maxLength: 4 }),
        fc.array(address, { maxLength: 4 }),
        (subjectName, issuerName, [notBefore, notAfter], dns, addresses) => {
          const ip = addresses.map((bytes) => Buffer.from(bytes));
          const pem = createCertificate({
            subject: { name: subjectName, keys: subjectKeys },
            issuer: { name: issuerName, keys: issuerKeys },
            notBefore,
            notAfter,
            use: { dns, ip },
          });
          const found = new X509Certificate(pem);
          expect(found.subjectName.getField('CN')).toEqual([subjectName]);
          expect(found.issuerName.getField('CN')).toEqual([issuerName]);
          expect([found.notBefore, found.notAfter]).toEqual([notBefore, notAfter].map(wholeSeconds));
          const names = found.getExtension(SubjectAlternativeNameExtension)!.names.items;
          expect(names.map(({ type }) => type)).toEqual([...dns.map(() => 'dns'), ...ip.map(() => 'ip')]);
          expect(names.slice(0, dns.length).map(({ value }) => value)).toEqual(dns);

          const byNode = new NodeCertificate(pem);
          expect(byNode.verify(issuerKeys.publicKey)).toBe(true);
          expect(byNode.checkPrivateKey(subjectKeys.privateKey)).toBe(true);
          expect(byNode.ca).toBe(false);
          for (const bytes of ip.filter(({ length }) => length === 4)) {
            expect(byNode.checkIP(bytes.join('.'))).toBe(bytes.join('.'));
          }
        },
      ),
    );
  });

  it('B32: of a client is valid from a day ago, for a year from now', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    const pem = createClientCertificate('canary-id', subjectKeys.privateKey);
    const { subject, issuer, validFrom, validTo, keyUsage, subjectAltName, ca } = new NodeCertificate(pem);
    expect({ subject, issuer, validFrom, validTo, keyUsage, subjectAltName, ca }).toEqual({
      subject: 'CN=canary-id',
      issuer: 'CN=Simulated clients',
      validFrom: 'Feb 28 12:00:00 2026 GMT',
      validTo: 'Mar  1 12:00:00 2027 GMT',
      keyUsage: ['1.3.6.1.5.5.7.3.2'],
      subjectAltName: undefined,
      ca: false,
    });
    expect(new NodeCertificate(pem).checkPrivateKey(subjectKeys.privateKey)).toBe(true);
  });

  it('B19: is of version 3, and names what a key may do in the shortest form, as DER wants it', () => {
    const holder = { name: 'A holder', keys: subjectKeys };
    const validity = { notBefore: new Date(0), notAfter: new Date('2100-01-01T00:00:00Z') };
    const [authority, server] = (['authority', {}] as const).map((use) => {
      const pem = createCertificate({ subject: holder, issuer: holder, use, ...validity });
      return new X509Certificate(pem);
    });
    expect(usageOf(authority)).toBe('03020106');
    expect(usageOf(server)).toBe('03020780');
    expect(versionOf(server!)).toBe(2);
  });
});

/** Of the certificate's first members: [0] { INTEGER }. Version 3 is written as 2 (RFC 5280 section 4.1.2.1). */
function versionOf({ rawData }: X509Certificate): number {
  const content = Buffer.from(rawData);
  return content.readUInt8(content.indexOf(Buffer.of(0xa0, 0x03, 0x02, 0x01)) + 4);
}

function wholeSeconds(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}

function usageOf(certificate: X509Certificate | undefined): string {
  return Buffer.from(certificate!.getExtension(KEY_USAGE)!.value).toString('hex');
}
