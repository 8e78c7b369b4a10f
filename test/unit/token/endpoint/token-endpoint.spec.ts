import { getEventListeners } from 'node:events';
import { Agent } from 'node:https';
import { describe, expect, it, vi } from 'vitest';
import type { InterfaceTerms } from '../../../../lib/catalogue/catalogue.js';
import type { Profile } from '../../../../lib/config/options/profile.js';
import { ClientTls } from '../../../../lib/net/client-tls.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import type { ProviderSimulator } from '../../../../lib/testing/index.js';
import { type Clock, systemClock } from '../../../../lib/time/clock.js';
import { TokenEndpoint, type TokenEndpointSettings } from '../../../../lib/token/endpoint/token-endpoint.js';
import { TokenOrigin } from '../../../../lib/token/token-origins.js';
import { signedAssertion } from '../../../support/secrets/signed-assertion.js';
import { requestsTo } from '../../../support/http/requests-to.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { startSimulator } from '../../../support/application/simulator.js';
import { errorOf, profileOf } from '../../../support/token/token-fixtures.js';

/** Late enough for whatever a test waits for. */
const WITHIN_MS = 20_000;

/** Asks a simulator for a token, as the layer above the token endpoint does. */
class Asking {
  readonly #profile: Profile;
  readonly #secret: Secret;

  constructor(
    readonly provider: ProviderSimulator,
    {
      secret,
      tls,
      terms,
      credential,
    }: { secret?: string; tls?: ClientTls; terms?: InterfaceTerms; credential?: Profile['credential'] } = {},
    readonly tokenUrl = provider.tokenUrl('easy', 'sandbox'),
  ) {
    const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
    this.#profile = profileOf({
      tokenUrl,
      clientId: new Secret(clientId),
      ...(tls && { tls }),
      ...(credential && { credential }),
      ...(terms && { provider: 'warehouse', terms }),
    });
    this.#secret = new Secret(secret ?? clientSecret);
  }

  static async start(): Promise<Asking> {
    return new Asking(await startSimulator());
  }

  /** A provider that gives this answer. */
  static async answered(
    status: number,
    headers = {},
    body = '',
    client: ConstructorParameters<typeof Asking>[1] = {},
  ): Promise<Asking> {
    const asking = new Asking(await startSimulator(), client);
    asking.provider.token.handler((_, response) => void response.writeHead(status, headers).end(body));
    return asking;
  }

  /** The token client of an application with these settings. */
  endpoint(settings: Partial<TokenEndpointSettings> = {}, clock: Clock = systemClock): TokenEndpoint {
    const given = { httpsAgent: this.provider.httpsAgent, proxy: undefined, ...settings };
    // In an application, the members belong to the prototype of the settings.
    const inherited = Object.create(given) as typeof given;
    return new TokenEndpoint(this.#profile, inherited, clock, new TokenOrigin(systemClock));
  }

  async token(
    manner?: Parameters<TokenEndpoint['request']>[2],
    settings: Partial<TokenEndpointSettings> = {},
    clock: Clock = systemClock,
  ): Promise<string> {
    return this.tokenOf(this.endpoint(settings, clock), manner);
  }

  async tokenOf(endpoint: TokenEndpoint, manner?: Parameters<TokenEndpoint['request']>[2]): Promise<string> {
    return (await endpoint.request(this.#secret, WITHIN_MS, manner)).reveal();
  }
}

describe('a client assertion that another system signed', () => {
  const TOKEN = JSON.stringify({ access_token: 'one', token_type: 'Bearer', expires_in: 60 });
  const ends = new FakeClock().wall() / 1000;

  it('B32: is not sent if it expires in this moment', async () => {
    const secret = await signedAssertion({ exp: ends });
    const asking = await Asking.answered(200, {}, TOKEN, {
      secret,
      terms: { clientAuth: 'client_assertion' },
    });
    expect(await errorOf(asking.token({}, {}, new FakeClock()))).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      message: expect.stringContaining('the client assertion expired 0 s ago and was not sent.'),
    });
    expect(asking.provider.tokenRequests).toEqual([]);
  });

  it.each([
    ['expires in a second', { exp: ends + 1 }, 'client_assertion'],
    ['says nothing of its end', {}, 'client_assertion'],
    ['has expired, but is the client secret', { exp: 1 }, 'post'],
  ] as const)('B32: is sent if it %s', async (_, claims, clientAuth) => {
    const secret = await signedAssertion(claims);
    const asking = await Asking.answered(200, {}, TOKEN, { secret, terms: { clientAuth } });
    expect(await asking.token({}, {}, new FakeClock())).toBe('one');
    expect(asking.provider.tokenRequests[0]?.body.toString()).toContain(secret);
  });
});

