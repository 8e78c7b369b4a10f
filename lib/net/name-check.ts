import tls, { type PeerCertificate } from 'node:tls';

type NameCheck = (host: string, certificate: PeerCertificate) => Error | undefined;

/**
 * A function of the application may refuse a certificate, as those do that pin one. Node asks such a function in place of
 * its own check, so this one asks both: the certificate must be for the name of the host all the same (S9).
 */
export function withNameCheck(check: NameCheck): NameCheck {
  return (host, certificate) => tls.checkServerIdentity(host, certificate) ?? check(host, certificate);
}
