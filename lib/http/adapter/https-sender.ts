import type { Agent } from 'node:https';
import type { BaseAddress } from '../../net/base-address.js';
import { mayHaveEnvironmentProxy } from '../../net/environment-proxy.js';
import type { MadeOfTls } from '../../net/made-of-tls.js';
import { isPlainAgent, isPrivateAgent, privateAgentFor } from '../../net/private-agent.js';
import { HttpsExchange } from '../../wire/https-exchange.js';
import type { DirectSender } from '../../wire/wire-request.js';
import type { AdapterTraits } from './adapter-traits.js';
import { acceptsAnyServer, leadsElsewhere, leavesNameUnchecked } from './connection.js';

interface Settings {
  readonly base: BaseAddress;
  /** Give the agent of the moment. */
  readonly agents: Pick<MadeOfTls<Agent>, 'current'>;
  /** Of axios' http adapter. */
  readonly traits: AdapterTraits;
  /** Whether the application has switched off proxies. */
  readonly withoutProxy: boolean;
}

/** Sends direct requests by `node:https` (B16). */
export function httpsSender({ base, agents, traits, withoutProxy }: Settings): DirectSender {
  const { hostname, port } = new URL(base.origin);
  const address = { hostname: hostname.replace(/^\[|\]$/g, ''), port };
  return {
    givesCleanResponses: false,
    // axios looks for a proxy for each request, and reaches it.
    accepts: () =>
      isSafe(agents.current, traits) && (withoutProxy || !mayHaveEnvironmentProxy(base.origin, process.env)),
    send(request, result) {
      new HttpsExchange(request, result).start(address, privateAgentFor(agents.current) as Agent);
    },
  };
}

/** Whether the checks of an `AdapterPlan` allow the agent. An application may change its own agent at any time. */
function isSafe(agent: Agent, traits: AdapterTraits): boolean {
  if (isPrivateAgent(agent)) return true;
  if (!isPlainAgent(agent) || acceptsAnyServer({}, traits, agent)) return false;
  const settings = { httpsAgent: agent };
  return !leavesNameUnchecked(settings) && !leadsElsewhere(settings);
}
