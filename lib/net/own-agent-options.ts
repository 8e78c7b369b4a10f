import type { AgentOptions } from 'node:https';

/**
 * Every agent that this package makes gets these options. axios makes the tunnel through a proxy. Node can make one too
 * (`NODE_USE_ENV_PROXY`), and nodejs/node#64528 would let agents do so by default: a tunnel within the tunnel. `null`
 * forbids it (B27). A Node that does not know the option ignores it.
 */
export const WITHOUT_PROXY_OF_NODE: AgentOptions & { readonly proxyEnv: null } = { proxyEnv: null };
