import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import { type AnyPair, type Catalogue, hasTlsClients } from '../../catalogue/catalogue.js';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { BUILT_IN } from '../../module/built-in.js';
import { WITHOUT_PROXY_OF_NODE } from '../../net/own-agent.js';
import { isObject } from '../../values/objects.js';
import {
  type AnyProvider,
  type EnvironmentOf,
  type InterfaceOf,
  type OptionsOf,
  requiredPartsOf,
} from '../any-provider.js';
import { Addresses } from './addresses.js';
import { ApiEndpoint, type EndpointParts } from './api-endpoint.js';
import type { Authority, ClientCertificate } from './certificate-authority.js';
import { ClientCheck, type SimulatorCredentials } from './client-check.js';
import {
  clientEnvironment,
  type ClientFiles,
  clientOptions,
  type ClientSettings,
  KeyFiles,
} from './client-options.js';
import type { Script } from './exchange.js';
import { IssuedTokens, type NewestToken } from './issued-tokens.js';
import type { ProviderSimulatorOptions } from './provider-simulator-options.js';
import type { ApiRequestRecord, ReceivedRequest, TokenRequestRecord } from './records.js';
import { ScriptQueue } from './script-queue.js';
import { ApiScripts, TokenScripts } from './scripts.js';
import { LoopbackServer } from './server.js';
import { SimulatedTokenEndpoint } from './token-endpoint.js';

