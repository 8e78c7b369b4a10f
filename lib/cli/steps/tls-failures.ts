import type { Finding } from '../step.js';
import { TOO_SLOW } from '../within.js';

interface CertificateFacts {
  readonly issuer: string;
  readonly names: readonly string[];
  readonly validTo?: string;
  readonly daysLeft?: number;
}

/** What is wrong with a certificate, by Node's code of the refusal. */
export function certificateFailure(code: string, certificate: CertificateFacts): Finding {
  return { status: 'failed', code, ...explain(code, certificate) };
}

function explain(
  code: string,
  { issuer, names, validTo, daysLeft = 0 }: CertificateFacts,
): Pick<Finding, 'detail' | 'advice'> {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return {
        detail: `the certificate, issued by ${issuer}, expired on ${validTo?.slice(0, 10)}, ${-daysLeft} days ago (${code})`,
        advice: 'Tell the provider. If that day is still to come, the clock of this machine is wrong.',
      };
    case 'CERT_NOT_YET_VALID':
      return {
        detail: `the certificate, issued by ${issuer}, is not valid yet (${code})`,
        advice: 'Check the clock of this machine; if it is right, tell the provider.',
      };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return {
        detail: `the certificate is for ${names.join(', ') || 'no host at all'}, not for this host (${code})`,
        advice:
          'Compare the host of the token URL with what the provider gave you; a DNS entry or a hosts file may lead elsewhere.',
      };
    default:
      return {
        detail: `the certificate, issued by ${issuer}, is not trusted (${code})`,
        advice:
          'If it is a private authority, set NODE_EXTRA_CA_CERTS to its PEM file, for the application too (or pass http.httpsAgent there). ' +
          'If a proxy of your network opens TLS, that is its authority. Otherwise somebody may be in between: do not trust it.',
      };
  }
}

/** The handshake itself did not come to an end. */
export function handshakeFailure(code = 'UNKNOWN', timeoutMs: number): Finding {
  return code === TOO_SLOW
    ? {
        status: 'failed',
        code,
        detail: `no TLS handshake within ${timeoutMs} ms (${code})`,
        advice: 'What listens there may not speak TLS, or a firewall holds it up. Check the port.',
      }
    : {
        status: 'failed',
        code,
        detail: `the TLS handshake failed (${code})`,
        advice: 'Check the port: what listens there may not speak TLS, or wants a client certificate.',
      };
}
