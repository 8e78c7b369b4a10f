import type { AgentOptions } from 'node:https';

/**
 * All agents of this package get these options. axios makes the tunnel through a proxy. Node can make a tunnel too
 * (`NODE_USE_ENV_PROXY`), and nodejs/node#64528 would make this the default. Then a tunnel would run inside the other.
 * `null` prevents the tunnel of Node (B27). Versions of Node without this option ignore it.
 */
export const WITHOUT_PROXY_OF_NODE: AgentOptions & { readonly proxyEnv: null } = { proxyEnv: null };
