import {
  acceptsAnyCertificate,
  insistsOnCertificates,
  leavesCertificatesUnchecked,
} from '../../net/certificate-checks.js';
import type { Carrier } from './adapter-traits.js';
import { type Connecting, settingsOfDispatcher } from './connection-settings.js';

/**
 * Whether a request names an agent, or settings for HTTP/2, that check no certificate, or leaves that to a process that
 * checks none: the token would go to whoever answers (S9). The configuration refuses both at boot, but a request may
 * bring what it likes, an agent may be changed, and the environment change.
 *
 * @param usualAgent what is used where a request names no agent.
 */
export function acceptsWhoeverAnswers(config: Connecting, carrier: Carrier, usualAgent: object): boolean {
  const { http2Options, dispatcher } = config;
  const httpsAgent = config.httpsAgent ?? (carrier.managesConnections ? undefined : usualAgent);
  if (httpsAgent !== undefined && acceptsAnyCertificate(httpsAgent)) return true;
  if (http2Options !== undefined && acceptsAnyCertificate({ options: http2Options })) return true;
  if (settingsOfDispatcher(dispatcher).some((options) => acceptsAnyCertificate({ options }))) return true;
  if (!leavesCertificatesUnchecked(process.env)) return false;
  return !insists(config, carrier, usualAgent);
}

/** Where no connection is known to be made, as by a stub, there is nothing to check either. */
function insists(
  { httpsAgent, httpVersion, http2Options }: Connecting,
  carrier: Carrier,
  usualAgent: object,
): boolean {
  if (carrier.isFetch) return false;
  if (Number(httpVersion ?? 1) === 2) return insistsOnCertificates({ options: http2Options });
  if (httpsAgent !== undefined) return insistsOnCertificates(httpsAgent);
  return !carrier.isHttp || carrier.managesConnections === true || insistsOnCertificates(usualAgent);
}

/** The same of a hop of a redirect, after what a hook has done to its options. */
export function hopsToWhoeverAnswers(options: Record<string, unknown>): boolean {
  const { agent, agents } = options;
  const chosen: unknown =
    typeof agents === 'object' && agents !== null ? Reflect.get(agents, 'https') : undefined;
  if ([{ options }, agent, chosen].some(acceptsAnyCertificate)) return true;
  return (
    leavesCertificatesUnchecked(process.env) && ![{ options }, chosen ?? agent].some(insistsOnCertificates)
  );
}
