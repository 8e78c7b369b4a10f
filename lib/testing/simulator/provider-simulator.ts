import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import { inspect } from 'node:util';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import { WITHOUT_PROXY_OF_NODE } from '../../net/own-agent-options.js';
import type { ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { Addresses } from './addresses.js';
import { ApiEndpoint } from './api-endpoint.js';
import { ApiScripts } from './api-scripts.js';
import { clientEnvironment, clientOptions } from './client-settings.js';
import { CredentialBook, type SimulatorCredentials } from './credential-book.js';
import { LoopbackServer } from './loopback-server.js';
import type { ProviderSimulatorOptions } from './provider-simulator-options.js';
import type { ApiRequestRecord, TokenRequestRecord } from './records.js';
import { Timers } from './timers.js';
import { TokenEndpoint } from './token-endpoint.js';
import { TokenMint } from './token-mint.js';
import { TokenScripts } from './token-scripts.js';
import type { SimulatorPublicKey } from './token-signer.js';

/**
 * The provider, on loopback: a real HTTPS server with a certificate authority of its own that keeps to the provider's
 * document to the letter, remembers what it received and misbehaves on request.
 *
 * @example
 * const provider = await ProviderSimulator.start();
 * const app = await Test.createTestingModule({
 *   imports: [ProviderAuthModule.forRoot(provider.options())],
 * }).compile();
 *
 * provider.token.next().status(503);          // the first token request fails, the second works
 * await firstValueFrom(app.get(EasyHttpService).get('/payments'));
 * expect(provider.tokenRequests).toHaveLength(2);
 *
 * await provider.close();
 */
export class ProviderSimulator {
  /** Scripts of the token endpoints, and revoking. */
  readonly token: TokenScripts;
  /** Scripts of the addresses under the base URLs. */
  readonly api: ApiScripts;
  /** PEM of the authority that a client must trust. */
  readonly ca: string;
  readonly #server: LoopbackServer;
  readonly #timers = new Timers();
  readonly #addresses: Addresses;
  readonly #credentials = new CredentialBook();
  readonly #mint: TokenMint;
  readonly #tokenEndpoint: TokenEndpoint;
  readonly #apiEndpoint: ApiEndpoint;
  readonly #environment: ProviderEnvironment;
  readonly #agents: Agent[] = [];
  #sharedAgent: Agent | undefined;
  #closed: Promise<void> | undefined;

  private constructor(server: LoopbackServer, options: ProviderSimulatorOptions) {
    const {
      lifetimeSeconds = 3600,
      latencyMs = 0,
      environment = 'sandbox',
      recordApiRequests = true,
    } = options;
    const now = options.now ?? (() => Date.now());
    const stage = { connections: server.connections, timers: this.#timers, latencyMs, now };
    this.ca = server.ca;
    this.#server = server;
    this.#environment = environment;
    this.#addresses = new Addresses(server.origin);
    this.#mint = new TokenMint(lifetimeSeconds, now);
    this.#tokenEndpoint = new TokenEndpoint(this.#addresses, this.#credentials, this.#mint, stage);
    this.#apiEndpoint = new ApiEndpoint(this.#mint, stage, recordApiRequests);
    this.token = new TokenScripts(this.#tokenEndpoint.scripts, this.#mint);
    this.api = new ApiScripts(this.#apiEndpoint.scripts, this.#apiEndpoint.earlyScripts);
    server.serve((request, response) => this.#receive(request, response));
  }

  /**
   * Starts a provider of its own on a free port; many may run side by side.
   *
   * @example
   * await using provider = await ProviderSimulator.start({ lifetimeSeconds: 2, latencyMs: 50 });
   */
  static async start(options: ProviderSimulatorOptions = {}): Promise<ProviderSimulator> {
    return new ProviderSimulator(await LoopbackServer.start(options.certificate ?? 'trusted'), options);
  }

  /** Scheme, host and port; `localhost` in place of the address works too. */
  get origin(): string {
    return this.#addresses.origin;
  }

  /**
   * The token requests received so far, in order. Exactly one a lifetime is what a good client needs.
   *
   * @example
   * expect(provider.tokenRequests.map(({ status }) => status)).toEqual([503, 200]);
   */
  get tokenRequests(): readonly TokenRequestRecord[] {
    return this.#tokenEndpoint.records;
  }

  /**
   * The other requests received so far, in order; those to undocumented addresses have no interface.
   *
   * @example
   * expect(provider.apiRequests).toMatchObject([{ path: '/payments/7', status: 401 }, { path: '/payments/7', status: 200 }]);
   */
  get apiRequests(): readonly ApiRequestRecord[] {
    return this.#apiEndpoint.records;
  }

  /**
   * Options for `ProviderAuthModule` that point here: all interfaces, all environments, an agent that trusts this
   * provider. `http` is merged, the other members are replaced.
   *
   * @example
   * ProviderAuthModule.forRoot(provider.options({ environment: 'production', http: { timeoutMs: 500 } }))
   */
  options(overrides: Partial<ProviderAuthOptions> = {}): ProviderAuthOptions {
    return clientOptions(this.#addresses, this.#credentials, this.#environment, {
      ...overrides,
      http: { httpsAgent: this.httpsAgent, ...overrides.http },
    });
  }

  /**
   * The same as environment variables for `providerAuthConfig`. Write `ca` to a file to trust it: for one interface and
   * environment through `PROVIDER_EASY_SANDBOX_CA_FILE` and its like, for all connections through `NODE_EXTRA_CA_CERTS`,
   * which Node reads when it starts.
   *
   * @example
   * await writeFile('ca.pem', provider.ca);
   * spawn('node', ['dist/main.js'], { env: { ...provider.env(), NODE_EXTRA_CA_CERTS: 'ca.pem' } });
   */
  env(): Record<string, string> {
    return clientEnvironment(this.#addresses, this.#credentials, this.#environment);
  }

  /** The agent that `options()` hands out: keep-alive, trusts this provider, destroyed by `close()`. */
  get httpsAgent(): Agent {
    return (this.#sharedAgent ??= this.agent());
  }

  /**
   * Another agent that trusts this provider, with keep-alive; `close()` destroys it.
   *
   * @example
   * provider.options({ http: { httpsAgent: provider.agent({ maxSockets: 64 }) } });
   */
  agent(options: AgentOptions = {}): Agent {
    const agent = new Agent({ ...WITHOUT_PROXY_OF_NODE, keepAlive: true, ca: this.ca, ...options });
    this.#agents.push(agent);
    return agent;
  }

  /** What an account representative would hand over. The secret holds every character that careless encoding breaks. */
  credentials(name: ProviderInterface, environment: ProviderEnvironment): SimulatorCredentials {
    return this.#credentials.of(name, environment);
  }

  /** Where tokens are asked for; of originations the same in both environments. */
  tokenUrl(name: ProviderInterface, environment: ProviderEnvironment): string {
    return this.#addresses.tokenUrl({ interface: name, environment });
  }

  /** Above all addresses that take a token of this interface and environment. */
  baseUrl(name: ProviderInterface, environment: ProviderEnvironment): string {
    return this.#addresses.baseUrl({ interface: name, environment });
  }

  /**
   * Gives the client another secret, one of your choice if you like; the old one is refused at once, tokens live on.
   *
   * @example
   * const secret = provider.rotateSecret('easy', 'sandbox');
   */
  rotateSecret(name: ProviderInterface, environment: ProviderEnvironment, secret?: string): string {
    return this.#credentials.rotate(name, environment, secret);
  }

  /** The public keys that the tokens are signed with, for those who check signatures. */
  jwks(): {
    /** One key: that of this simulator. */
    keys: SimulatorPublicKey[];
  } {
    return this.#mint.jwks();
  }

  /**
   * Forgets all records and scripts; credentials and tokens stay as they are.
   *
   * @example
   * afterEach(() => provider.reset());
   */
  reset(): void {
    this.#tokenEndpoint.reset();
    this.#apiEndpoint.reset();
  }

  /** Ends everything at once: open connections, hanging and dripping answers, agents, timers. A second call is as good. */
  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  /** As `close()`: for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Where it is and how much it received; nothing of what. */
  toJSON(): object {
    const { origin, tokenRequests, apiRequests } = this;
    return { origin, tokenRequests: tokenRequests.length, apiRequests: apiRequests.length };
  }

  /** The same. */
  [inspect.custom](): string {
    return `ProviderSimulator ${inspect(this.toJSON())}`;
  }

  async #end(): Promise<void> {
    this.#timers.close();
    for (const agent of this.#agents) agent.destroy();
    await this.#server.close();
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const destination = this.#addresses.find(request.url ?? '');
    if (destination?.kind === 'token') this.#tokenEndpoint.receive(request, response, destination);
    else this.#apiEndpoint.receive(request, response, destination);
  }
}