/**
 * Plays the provider on loopback: a real HTTPS server with its own certificate authority. It behaves exactly as the provider's
 * documentation says, records every request, and fails when a test asks for it.
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
export class ProviderSimulator<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
  Options extends object = ProviderAuthOptions,
> {
  /** Scripts what the token endpoints answer, and revokes tokens. */
  readonly token: TokenScripts<Interface, Environment>;
  /** Scripts what the addresses under the base URLs answer. */
  readonly api: ApiScripts<Interface, Environment>;
  /** The certificate authority that clients must trust, as PEM. */
  readonly ca: string;
  readonly #server: LoopbackServer;
  readonly #parts: EndpointParts;
  readonly #tokenEndpoint: SimulatedTokenEndpoint;
  readonly #apiEndpoint: ApiEndpoint;
  readonly #client: ClientSettings;
  readonly #keyFiles = new KeyFiles();
  readonly #agents: Agent[] = [];
  #sharedAgent: Agent | undefined;
  #closed: Promise<void> | undefined;

  private constructor(
    server: LoopbackServer,
    catalogue: Catalogue,
    options: ProviderSimulatorOptions<string>,
  ) {
    const { latencyMs = 0, now = () => Date.now() } = options;
    const { environment = catalogue.environments[0] ?? '' } = options;
    const addresses = new Addresses(server.origin, catalogue);
    const clients = new ClientCheck(catalogue, addresses, now, options.credentials);
    const tokens = new IssuedTokens(now);
    const scripts = new ScriptQueue();
    const { sockets } = server;
    this.#parts = { addresses, catalogue, clients, tokens, scripts, sockets, latencyMs, now, observers: [] };
    this.#tokenEndpoint = new SimulatedTokenEndpoint(this.#parts, options);
    this.#apiEndpoint = new ApiEndpoint(this.#parts, options);
    this.#client = { catalogue, addresses, clients, environment };
    this.ca = server.certificate.ca;
    this.#server = server;
    this.token = new TokenScripts<Interface, Environment>(scripts, tokens);
    this.api = new ApiScripts<Interface, Environment>(scripts);
    server.serve((request, response) => this.#receive(request, response));
  }

  /**
   * Plays your own provider, with its definition's interfaces and environments.
   *
   * @example
   * await using simulated = await ProviderSimulator.start({ provider: warehouse });
   */
  static start<Provider extends AnyProvider>(
    options: ProviderSimulatorOptions<EnvironmentOf<Provider>> & {
      /** What `defineProvider` returned. */
      provider: Provider;
    },
  ): Promise<ProviderSimulator<InterfaceOf<Provider>, EnvironmentOf<Provider>, OptionsOf<Provider>>>;
  /**
   * Starts a simulator, by default on a free port. Any number of them can run at the same time.
   *
   * @example
   * await using provider = await ProviderSimulator.start({ lifetimeSeconds: 2, latencyMs: 50 });
   */
  static start(options?: ProviderSimulatorOptions): Promise<ProviderSimulator>;
  static async start(
    options: ProviderSimulatorOptions<string> & { provider?: AnyProvider } = {},
  ): Promise<unknown> {
    const { catalogue } = options.provider === undefined ? BUILT_IN : requiredPartsOf(options.provider);
    const server = await LoopbackServer.start(options, hasTlsClients(catalogue));
    return new ProviderSimulator(server, catalogue, options);
  }

  /** Scheme, host and port. `localhost` works instead of the IP address too. */
  get origin(): string {
    return this.#parts.addresses.origin;
  }

  /**
   * The token requests received so far, in order. A good client makes exactly one per token lifetime.
   *
   * @example
   * expect(provider.tokenRequests.map(({ status }) => status)).toEqual([503, 200]);
   */
  get tokenRequests(): readonly TokenRequestRecord<Interface, Environment>[] {
    return this.#tokenEndpoint.records as readonly unknown[] as TokenRequestRecord<Interface, Environment>[];
  }

  /**
   * The other requests received so far, in order. A request to an undocumented address has no interface.
   *
   * @example
   * expect(provider.apiRequests).toMatchObject([{ path: '/payments/7', status: 401 }, { path: '/payments/7', status: 200 }]);
   */
  get apiRequests(): readonly ApiRequestRecord<Interface, Environment>[] {
    return this.#apiEndpoint.records as readonly unknown[] as ApiRequestRecord<Interface, Environment>[];
  }

  /**
   * Returns options for `ProviderAuthModule` that lead to this simulator: all interfaces and environments. Your members replace
   * these. Each pair has `tls` that trusts its certificate, also each pair of your own `interfaces` that has no `tls`. With your
   * own `http.httpsAgent`, the pairs get none, because the module refuses both together: take an agent from `agent()`.
   *
   * @example
   * ProviderAuthModule.forRoot(provider.options({ environment: 'production', http: { timeoutMs: 500 } }))
   */
  options(overrides: Partial<Options> = {}): Options {
    const { http, interfaces }: Partial<Pick<ProviderAuthOptions, 'http' | 'interfaces'>> = overrides;
    // A client's own certificate for TLS belongs to one pair, and an agent to all of them.
    const takesTls = http?.httpsAgent === undefined || hasTlsClients(this.#parts.catalogue);
    const tls = takesTls ? { ca: this.ca, ...this.clientCertificate } : {};
    return clientOptions(this.#client, tls, {
      ...(this.#parts.clients.accounts.size > 0 && {
        accounts: (account: string, { interface: name, environment }: AnyPair) =>
          this.#parts.clients.accounts.has(account)
            ? this.#parts.clients.of(name, environment, account)
            : undefined,
      }),
      ...overrides,
      ...(interfaces && takesTls && { interfaces: this.#trusting(interfaces, tls) }),
    }) as object as Options;
  }

  /** The interfaces of a test. Its pairs may have `tls` of their own. */
  #trusting(interfaces: object, tls: object): object {
    const { environments } = this.#parts.catalogue;
    const trusting = ([environment, pair]: [string, unknown]) =>
      environments.includes(environment) && isObject(pair) ? { tls, ...pair } : pair;
    return mapped(interfaces, ([, given]) => (isObject(given) ? mapped(given, trusting) : given));
  }

  /**
   * Returns the same options as variables for `providerAuthConfig`. To trust the simulator, write `ca` to a file and name it in
   * variables such as `PROVIDER_EASY_SANDBOX_CA_FILE`, or in `NODE_EXTRA_CA_CERTS` for all connections, which Node reads when
   * it starts.
   *
   * @example
   * await writeFile('ca.pem', provider.ca);
   * spawn('node', ['dist/main.js'], { env: { ...process.env, ...provider.env(), NODE_EXTRA_CA_CERTS: 'ca.pem' } });
   */
  env(): Record<string, string> {
    return this.envWith({ keyFileOf: this.#keyFiles.write });
  }

  /** The same with files that the caller chooses and writes. @internal */
  envWith(files: ClientFiles): Record<string, string> {
    return clientEnvironment(this.#client, files);
  }

  /** An agent with keep-alive that trusts this simulator. `close()` destroys it. */
  get httpsAgent(): Agent {
    return (this.#sharedAgent ??= this.agent());
  }

  /**
   * Creates another agent with keep-alive that trusts this simulator. `close()` destroys it.
   *
   * @example
   * provider.options({ http: { httpsAgent: provider.agent({ maxSockets: 64 }) } });
   */
  agent(options: AgentOptions = {}): Agent {
    const agent = new Agent({
      ...WITHOUT_PROXY_OF_NODE,
      keepAlive: true,
      ca: this.ca,
      ...this.clientCertificate,
      ...options,
    });
    this.#agents.push(agent);
    return agent;
  }

  /**
   * Gives an account its own credentials for each interface and environment. `options()` then includes `accounts`, and request
   * records show the account.
   *
   * @example
   * provider.addAccount('merchant-42');
   */
  addAccount(account: string): void {
    this.#parts.clients.add(account);
  }

  /** The credentials for one pair, or for an account. The secret contains every character that wrong encoding breaks. */
  credentials(name: Interface, environment: Environment, account?: string): SimulatorCredentials {
    return this.#parts.clients.of(name, environment, account);
  }

  /** The token URL. For originations, it's the same in both environments. */
  tokenUrl(name: Interface, environment: Environment): string {
    return this.#parts.addresses.tokenUrl({ interface: name, environment });
  }

  /** The base URL: the addresses under it accept a token of this interface and environment. */
  baseUrl(name: Interface, environment: Environment): string {
    return this.#parts.addresses.baseUrl({ interface: name, environment });
  }

  /**
   * Changes a client's secret, or its private key if it has one, to `secret` or to a new random one, and returns it. The old
   * one is refused at once; tokens stay valid. With `client_assertion`, the platform gets another key, and you get a new
   * assertion.
   *
   * @example
   * const secret = provider.rotateSecret('easy', 'sandbox');
   */
  rotateSecret(name: Interface, environment: Environment, secret?: string, account?: string): string {
    return this.#parts.clients.rotate(name, environment, secret, account);
  }

  /** The certificate that each client must show. Undefined if none is demanded. @internal */
  get clientCertificate(): ClientCertificate | undefined {
    return this.#server.certificate.client;
  }

  /** The certificate authority with its key, for the next start. @internal */
  get authority(): Authority {
    return this.#server.certificate;
  }

  /** All pairs of interface and environment. @internal */
  get pairs(): readonly AnyPair[] {
    return this.#parts.catalogue.pairs;
  }

  /** The newest token of a pair, without the token itself. @internal */
  newestToken(pair: AnyPair): NewestToken | undefined {
    return this.#parts.tokens.newestOf(pair);
  }

  /** The scripts that wait for requests. @internal */
  get waitingScripts(): readonly Omit<Script, 'action'>[] {
    return this.#parts.scripts.waiting;
  }

  /** Removes one of `waitingScripts`. Returns whether it still waited. @internal */
  takeBack(id: number): boolean {
    return this.#parts.scripts.remove(id);
  }

  /** Reports each request when its answer has ended. @internal */
  onRequest(observer: (request: ReceivedRequest<string, string>) => void): void {
    this.#parts.observers.push(observer);
  }

  /**
   * Removes all records and scripts. Credentials and tokens stay valid. A request that a script already answers goes
   * on, and calls of the next test may wait for it: set a short `token.timeoutMs` for tests with `token.hang()`.
   *
   * @example
   * afterEach(() => provider.reset());
   */
  reset(): void {
    this.#parts.scripts.clear();
    this.#tokenEndpoint.records.length = 0;
    this.#apiEndpoint.records.length = 0;
  }

  /** Ends everything at once: connections, answers, agents and timers. Calling it again does nothing. */
  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    for (const agent of this.#agents) agent.destroy();
    await this.#server.close();
    // Last, because a file that another program has open may stay.
    this.#keyFiles.remove();
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const destination = this.#parts.addresses.find(request.url ?? '');
    if (destination?.kind === 'token') this.#tokenEndpoint.receive(request, response, destination);
    else this.#apiEndpoint.receive(request, response, destination);
  }
}

function mapped(given: object, change: (entry: [string, unknown]) => unknown): object {
  return Object.fromEntries(Object.entries(given).map((entry) => [entry[0], change(entry)]));
}
