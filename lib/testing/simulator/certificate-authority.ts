import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { createCertificate, type KeyHolder, type ServerNames, type Use } from './certificate.js';

/** Many years, because a test may start the simulator with a fake clock, while TLS uses the real clock. */
const VALID = { notBefore: new Date('2000-01-01T00:00:00Z'), notAfter: new Date('2049-12-31T23:59:59Z') };
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

export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface ServerCertificate extends Authority, ClientCertificate {
  /** A certificate of the same authority, for every client. */
  readonly client: ClientCertificate | undefined;
}

const AUTHORITY_NAME = 'Provider Simulator CA';

/**
 * Creates a server certificate for the loopback names, and a certificate authority unless one is kept from an earlier start. No key
 * is written to a file, and each simulator has its own keys.
 */
export async function issueServerCertificate(
  kind: CertificateKind,
  kept?: Authority,
  withClient = false,
): Promise<ServerCertificate> {
  const [authority, server, client] = await Promise.all([
    kept === undefined ? keyHolder(AUTHORITY_NAME) : holderOf(kept),
    keyHolder('Provider Simulator'),
    withClient ? keyHolder('Simulated client') : undefined,
  ]);
  const signed = (subject: KeyHolder, issuer: KeyHolder, use: Use, validity = VALID): ClientCertificate => ({
    cert: createCertificate({ subject, issuer, use, ...validity }),
    key: pemOf(subject),
  });
  return {
    ca: kept?.ca ?? signed(authority, authority, 'authority').cert,
    caKey: pemOf(authority),
    client: client && signed(client, authority, 'client'),
    ...signed(
      server,
      kind === 'self-signed' ? server : authority,
      kind === 'wrong-host' ? ELSEWHERE : LOOPBACK,
      kind === 'expired' ? EXPIRED : VALID,
    ),
  };
}

function holderOf({ caKey }: Authority): KeyHolder {
  const privateKey = createPrivateKey(caKey);
  return { name: AUTHORITY_NAME, keys: { privateKey, publicKey: createPublicKey(privateKey) } };
}

function pemOf({ keys }: KeyHolder): string {
  return keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function keyHolder(name: string): Promise<KeyHolder> {
  return { name, keys: await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }) };
}
