import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createCertificate, type KeyHolder, type ServerNames, type Use } from './certificate.js';

/** Many years, because a test may start the simulator with a fake clock, while TLS uses the real clock. */
const VALID = { notBefore: new Date('2000-01-01T00:00:00Z'), notAfter: new Date('2049-12-31T23:59:59Z') };
const DAY_MS = 24 * 60 * 60 * 1000;
const EXPIRED = { notBefore: new Date('2000-01-01T00:00:00Z'), notAfter: new Date('2001-01-01T00:00:00Z') };

const LOOPBACK: ServerNames = {
  dns: ['localhost'],
  ip: [Buffer.of(127, 0, 0, 1), Buffer.concat([Buffer.alloc(15), Buffer.of(1)])],
};
const ELSEWHERE: ServerNames = { dns: ['somewhere-else.invalid'] };

/** What is wrong with the server's certificate. `trusted` is a correct certificate. */
export type CertificateKind = 'trusted' | 'expired' | 'wrong-host' | 'self-signed';

/** A certificate authority as PEM texts. */
export interface Authority {
  /** The certificate that a client must trust. */
  readonly ca: string;
  readonly caKey: string;
}

const AUTHORITY_NAME = 'Provider Simulator CA';

/**
 * Creates a server certificate for the loopback names, and a certificate authority unless one is kept from an earlier start. No key
 * is written to a file, and each simulator has its own keys.
 */
export function issueServerCertificate(kind: CertificateKind, kept?: Authority, withClient = false) {
  const authority = kept
    ? { name: AUTHORITY_NAME, key: createPrivateKey(kept.caKey) }
    : newHolder(AUTHORITY_NAME);
  const server = newHolder('Provider Simulator');
  const client = withClient ? newHolder('Simulated client') : undefined;
  const signed = (subject: KeyHolder, issuer: KeyHolder, use: Use, validity = VALID) => ({
    cert: createCertificate({ subject, issuer, use, ...validity }),
    key: pemOf(subject),
  });
  return {
    ca: kept?.ca ?? signed(authority, authority, 'authority').cert,
    caKey: pemOf(authority),
    /** A certificate of the same authority, for every client. */
    client: client && signed(client, authority, 'client'),
    ...signed(
      server,
      kind === 'self-signed' ? server : authority,
      kind === 'wrong-host' ? ELSEWHERE : LOOPBACK,
      kind === 'expired' ? EXPIRED : VALID,
    ),
  };
}

/** A certificate for the private key of a client. Its authority signs nothing else. */
export function createClientCertificate(name: string, key: KeyObject): string {
  return createCertificate({
    subject: { name, key },
    issuer: newHolder('Simulated clients'),
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + 365 * DAY_MS),
    use: 'client',
  });
}

function pemOf({ key }: KeyHolder): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function newHolder(name: string): KeyHolder {
  return { name, key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey };
}
