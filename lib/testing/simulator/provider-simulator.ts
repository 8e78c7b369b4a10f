import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type AgentOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnyPair, hasTlsClients } from '../../catalogue/catalogue.js';
import type { ProviderEnvironment, ProviderInterface } from '../../catalogue/provider-catalogue.js';
import type { ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { WITHOUT_PROXY_OF_NODE } from '../../net/own-agent.js';
import { isObject } from '../../values/objects.js';
import {
  type AnyProvider,
  type EnvironmentOf,
  type InterfaceOf,
  type OptionsOf,
  requiredPartsOf,
} from '../any-provider.js';
import { receiveApiRequest } from './api-endpoint.js';
import type { SimulatorCredentials } from './client-check.js';
import { clientEnvironment, type ClientFiles, clientOptions } from './client-options.js';
import type { ProviderSimulatorOptions } from './provider-simulator-options.js';
import type { ApiRequestRecord, TokenRequestRecord } from './records.js';
import { ApiScripts, TokenScripts } from './scripts.js';
import { startServer } from './server.js';
import { createSimulation, type Simulation } from './simulation.js';
import { receiveTokenRequest } from './token-endpoint.js';

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
  readonly #simulation: Simulation;
  /** The folder for private keys. Created with the first key. */
  #folder: string | undefined;
  readonly #agents: Agent[] = [];
  #sharedAgent: Agent | undefined;
  #closed: Promise<void> | undefined;

  private constructor(simulation: Simulation) {
    const { scripts, tokens, server } = simulation;
    this.#simulation = simulation;
    this.ca = server.certificate.ca;
    this.token = new TokenScripts<Interface, Environment>({ kind: 'token' }, { scripts, tokens });
    this.api = new ApiScripts<Interface, Environment>({ kind: 'api' }, { scripts, tokens });
    server.https.on('request', (request, response) => {
      const destination = simulation.addresses.find(request.url ?? '');
      if (destination.kind === 'token') receiveTokenRequest(simulation, request, response, destination);
      else receiveApiRequest(simulation, request, response, destination);
    });
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
    const { catalogue } = requiredPartsOf(options.provider);
    const server = await startServer(options, hasTlsClients(catalogue));
    return new ProviderSimulator(createSimulation(catalogue, server, options));
  }

  /** Scheme, host and port. `localhost` works instead of the IP address too. */
  get origin(): string {
    return this.#simulation.server.origin;
  }

  /**
   * The token requests received so far, in order. A good client makes exactly one per token lifetime.
   *
   * @example
   * expect(provider.tokenRequests.map(({ status }) => status)).toEqual([503, 200]);
   */
  get tokenRequests(): readonly TokenRequestRecord<Interface, Environment>[] {
    return this.#simulation.tokenRequests as TokenRequestRecord<Interface, Environment>[];
  }

  /**
   * The other requests received so far, in order. A request to an undocumented address has no interface.
   *
   * @example
   * expect(provider.apiRequests).toMatchObject([{ path: '/payments/7', status: 401 }, { path: '/payments/7', status: 200 }]);
   */
  get apiRequests(): readonly ApiRequestRecord<Interface, Environment>[] {
    return this.#simulation.apiRequests as ApiRequestRecord<Interface, Environment>[];
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
    const { catalogue, clients, server } = this.#simulation;
    // A client's own certificate for TLS belongs to one pair, and an agent to all of them.
    const takesTls = http?.httpsAgent === undefined || hasTlsClients(catalogue);
    const tls = takesTls ? { ca: this.ca, ...server.certificate.client } : {};
    return clientOptions(this.#simulation, tls, {
      ...(clients.accounts.size > 0 && {
        accounts: (account: string, pair: AnyPair) =>
          clients.accounts.has(account) ? clients.of({ ...pair, account }) : undefined,
      }),
      ...overrides,
      ...(interfaces && takesTls && { interfaces: this.#trusting(interfaces, tls) }),
    }) as object as Options;
  }

  /** The interfaces of a test. Its pairs may have `tls` of their own. */
  #trusting(interfaces: object, tls: object): object {
    const { environments } = this.#simulation.catalogue;
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
    return this.envWith({
      write: (name, content) => {
        const file = join((this.#folder ??= mkdtempSync(join(tmpdir(), 'provider-simulator-'))), name);
        // Only this user can read it.
        writeFileSync(file, content, { mode: 0o600 });
        return file;
      },
    });
  }

  /** The same with files that the caller chooses and writes. @internal */
  envWith(files: ClientFiles): Record<string, string> {
    return clientEnvironment(this.#simulation, files);
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
      ...this.#simulation.server.certificate.client,
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
    this.#simulation.clients.add(account);
  }

  /** The credentials for one pair, or for an account. The secret contains every character that wrong encoding breaks. */
  credentials(name: Interface, environment: Environment, account?: string): SimulatorCredentials {
    return this.#simulation.clients.of({ interface: name, environment, account });
  }

  /** The token URL. For originations, it's the same in both environments. */
  tokenUrl(name: Interface, environment: Environment): string {
    return this.#simulation.addresses.tokenUrl({ interface: name, environment });
  }

  /** The base URL: the addresses under it accept a token of this interface and environment. */
  baseUrl(name: Interface, environment: Environment): string {
    return this.#simulation.addresses.baseUrl({ interface: name, environment });
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
    return this.#simulation.clients.rotate({ interface: name, environment, account }, secret);
  }

  /** What the command `simulate` shows and changes. @internal */
  get simulation(): Simulation {
    return this.#simulation;
  }

  /**
   * Removes all records and scripts. Credentials and tokens stay valid. A request that a script already answers goes
   * on, and calls of the next test may wait for it: set a short `token.timeoutMs` for tests with `token.hang()`.
   *
   * @example
   * afterEach(() => provider.reset());
   */
  reset(): void {
    const { scripts, tokenRequests, apiRequests } = this.#simulation;
    scripts.clear();
    tokenRequests.length = 0;
    apiRequests.length = 0;
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
    await this.#simulation.server.close();
    // Last, because a file that another program has open may stay.
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

function mapped(given: object, change: (entry: [string, unknown]) => unknown): object {
  return Object.fromEntries(Object.entries(given).map((entry) => [entry[0], change(entry)]));
}
