import 'reflect-metadata'; // @peculiar/x509 looks up its classes through it
import { generateKeyPairSync, X509Certificate as NodeCertificate } from 'node:crypto';
import { connect, createServer, type TLSSocket } from 'node:tls';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
} from '@peculiar/x509';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createCertificate } from '../../../lib/testing/simulator/certificate.js';
import {
  createClientCertificate,
  issueServerCertificate,
} from '../../../lib/testing/simulator/certificate-authority.js';
import { listenOnLoopback } from '../../support/run/free-port.js';

const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const SUBJECT_KEY = '2.5.29.14';
const AUTHORITY_KEY = '2.5.29.35';
const ALTERNATIVE_NAME = '2.5.29.17';

const EC_P256 = { name: 'ECDSA', namedCurve: 'P-256' };
const SHA256_WITH_ECDSA = { name: 'ECDSA', hash: { name: 'SHA-256' } };

describe('the certificates of the simulator, read by @peculiar/x509', () => {
  it('B19: the authority has the fields that RFC 5280 demands of an authority', async () => {
    const { ca } = issueServerCertificate('trusted');
    const authority = new X509Certificate(ca);
    expect(authority).toMatchObject({
      subject: 'CN=Provider Simulator CA',
      issuer: 'CN=Provider Simulator CA',
      notBefore: new Date('2000-01-01T00:00:00Z'),
      notAfter: new Date('2049-12-31T23:59:59Z'),
      signatureAlgorithm: SHA256_WITH_ECDSA,
    });
    expect(authority.publicKey.algorithm).toMatchObject(EC_P256);
    expect(criticality(authority)).toEqual({
      [BASIC_CONSTRAINTS]: true,
      [KEY_USAGE]: true,
      [SUBJECT_KEY]: false,
    });
    expect(authority.getExtension(BasicConstraintsExtension)).toMatchObject({ ca: true, pathLength: 0 });
    const { usages } = authority.getExtension(KeyUsagesExtension)!;
    expect(usages).toBe(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign);
    expect(await authority.isSelfSigned()).toBe(true);
  });

  it('B19: the server has the fields that RFC 5280 demands of a server, and the names of loopback', async () => {
    const issued = issueServerCertificate('trusted');
    const [server, authority] = [new X509Certificate(issued.cert), new X509Certificate(issued.ca)];
    expect(server).toMatchObject({
      subject: 'CN=Provider Simulator',
      issuer: 'CN=Provider Simulator CA',
      notBefore: new Date('2000-01-01T00:00:00Z'),
      notAfter: new Date('2049-12-31T23:59:59Z'),
      signatureAlgorithm: SHA256_WITH_ECDSA,
    });
    expect(server.publicKey.algorithm).toMatchObject(EC_P256);
    expect(criticality(server)).toEqual({
      [BASIC_CONSTRAINTS]: true,
      [KEY_USAGE]: true,
      [EXTENDED_KEY_USAGE]: false,
      [SUBJECT_KEY]: false,
      [AUTHORITY_KEY]: false,
      [ALTERNATIVE_NAME]: false,
    });
    expect(server.getExtension(BasicConstraintsExtension)).toMatchObject({
      ca: false,
      pathLength: undefined,
    });
    expect(server.getExtension(KeyUsagesExtension)!.usages).toBe(KeyUsageFlags.digitalSignature);
    expect(server.getExtension(ExtendedKeyUsageExtension)!.usages).toEqual([SERVER_AUTHENTICATION]);
    expect(server.getExtension(SubjectAlternativeNameExtension)!.names.toJSON()).toEqual([
      { type: 'dns', value: 'localhost' },
      { type: 'ip', value: '127.0.0.1' },
      { type: 'ip', value: '::1' },
    ]);
    expect(server.getExtension(AuthorityKeyIdentifierExtension)!.keyId).toBe(subjectKeyOf(authority));
    expect(subjectKeyOf(server)).toMatch(/^[0-9a-f]{64}$/);
    expect(subjectKeyOf(server)).not.toBe(subjectKeyOf(authority));
    expect(await server.verify({ publicKey: authority.publicKey })).toBe(true);
    expect(await server.verify({ publicKey: server.publicKey })).toBe(false);
  });

  it('B19: serial numbers are positive, have 128 bits and are never repeated', async () => {
    const issued = Array.from({ length: 10 }, () => issueServerCertificate('trusted'));
    const serials = issued.flatMap(({ ca, cert }) =>
      [ca, cert].map((pem) => new X509Certificate(pem).serialNumber),
    );
    expect(new Set(serials).size).toBe(20);
    // The first hexadecimal digit holds the sign.
    expect(serials.filter((serial) => !/^[4-7][0-9a-f]{31}$/.test(serial))).toEqual([]);
  });
});

