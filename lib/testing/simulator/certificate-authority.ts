import 'reflect-metadata'; // @peculiar/x509 looks up its algorithms through it
import { KeyObject, randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Wide, because a test may start the simulator under a fake clock while TLS goes by the real one. */
const VALID = { notBefore: new Date('2000-01-01T00:00:00Z'), notAfter: new Date('2099-12-31T23:59:59Z') };
const LONG_OVER = { notBefore: new Date('2000-01-01T00:00:00Z'), notAfter: new Date('2001-01-01T00:00:00Z') };

/** What is wrong with the server's certificate, if anything. */
export type CertificateKind = 'trusted' | 'expired' | 'wrong-host' | 'self-signed';

export interface ServerCertificate {
  /** PEM of what a client must trust. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * Makes an authority and a certificate for the loopback names. Both live in memory only and end with the process: no
 * key is ever written down, and none is shared between two simulators.
 */
export async function issueServerCertificate(kind: CertificateKind): Promise<ServerCertificate> {
  const [authorityKeys, serverKeys] = await Promise.all([newKeys(), newKeys()]);
  const authority = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: serialNumber(),
      name: 'CN=Provider Simulator CA',
      ...VALID,
      signingAlgorithm: ALGORITHM,
      keys: authorityKeys,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(authorityKeys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  const subject = 'CN=Provider Simulator';
  const issuerKeys = kind === 'self-signed' ? serverKeys : authorityKeys;
  const server = await X509CertificateGenerator.create(
    {
      serialNumber: serialNumber(),
      subject,
      issuer: kind === 'self-signed' ? subject : authority.subject,
      ...(kind === 'expired' ? LONG_OVER : VALID),
      signingAlgorithm: ALGORITHM,
      publicKey: serverKeys.publicKey,
      signingKey: issuerKeys.privateKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        // Tells two authorities of one name apart, so that a client can trust both.
        await AuthorityKeyIdentifierExtension.create(issuerKeys.publicKey, false, webcrypto),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(
          kind === 'wrong-host'
            ? [{ type: 'dns', value: 'somewhere-else.invalid' }]
            : [
                { type: 'dns', value: 'localhost' },
                { type: 'ip', value: '127.0.0.1' },
                { type: 'ip', value: '::1' },
              ],
        ),
      ],
    },
    webcrypto,
  );
  return {
    ca: authority.toString('pem'),
    cert: server.toString('pem'),
    key: KeyObject.from(serverKeys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** @see RFC 5280 section 4.1.2.2: positive, at most 20 octets; two authorities of one name must not repeat it. */
function serialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`;
}
