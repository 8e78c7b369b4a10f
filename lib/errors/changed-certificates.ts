import type { ClientTls } from '../net/client-tls.js';
import { errorCode } from './error-code.js';
import { isMatterOfTrust, networkTrouble } from './troubles.js';

/** Servers also reset connections for other reasons, so there may be many resets. */
const LOOK_AFTER_RESET_MS = 1_000;

/**
 * After a TLS failure, reads the certificates again, so that the next request uses the new ones. Returns whether this
 * request may be sent again: it failed for a certificate, so the server has not received it, and the certificates have changed.
 *
 * Some servers refuse a certificate with a reset. In TLS 1.3 it comes after the request, as if the server had received that. So
 * the request is not sent again, and does not wait.
 */
export async function readCertificatesAfter(
  error: unknown,
  tls: ClientTls,
  version: symbol,
): Promise<boolean> {
  const trouble = networkTrouble(errorCode(error));
  if (trouble === 'broken-off') tls.look(LOOK_AFTER_RESET_MS);
  // The server refused the handshake. It has not received the request.
  const isRefused = trouble === 'client-certificate' || trouble === 'refused-client-certificate';
  const isOfCertificate = isRefused || isMatterOfTrust(trouble);
  if (!isOfCertificate && trouble !== 'no-tls') return false;
  return (await tls.readAgainSince(version)) && isOfCertificate;
}
