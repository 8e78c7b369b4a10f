import type { ClientTls } from '../net/client-tls.js';
import { errorCode } from './error-code.js';
import { isMatterOfTrust, networkTrouble } from './network-trouble.js';
import type { Trouble } from './remedies.js';

/** Servers also reset connections for other reasons, so there may be many resets. */
const LOOK_AFTER_RESET_MS = 1_000;

/** The server refused the handshake. It has not received the request. */
const REFUSED: ReadonlySet<Trouble> = new Set(['client-certificate', 'refused-client-certificate']);

/**
 * After a TLS failure, reads the certificates again, so that the next request uses the new ones. Returns whether this
 * request may be sent again: it failed for a certificate, so the server has not received it, and the certificates have changed.
 *
 * Some servers refuse a certificate with a reset. In TLS 1.3 it comes after the request, as if the server had received that. So
 * the request is not sent again, and does not wait.
 */
export async function isForOldCertificates(
  error: unknown,
  tls: ClientTls,
  version: symbol,
): Promise<boolean> {
  const trouble = tlsTrouble(error);
  if (trouble === 'broken-off') tls.look(LOOK_AFTER_RESET_MS);
  if (trouble === undefined || trouble === 'broken-off') return false;
  return (await tls.readAgainSince(version)) && isOfCertificate(trouble);
}

/** Over HTTP/2, Node gives the stream that was cancelled, with the error of the handshake as its cause. */
function tlsTrouble(error: unknown, depth = 0): Trouble | undefined {
  const trouble = networkTrouble(errorCode(error));
  if (isOfCertificate(trouble) || trouble === 'no-tls') return trouble;
  const inner = error instanceof Error && depth < 3 ? tlsTrouble(error.cause, depth + 1) : undefined;
  return inner ?? (trouble === 'broken-off' ? trouble : undefined);
}

function isOfCertificate(trouble: Trouble): boolean {
  return isMatterOfTrust(trouble) || REFUSED.has(trouble);
}
