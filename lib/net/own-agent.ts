import { Agent, type AgentOptions } from 'node:https';
import { withoutInherited } from './pollution.js';

/**
 * All agents of this package get these options. axios makes the tunnel through a proxy. Node can make a tunnel too
 * (`NODE_USE_ENV_PROXY`), and nodejs/node#64528 would make this the default. Then a tunnel would run inside the other.
 * `null` prevents the tunnel of Node (B27). Versions of Node without this option ignore it.
 */
export const WITHOUT_PROXY_OF_NODE: AgentOptions & { readonly proxyEnv: null } = { proxyEnv: null };

type CreateConnection = Agent['createConnection'];

/** An agent whose connections a polluted `Object.prototype` does not change (B36). */
export class OwnAgent extends Agent {
  override createConnection(
    ...[options, connected]: Parameters<CreateConnection>
  ): ReturnType<CreateConnection> {
    return super.createConnection(withoutInherited(options), connected);
  }
}