const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

it('B32: a certificate of a client is valid from a day ago, for a year from now', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  const certificate = new NodeCertificate(createClientCertificate('canary-id', key));
  const { subject, issuer, validFrom, validTo, keyUsage, subjectAltName, ca } = certificate;
  expect({ subject, issuer, validFrom, validTo, keyUsage, subjectAltName, ca }).toEqual({
    subject: 'CN=canary-id',
    issuer: 'CN=Simulated clients',
    validFrom: 'Feb 28 12:00:00 2026 GMT',
    validTo: 'Mar  1 12:00:00 2027 GMT',
    keyUsage: ['1.3.6.1.5.5.7.3.2'],
    subjectAltName: undefined,
    ca: false,
  });
  expect(certificate.checkPrivateKey(key)).toBe(true);
});

it('B19: a certificate is of version 3, and names what a key may do in the shortest form, as DER wants it', () => {
  const holder = { name: 'A holder', key };
  const validity = { notBefore: new Date(0), notAfter: new Date('2049-12-31T00:00:00Z') };
  const [authority, server] = (['authority', {}] as const).map(
    (use) => new X509Certificate(createCertificate({ subject: holder, issuer: holder, use, ...validity })),
  );
  const usages = [authority, server].map((one) =>
    Buffer.from(one!.getExtension(KEY_USAGE)!.value).toString('hex'),
  );
  expect(usages).toEqual(['03020106', '03020780']);
  // Of the first members: [0] { INTEGER }. Version 3 is written as 2 (RFC 5280 section 4.1.2.1).
  const content = Buffer.from(server!.rawData);
  expect(content.readUInt8(content.indexOf(Buffer.of(0xa0, 0x03, 0x02, 0x01)) + 4)).toBe(2);
});

it('B19: two authorities with the same name can be trusted at the same time', async () => {
  const [first, second] = [issueServerCertificate('trusted'), issueServerCertificate('trusted')];
  for (const ca of [first.ca + second.ca, second.ca + first.ca]) {
    expect(await verdictOf(first, { host: '127.0.0.1', ca })).toBe('trusted');
    expect(await verdictOf(second, { host: '127.0.0.1', ca })).toBe('trusted');
  }
});

/** Which extensions a certificate has, and which of them are critical. */
function criticality({ extensions }: X509Certificate): Record<string, boolean> {
  return Object.fromEntries(extensions.map(({ type, critical }) => [type, critical]));
}

function subjectKeyOf(certificate: X509Certificate): string | undefined {
  return certificate.getExtension(SubjectKeyIdentifierExtension)?.keyId;
}

/** `trusted`, or the code of the error that a client gets. */
async function verdictOf({ cert, key }: { cert: string; key: string }, client: { host: string; ca: string }) {
  const server = createServer({ cert, key }).on('tlsClientError', () => undefined);
  onTestFinished(() => void server.close());
  const socket = connect({ port: await listenOnLoopback(server), ...client, minVersion: 'TLSv1.3' });
  onTestFinished(() => void socket.destroy());
  return outcomeOf(socket);
}

function outcomeOf(socket: TLSSocket): Promise<string | undefined> {
  return new Promise((resolve) => {
    socket.once('secureConnect', () => resolve('trusted'));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
  });
}
