import 'reflect-metadata'; // @peculiar/x509 looks up its classes through it
import { createPublicKey, type KeyObject, webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  PublicKey,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { givenFolder } from '../run/given-folder.js';

/** A client certificate, its private key, and the authority that issued the certificate, in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const createKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/** An authority that issues client certificates. */
export class ClientAuthority {
  /** @param name two authorities that a server accepts have two names. */
  static async create(name = 'Authority of Clients'): Promise<ClientAuthority> {
    const keys = await createKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned(
      {
        name: `CN=${name}`,
        keys,
        signingAlgorithm: ALGORITHM,
        extensions: [new BasicConstraintsExtension(true, 0, true)],
      },
      webcrypto,
    );
    return new ClientAuthority(name, keys, certificate.toString('pem'));
  }

  private constructor(
    private readonly name: string,
    private readonly keys: webcrypto.CryptoKeyPair,
    readonly ca: string,
  ) {}

  /** @param name the common name by which the server knows the client. */
  async issue(name: string, { notAfter = new Date('2099-12-31') } = {}): Promise<ClientCertificate> {
    const { publicKey, privateKey } = await createKeys();
    const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', privateKey);
    const cert = await this.#certify(name, publicKey, notAfter);
    return { cert, key: PemConverter.encode(pkcs8, 'PRIVATE KEY') };
  }

  /** A certificate for a key of any kind. */
  certify(name: string, key: KeyObject): Promise<string> {
    const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
    return this.#certify(name, new PublicKey(spki), new Date('2099-12-31'));
  }

  async #certify(name: string, publicKey: PublicKey | webcrypto.CryptoKey, notAfter: Date): Promise<string> {
    const certificate = await X509CertificateGenerator.create(
      {
        subject: `CN=${name}`,
        issuer: `CN=${this.name}`,
        notBefore: new Date('2000-01-01'),
        notAfter,
        publicKey,
        signingKey: this.keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])],
      },
      webcrypto,
    );
    return certificate.toString('pem');
  }
}

/** Files that end with the test, each with this content; the paths by the same names. */
export function filesOf<Name extends string>(contents: Readonly<Record<Name, string>>): Record<Name, string> {
  const folder = givenFolder();
  const paths = Object.entries<string>(contents).map(([name, content]) => {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, content);
    return [name, path] as const;
  });
  return Object.fromEntries(paths) as Record<Name, string>;
}
