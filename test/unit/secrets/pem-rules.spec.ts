import { createPrivateKey, X509Certificate } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  certificatesIn,
  clientCertificateIn,
  flawOfPem,
  privateKeyIn,
} from '../../../lib/secrets/pem-rules.js';
import { ClientAuthority, type ClientCertificate } from '../../support/http/client-certificates.js';

const flawOfAuthorities = (text: string) => flawOfPem(text, certificatesIn);
const flawOfCertificate = (text: string) => flawOfPem(text, clientCertificateIn);
const flawOfKey = (text: string) => flawOfPem(text, privateKeyIn);

let authority: ClientAuthority;
let own: ClientCertificate;

beforeAll(async () => {
  authority = await ClientAuthority.create();
  own = await authority.issue('own');
});

afterEach(() => {
  vi.useRealTimers();
});

const UNREADABLE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
const NO_CERTIFICATE =
  'holds no certificate in PEM form. A PEM certificate starts with -----BEGIN CERTIFICATE-----.';
const NOT_READABLE = 'contains a certificate that cannot be read. Copy the certificate again.';

describe('the certificates of authorities', () => {
  it('have a flaw if one of several cannot be read', () => {
    expect(flawOfAuthorities(`${authority.ca}\n${UNREADABLE}`)).toBe(NOT_READABLE);
    expect(flawOfAuthorities(`${UNREADABLE}\n${authority.ca}`)).toBe(NOT_READABLE);
  });

  // OpenSSL would silently end there, and trust only the certificates before it.
  it.each<[string, (one: string, other: string) => string]>([
    ['are joined without a line break', (one, other) => one + other],
    ['are cut off', (one, other) => `${one}\n${other.slice(0, -20)}`],
    ['are only begun', () => '-----BEGIN CERTIFICATE-----\nAAAA\n'],
    ['are indented', (one, other) => `${one}\n${other}`.replaceAll(/^/gm, '  ')],
  ])('B34: have a flaw if they %s', (_, make) => {
    const text = make(authority.ca.trim(), own.cert.trim());
    expect(flawOfAuthorities(text)).toBe(NOT_READABLE);
    expect(flawOfCertificate(text)).toBe(NOT_READABLE);
  });

  it('may have other line breaks, spaces at the ends of lines, and a byte order mark', () => {
    const text = `${authority.ca}\n${own.cert}`;
    expect(flawOfAuthorities(text.replaceAll('\n', '\r\n'))).toBeUndefined();
    expect(flawOfAuthorities(`\u{feff}${text}`)).toBeUndefined();
    expect(flawOfAuthorities(text.replaceAll('\n', ' \t\n'))).toBeUndefined();
  });
});

describe('a client certificate', () => {
  it('may be followed by its authorities, which may have expired', async () => {
    const old = await authority.issue('old', { notAfter: new Date('2020-01-01') });
    expect(flawOfCertificate(`${own.cert}\n${old.cert}`)).toBeUndefined();
    expect(flawOfCertificate(`${old.cert}\n${own.cert}`)).toContain('has expired');
  });

  it('may be used until the moment at which it expires', () => {
    const end = Date.parse(new X509Certificate(own.cert).validTo);
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(end);
    expect(flawOfCertificate(own.cert)).toBeUndefined();
    vi.setSystemTime(end + 1);
    expect(flawOfCertificate(own.cert)).toBe(
      'contains a client certificate that has expired. Replace it with a new one.',
    );
  });

  it('has the flaws of an authority too', () => {
    expect(flawOfCertificate('')).toBe(NO_CERTIFICATE);
    expect(flawOfCertificate(UNREADABLE)).toBe(NOT_READABLE);
    expect(flawOfCertificate(`${own.cert}\n${UNREADABLE}`)).toBe(NOT_READABLE);
  });
});

describe('a private key', () => {
  const PASSPHRASE = 'contains a private key that needs a passphrase. Store the key without a passphrase.';

  it('may stand below a comment', () => {
    expect(flawOfKey(own.key)).toBeUndefined();
    expect(flawOfKey(`# key\n${own.key}`)).toBeUndefined();
  });

  it('may not need a passphrase, in the form of PKCS #8 and in the older form of OpenSSL', () => {
    const key = createPrivateKey(own.key);
    const encrypted = key.export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'canary',
    });
    expect(flawOfKey(String(encrypted))).toBe(PASSPHRASE);
    expect(flawOfKey(`# key\n${String(encrypted)}`)).toBe(PASSPHRASE);
    const older =
      '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,AAAA\n\nAAAA\n-----END EC PRIVATE KEY-----';
    expect(flawOfKey(older)).toBe(PASSPHRASE);
  });

  it.each([
    ['no PEM text', 'canary'],
    ['a text that speaks of keys with a passphrase', 'see -----BEGIN ENCRYPTED PRIVATE KEY-----'],
    ['a text that names the older form', 'x Proc-Type: 4,ENCRYPTED'],
  ])('is not %s', (_, text) => {
    expect(flawOfKey(text)).toBe('holds no private key in PEM form.');
  });
});
