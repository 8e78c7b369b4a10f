import type { Agent } from 'node:https';
import type { Profile } from '../config/options/profile.js';
import {
  type Explanation,
  RequestRefusedError,
  UNCHECKED_CERTIFICATE,
  UNCHECKED_NAME,
} from '../errors/request-refused.error.js';
import type { Carrier } from './adapter/adapter-traits.js';
import { type Connecting, leadsElsewhere, leavesNameUnchecked } from './adapter/connection-settings.js';
import type { BaseAddress, RequestAddress } from '../net/base-address.js';
import { namesAnotherHost } from './own-credentials.js';
import { acceptsWhoeverAnswers } from './adapter/unchecked-connection.js';
import { isPrivateAgent } from '../net/private-agent.js';
import type { WireConfig } from './adapter/wire-config.js';

export interface RequestCheckSettings {
  readonly profile: Pick<Profile, 'interface' | 'environment'>;
  readonly base: BaseAddress;
  /** Used where the caller names none. */
  readonly agent: Agent;
}

/** A copy of a config that is about to be sent. */
export interface CheckedRequest {
  readonly wire: WireConfig;
  readonly address: RequestAddress;
  /** The connection as the caller set it: in the copy an agent of ours stands in its place. */
  readonly connecting: Connecting;
  readonly carrier: Carrier;
}

/** Throws unless a copy may be sent: to its address (S6), over its connection (S9). */
export function assertMayBeSent(
  { wire, address, connecting, carrier }: CheckedRequest,
  { profile, base, agent }: RequestCheckSettings,
): void {
  const refusal = (why: Explanation): RequestRefusedError =>
    new RequestRefusedError('INSECURE_URL', profile, why);
  let goesElsewhere = namesAnotherHost(wire, base.host);
  if (saysAnything(connecting) || !hasCheckedConnections(carrier, agent)) {
    if (acceptsWhoeverAnswers(connecting, carrier, agent)) throw refusal(UNCHECKED_CERTIFICATE);
    const usual = carrier.managesConnections ? undefined : agent;
    const used = { ...connecting, httpsAgent: connecting.httpsAgent ?? usual };
    if (leavesNameUnchecked(used)) throw refusal(UNCHECKED_NAME);
    goesElsewhere ||= leadsElsewhere(used);
  }
  const verdict = goesElsewhere ? 'OUTSIDE_BASE_URL' : address.verdict;
  if (verdict !== 'UNDER_BASE_URL') throw new RequestRefusedError(verdict, profile);
}

/** Those that a transport makes, or an agent of ours, were checked at boot and have not changed since. */
function hasCheckedConnections(carrier: Carrier, agent: Agent): boolean {
  return carrier.managesConnections === true || (!carrier.isFetch && isPrivateAgent(agent));
}

function saysAnything({ httpsAgent, httpVersion, http2Options, dispatcher }: Connecting): boolean {
  return (httpsAgent ?? httpVersion ?? http2Options ?? dispatcher ?? undefined) !== undefined;
}