describe('an agent that was changed after the boot', () => {
  it('S9: gets no secret while it is of another class and checks no certificate', async () => {
    class OwnAgent extends Agent {}
    const asking = await Asking.start();
    const httpsAgent = new OwnAgent({ ca: asking.provider.ca });
    const endpoint = asking.endpoint({ httpsAgent });
    await asking.tokenOf(endpoint);
    httpsAgent.options.rejectUnauthorized = false;
    expect(await errorOf(asking.tokenOf(endpoint))).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      message: expect.stringContaining('http.httpsAgent turns off certificate checks'),
      failure: { transient: false, local: true },
    });
    expect(asking.provider.tokenRequests).toHaveLength(1);
  });
});

describe('an answer that says all by its status', () => {
  it.each([302, 503])('B13: the body of a %i that never ends is not waited for', async (status) => {
    const asking = await Asking.start();
    const closed = new Promise((resolve) => {
      asking.provider.token.handler((request, response) => {
        request.socket.once('close', resolve);
        response.writeHead(status).write('and so on');
      });
    });
    expect(await errorOf(asking.token())).toMatchObject({ status });
    await closed;
  });
});

describe('the answer of the token endpoint', () => {
  it('B29: that a busy process reads late is no failure of the token endpoint', async () => {
    const asking = await Asking.start();
    const clock = new FakeClock();
    asking.provider.token.handler((_, response) => {
      response.end(JSON.stringify({ access_token: 'one', token_type: 'Bearer', expires_in: 60 }));
      clock.setMonotonicBy(WITHIN_MS + 1_000);
      // Node runs a late timer before it reads what has arrived.
      const [deadline] = clock.pending();
      if (deadline === undefined) throw new Error('The request has no time limit.');
      deadline.callback();
    });
    expect(await asking.token({}, {}, clock)).toBe('one');
  });
});

/** The authorities of a pair, which do not include that of the simulator until they are read again. */
function changingTls(read: () => Promise<ClientTls | undefined>): ClientTls {
  const source = { pair: { interface: 'easy', environment: 'sandbox' }, cert: 'CERT_FILE', read };
  return new ClientTls({}, source, systemClock, { warn() {}, log() {} });
}

describe('S9: the authorities of a pair', () => {
  it('B34: that have not changed are no reason to send a request once more', async () => {
    const read = vi.fn<() => Promise<undefined>>(async () => undefined);
    const asking = new Asking(await startSimulator(), { tls: changingTls(read) });
    const requests = requestsTo(asking.provider.origin);
    await expect(asking.token({}, { httpsAgent: undefined })).rejects.toThrow('not trusted');
    expect([requests.length, read.mock.calls.length]).toEqual([1, 1]);
  });

  it('B9: that are read again for long hold up no request that is ended', async () => {
    const ending = new AbortController();
    const tls = changingTls(() => {
      ending.abort();
      return new Promise(() => {});
    });
    const asking = new Asking(await startSimulator(), { tls });
    const error = await errorOf(asking.token({ signal: ending.signal }, { httpsAgent: undefined }));
    expect(String(error)).toContain('not trusted');
  });

  it('B34: leave no listener on the signal of a failed request, which Node 20 would keep for ever', async () => {
    const combined = vi.spyOn(AbortSignal, 'any');
    const tls = new ClientTls({});
    const asking = new Asking(await startSimulator(), { tls }, 'https://127.0.0.1:9/auth/v0/connect/token');
    const { signal } = new AbortController();
    expect(await errorOf(asking.token({ signal }, { httpsAgent: undefined }))).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
    });
    const [ended] = combined.mock.results;
    expect(getEventListeners(ended?.value as AbortSignal, 'abort')).toEqual([]);
  });
});
