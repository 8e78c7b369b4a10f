import tls, { type PeerCertificate } from 'node:tls';

type NameCheck = (host: string, certificate: PeerCertificate) => Error | undefined;

/**
 * The application may have a function that refuses certificates, for example to pin a certificate. Node calls such a
 * function and skips its own check. This function runs both checks: the certificate must always be for the name of the
 * host (S9).
 */
export function withNameCheck(check: NameCheck): NameCheck {
  return (host, certificate) => tls.checkServerIdentity(host, certificate) ?? check(host, certificate);
}
