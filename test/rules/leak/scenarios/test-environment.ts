import { ProviderSimulator } from '../../../../lib/testing/index.js';
import { BUILT_IN_PROVIDER, type ProviderUnderTest } from '../../../support/application/every-term.js';
import { ConnectProxy } from '../../../support/http/connect-proxy.js';
import { canariesOf } from '../../../support/secrets/simulated-canaries.js';

const PROXY_PASSWORD = 'canary-proxy-pass-0815';

/** The servers that the scenarios of a spec share. `reset()` removes the scripts and records of a scenario. */
export class TestEnvironment {
  private constructor(
    readonly providerUnderTest: ProviderUnderTest,
    readonly provider: ProviderSimulator,
    /** A provider with a certificate that no client trusts. */
    readonly untrusted: ProviderSimulator,
    private readonly tunnels: ConnectProxy,
    /** The clients are those of this account. */
    readonly account: string | undefined,
  ) {}

  static async start(providerUnderTest = BUILT_IN_PROVIDER, account?: string): Promise<TestEnvironment> {
    const [provider, untrusted, tunnels] = await Promise.all([
      providerUnderTest.simulate(),
      ProviderSimulator.start({ certificate: 'self-signed' }),
      ConnectProxy.open(),
    ]);
    if (account !== undefined) provider.addAccount(account);
    return new TestEnvironment(providerUnderTest, provider, untrusted, tunnels, account);
  }

  get api(): ProviderSimulator['api'] {
    return this.provider.api;
  }

  /** The base URL of the clients, unless a scenario sets another one. */
  get baseUrl(): string {
    return this.provider.baseUrl('easy', 'sandbox');
  }

  get untrustedUrl(): string {
    return this.untrusted.baseUrl('easy', 'sandbox');
  }

  /** A port without TLS. */
  get plainUrl(): string {
    return `https://127.0.0.1:${this.tunnels.port}/v1`;
  }

  /** No server listens to port 1, the port of the TCP multiplexer. */
  readonly deadUrl = 'https://127.0.0.1:1/v1';

  /** RFC 2606 reserves `.invalid`, so this name does not exist. */
  readonly unknownUrl = 'https://unknown-name.invalid/v1';

  /** The settings of a proxy that opens tunnels. */
  get proxy() {
    const auth = { username: 'canary', password: PROXY_PASSWORD };
    return { ...this.tunnels.setting, auth };
  }

  /** All secrets that must not leak: what the provider and the proxy received, and the tokens that the provider issued. */
  *canaries(): Generator<[name: string, value: string]> {
    yield ['proxy password', PROXY_PASSWORD];
    const { provider, account } = this;
    yield* canariesOf(provider.credentials('easy', 'sandbox'), provider.tokenRequests);
    if (account !== undefined)
      for (const [name, value] of canariesOf(provider.credentials('easy', 'sandbox', account), []))
        yield [`${name} of the account`, value];
  }

  reset(): void {
    this.provider.reset();
    this.untrusted.reset();
  }

  async close(): Promise<void> {
    this.tunnels.close();
    await Promise.all([this.provider.close(), this.untrusted.close()]);
  }
}
