import { createHash, createPublicKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';

// The part of DER (ITU-T X.690) that a certificate needs. Each function returns one whole value: tag, length and content.

const value =
  (tag: number) =>
  (...content: readonly Buffer[]): Buffer => {
    const bytes = Buffer.concat(content);
    return Buffer.concat([Buffer.of(tag), encodedLength(bytes.length), bytes]);
  };

const sequence = value(0x30);

/** A SET of one member. Several members would have to be sorted. */
const setOfOne = value(0x31);

const octetString = value(0x04);

/** `[n] EXPLICIT`: a tag around whole values. */
const explicit = (tag: number, ...values: readonly Buffer[]): Buffer => value(0xa0 | tag)(...values);

/** `[n] IMPLICIT`: the bytes of a value without members, with this tag instead of the tag of the value. */
const implicit = (tag: number, bytes: Buffer): Buffer => value(0x80 | tag)(bytes);

const yes = value(0x01)(Buffer.of(0xff));

/** An INTEGER of zero or more. The first byte is the most significant one, and is below 0x80: a first bit of 1 would make it negative. */
const unsignedInteger = (...bytes: readonly number[]): Buffer => value(0x02)(Buffer.from(bytes));

/** A BIT STRING. If the bits have names, DER allows no byte and no used bit of 0 at the end (X.690 section 11.2.2). */
const bitString = (bytes: Buffer, unusedBits = 0): Buffer => value(0x03)(Buffer.of(unusedBits), bytes);

const utf8String = (text: string): Buffer => value(0x0c)(Buffer.from(text));

/** An OBJECT IDENTIFIER, by its content. */
const objectIdentifier = (hex: string): Buffer => value(0x06)(Buffer.from(hex, 'hex'));

/** A UTCTime in whole seconds. It can express the years 1950 to 2049 (RFC 5280 section 4.1.2.5). */
const time = (date: Date): Buffer =>
  value(0x17)(Buffer.from(`${date.toISOString().slice(2, 19).replaceAll(/\D/g, '')}Z`));

/** A length up to 127 is one byte. A longer length is the number of its bytes, with the first bit set, and then its bytes. */
function encodedLength(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  const shortest = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.of(0x80 | shortest.length), shortest]);
}

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('2a8648ce3d040302')); // 1.2.840.10045.4.3.2
const COMMON_NAME = objectIdentifier('550403'); // 2.5.4.3
const SUBJECT_KEY_IDENTIFIER = objectIdentifier('551d0e'); // 2.5.29.14
const KEY_USAGE = objectIdentifier('551d0f'); // 2.5.29.15
const SUBJECT_ALTERNATIVE_NAME = objectIdentifier('551d11'); // 2.5.29.17
const BASIC_CONSTRAINTS = objectIdentifier('551d13'); // 2.5.29.19
const AUTHORITY_KEY_IDENTIFIER = objectIdentifier('551d23'); // 2.5.29.35
const EXTENDED_KEY_USAGE = objectIdentifier('551d25'); // 2.5.29.37
const SERVER_AUTHENTICATION = objectIdentifier('2b06010505070301'); // 1.3.6.1.5.5.7.3.1
const CLIENT_AUTHENTICATION = objectIdentifier('2b06010505070302'); // 1.3.6.1.5.5.7.3.2
/** A client that does not know the extension must refuse the certificate. */
const CRITICAL = yes;

export interface KeyHolder {
  readonly name: string;
  /** The private key. It is on an elliptic curve if the holder signs certificates. */
  readonly key: KeyObject;
}

/** What a subject may do: sign certificates of servers, be a client, or be a server under these names. */
export type Use = 'authority' | 'client' | ServerNames;

export interface CertificateOptions {
  readonly subject: KeyHolder;
  readonly issuer: KeyHolder;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly use: Use;
}

export interface ServerNames {
  readonly dns?: readonly string[];
  /** The 4 bytes of an IPv4 address or the 16 bytes of an IPv6 address. */
  readonly ip?: readonly Buffer[];
}

/**
 * Signs a certificate (RFC 5280) and returns its PEM.
 *
 * Workaround: Node can read certificates but cannot create them (nodejs/node#51169, Node 20.19 to 26.0). When the oldest
 * supported Node can create certificates, remove this file. The test is
 * `test/rules/simulator/certificates.spec.ts`.
 */
export function createCertificate({ subject, issuer, notBefore, notAfter, use }: CertificateOptions): string {
  const content = sequence(
    explicit(0, unsignedInteger(2)), // version 3
    serialNumber(),
    ECDSA_WITH_SHA256,
    commonName(issuer.name),
    sequence(time(notBefore), time(notAfter)),
    commonName(subject.name),
    publicKeyInfo(subject),
    explicit(3, sequence(...extensions(subject, issuer, use))),
  );
  const signature = sign('sha256', content, issuer.key);
  return new X509Certificate(sequence(content, ECDSA_WITH_SHA256, bitString(signature))).toString();
}

/** A positive random number of 16 bytes: authorities with the same name must not repeat a number (RFC 5280 section 4.1.2.2). */
function serialNumber(): Buffer {
  const [first = 0, ...others] = randomBytes(16);
  return unsignedInteger(0x40 | (first & 0x3f), ...others);
}

function commonName(name: string): Buffer {
  return sequence(setOfOne(sequence(COMMON_NAME, utf8String(name))));
}

function publicKeyInfo({ key }: KeyHolder): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

/** RFC 7093 section 2, method 4: a hash of the whole key, by an algorithm that is still in use. */
function keyIdentifier(holder: KeyHolder): Buffer {
  return createHash('sha256').update(publicKeyInfo(holder)).digest();
}

function extensions(subject: KeyHolder, issuer: KeyHolder, use: Use): Buffer[] {
  const subjectKey = extension(SUBJECT_KEY_IDENTIFIER, octetString(keyIdentifier(subject)));
  if (use === 'authority')
    return [
      // An authority, and no further authority below it.
      extension(BASIC_CONSTRAINTS, sequence(yes, unsignedInteger(0)), CRITICAL),
      // keyCertSign and cRLSign.
      extension(KEY_USAGE, bitString(Buffer.of(0b0000_0110), 1), CRITICAL),
      subjectKey,
    ];
  const purpose = use === 'client' ? CLIENT_AUTHENTICATION : SERVER_AUTHENTICATION;
  return [
    // Not an authority, which is the default.
    extension(BASIC_CONSTRAINTS, sequence(), CRITICAL),
    // digitalSignature.
    extension(KEY_USAGE, bitString(Buffer.of(0b1000_0000), 7), CRITICAL),
    extension(EXTENDED_KEY_USAGE, sequence(purpose)),
    subjectKey,
    // Identifies the authority if two authorities have the same name, so that a client can trust both.
    extension(AUTHORITY_KEY_IDENTIFIER, sequence(implicit(0, keyIdentifier(issuer)))),
    ...(use === 'client' ? [] : [extension(SUBJECT_ALTERNATIVE_NAME, alternativeNames(use))]),
  ];
}

function alternativeNames({ dns = [], ip = [] }: ServerNames): Buffer {
  return sequence(
    ...dns.map((name) => implicit(2, Buffer.from(name, 'latin1'))),
    ...ip.map((bytes) => implicit(7, bytes)),
  );
}

function extension(id: Buffer, value: Buffer, ...flags: readonly Buffer[]): Buffer {
  return sequence(id, ...flags, octetString(value));
}
