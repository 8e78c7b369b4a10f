import type { PeerCertificate } from 'node:tls';
import { certificateFlaw, networkTrouble, isMatterOfTrust } from '../../errors/network-trouble.js';
import { remedyOf, type Trouble } from '../../errors/remedies.js';
import type { AddressSetting, NamedPair } from '../../errors/setting-names.js';
import type { Finding } from '../step.js';
import { TOO_SLOW } from '../../time/within.js';
import { numberOf } from '../number-of.js';

interface CertificateFacts {
  readonly issuer: string;
  readonly names: readonly string[];
  readonly daysLeft?: number;
}

/** The finding for a certificate that Node refused with this code. */
export function certificateFailure(
  code: string,
  certificate: Pick<PeerCertificate, 'valid_from' | 'valid_to'>,
  { issuer, names, daysLeft = 0 }: CertificateFacts,
  pair: NamedPair,
  address: AddressSetting,
): Finding {
  const known = networkTrouble(code);
  const trouble = isMatterOfTrust(known) ? known : 'untrusted-certificate';
  const ago = trouble === 'expired-certificate' && daysLeft < 0 ? `, ${numberOf(-daysLeft, 'day')} ago` : '';
  const flaw =
    trouble === 'wrong-name'
      ? ` is for ${names.join(', ') || 'no host at all'}, not for this host`
      : `, issued by ${issuer}, ${certificateFlaw(certificate, trouble)}${ago}`;
  return {
    status: 'failed',
    code,
    detail: `the certificate${flaw} (${code})`,
    advice: remedyOf(trouble, pair, address),
  };
}

interface FailedHandshake {
  readonly pair: NamedPair;
  readonly address: AddressSetting;
  /** Whether the server may have refused the client certificate. Node and others do so without an alert. */
  readonly mayBeRefused: boolean;
}

/** The finding for a handshake that failed or did not end. */
export function handshakeFailure(
  code = 'UNKNOWN',
  timeoutMs: number,
  { pair, address, mayBeRefused }: FailedHandshake,
): Finding {
  const trouble = handshakeTrouble(networkTrouble(code), mayBeRefused);
  return {
    status: 'failed',
    code,
    detail:
      code === TOO_SLOW
        ? `no TLS handshake within ${timeoutMs} ms (${code})`
        : `the TLS handshake failed (${code})`,
    advice: remedyOf(trouble, pair, address),
  };
}

function handshakeTrouble(known: Trouble, mayBeRefused: boolean): Trouble {
  // The connection is open, so the server does not speak TLS, or does not respond.
  if (known === 'unreachable' || known === 'no-connection') return 'no-tls';
  return known === 'broken-off' && mayBeRefused ? 'refused-client-certificate' : known;
}
