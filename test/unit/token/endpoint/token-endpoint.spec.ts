import { getEventListeners } from 'node:events';
import { Agent } from 'node:https';
import { describe, expect, it, vi } from 'vitest';
import type { InterfaceTerms } from '../../../../lib/catalogue/catalogue.js';
import type { Profile } from '../../../../lib/config/options/profile.js';
import type { TokenRequestError } from '../../../../lib/errors/token-request.error.js';
import { ClientTls } from '../../../../lib/net/client-tls.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import type { ProviderSimulator } from '../../../../lib/testing/index.js';
import { type Clock, systemClock } from '../../../../lib/time/clock.js';
import { TokenEndpoint, type TokenEndpointSettings } from '../../../../lib/token/endpoint/token-endpoint.js';
import { TokenConnections } from '../../../../lib/token/endpoint/token-connections.js';
import { signedAssertion } from '../../../support/secrets/signed-assertion.js';
import { byName, ConnectProxy } from '../../../support/http/connect-proxy.js';
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

  static async byName(): Promise<Asking> {
    const provider = await startSimulator();
    return new Asking(provider, {}, byName(provider.tokenUrl('easy', 'sandbox')));
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
    return new TokenEndpoint(this.#profile, inherited, clock, new TokenConnections());
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

describe('the token request on its way', () => {
  it('B31: sends the grant type and the fields of a definition, and one field for each resource', async () => {
    const provider = await startSimulator();
    const terms: InterfaceTerms = {
      grantType: 'account_credentials',
      params: { account_id: 'a&b', ['__proto__']: 'c' },
      scope: 'read',
      resource: ['urn:a', 'urn:b'],
    };
    provider.token.handler((_, response) => {
      const body = { access_token: 'a', token_type: 'Bearer', expires_in: 60 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Asking(provider, { terms }).token();
    const form = [...new URLSearchParams(provider.tokenRequests[0]?.body.toString())];
    expect(form.filter(([field]) => !field.startsWith('client_'))).toEqual([
      ['grant_type', 'account_credentials'],
      ['scope', 'read'],
      ['resource', 'urn:a'],
      ['resource', 'urn:b'],
      ['account_id', 'a&b'],
      ['__proto__', 'c'],
    ]);
  });

  it.each([
    ['expiresIn', { expires_in: undefined }],
    ['tokenTypes', { token_type: 'mac' }],
    ['tokenCharacters', { access_token: 'a!' }],
  ])(
    'B31: an answer that %s would accept is an error that says so, but only for a definition',
    async (member, other) => {
      const provider = await startSimulator();
      const body = { access_token: 'a', token_type: 'Bearer', expires_in: 60, ...other };
      provider.token.handler((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
      const own = await errorOf(new Asking(provider, { terms: {} }).token());
      const builtIn = await errorOf(new Asking(provider).token());
      expect(own).toMatchObject({ code: 'TOKEN_RESPONSE_INVALID' });
      expect(String(own)).toContain(`set ${member} in the definition`);
      expect(builtIn).toMatchObject({ code: 'TOKEN_RESPONSE_INVALID' });
      expect(String(builtIn)).not.toContain('definition');
    },
  );
});

describe('a client assertion that another system signed', () => {
  const TOKEN = JSON.stringify({ access_token: 'one', token_type: 'Bearer', expires_in: 60 });
  const ends = new FakeClock().wall() / 1000;

  it.each([
    ['in this moment', { exp: ends }, 0],
    ['a minute ago', { exp: ends - 60 }, 60],
  ])('B32: is not sent if it expired %s', async (_, claims, seconds) => {
    const secret = await signedAssertion(claims);
    const asking = await Asking.answered(200, {}, TOKEN, {
      secret,
      terms: { clientAuth: 'client_assertion' },
    });
    expect(await errorOf(asking.token({}, {}, new FakeClock()))).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      message: expect.stringContaining(`the client assertion expired ${seconds} s ago and was not sent.`),
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

describe('a token request through a proxy', () => {
  it('S9: goes through the one of the options, as a tunnel to the token endpoint', async () => {
    const asking = await Asking.byName();
    const { setting, tunnels } = await ConnectProxy.start();
    await asking.token({}, { proxy: setting });
    expect(tunnels).toEqual([new URL(asking.tokenUrl).host]);
    expect(asking.provider.tokenRequests).toHaveLength(1);
  });

  it.each([
    ['goes through the one of the environment where the options say nothing', undefined, 1],
    ['goes straight where the options say so, whatever the environment says', false, 0],
  ] as const)('S9: %s', async (_, proxy, times) => {
    const asking = await Asking.byName();
    const { port, tunnels } = await ConnectProxy.start();
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${port}`);
    vi.stubEnv('NO_PROXY', '');
    await asking.token({}, { proxy });
    expect(tunnels).toHaveLength(times);
    expect(asking.provider.tokenRequests).toHaveLength(1);
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

  it('S9: lends its settings once: certificates are checked, whatever it says later', async () => {
    const asking = await Asking.start();
    const httpsAgent = asking.provider.agent();
    const endpoint = asking.endpoint({ httpsAgent });
    await asking.tokenOf(endpoint);
    Object.assign(httpsAgent.options, { rejectUnauthorized: false, ca: [] });
    await asking.tokenOf(endpoint);
    expect(asking.provider.tokenRequests).toHaveLength(2);
  });
});

describe('a token request that no caller waits for', () => {
  it('B9: ends with the work that it belongs to, and leaves no connection open', async () => {
    const asking = await Asking.start();
    const ending = new AbortController();
    const closed = new Promise((resolve) => {
      asking.provider.token.handler((request) => {
        request.socket.once('close', resolve);
        ending.abort();
      });
    });
    const error = await errorOf(asking.token({ signal: ending.signal }));
    expect(error).toMatchObject({ name: 'TokenRequestError', code: 'TOKEN_UNAVAILABLE' });
    expect(String(error)).not.toContain('did not answer completely');
    await closed;
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
  it('S11: gives a token with the life that the endpoint says, counted from the request', async () => {
    const asking = await Asking.start();
    const clock = new FakeClock();
    asking.provider.token.handler((_, response) => {
      clock.setMonotonicBy(1_000);
      clock.setWallBy(1_000);
      response.end(JSON.stringify({ access_token: 'one', token_type: 'Bearer', expires_in: 60 }));
    });
    const secret = new Secret('any');
    const token = await asking.endpoint({}, clock).request(secret, WITHIN_MS);
    expect([token.reveal(), token.lifetimeMs, token.remainingMs(clock)]).toEqual(['one', 60_000, 59_000]);
  });

  it('S11: gives no token that has expired before its answer arrived', async () => {
    const asking = await Asking.start();
    const clock = new FakeClock();
    asking.provider.token.handler((_, response) => {
      clock.setMonotonicBy(60_000);
      response.end(JSON.stringify({ access_token: 'one', token_type: 'Bearer', expires_in: 60 }));
    });
    await expect(asking.token({}, {}, clock)).rejects.toThrow(
      'the token had expired before its answer arrived',
    );
  });

  it.each([400, 401, 403, 404, 499])('B7: with status %i refuses the request', async (status) => {
    const asking = await Asking.answered(status, {}, '{"error":"invalid_request"}');
    expect(await errorOf(asking.token())).toMatchObject({
      code: 'TOKEN_REJECTED',
      status,
      oauthError: 'invalid_request',
    });
  });

  it('B7: with a refusal that is too long to be read is a refusal without an error code', async () => {
    const body = JSON.stringify({ error: 'invalid_client', more: 'x'.repeat(64 * 1024) });
    const error = await errorOf((await Asking.answered(401, {}, body)).token());
    expect(error).toMatchObject({ code: 'TOKEN_REJECTED', status: 401 });
    expect((error as TokenRequestError).oauthError).toBeUndefined();
  });

  it.each([408, 425, 429, 500, 503, 599])('B6: with status %i asks for another try', async (status) => {
    const asking = await Asking.answered(status, { 'Retry-After': '7' });
    expect(await errorOf(asking.token())).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      status,
      failure: { transient: true, retryAfterMs: 7_000 },
    });
  });

  it('B6: may ask to wait until a moment, which is one by its own clock', async () => {
    const asking = await Asking.answered(503, {
      Date: 'Sun, 01 Mar 2020 10:00:00 GMT',
      'Retry-After': 'Sun, 01 Mar 2020 10:00:07 GMT',
    });
    expect(await errorOf(asking.token())).toMatchObject({ failure: { retryAfterMs: 7_000 } });
  });

  it.each([
    [undefined, WITHIN_MS],
    [{ timeoutMs: 25_000 }, 25_000],
  ])('B6: that does not come in time is an error that names the time limit: %j', async (manner, limit) => {
    const asking = await Asking.start();
    const clock = new FakeClock();
    const asked = new Promise<void>((resolve) => {
      asking.provider.token.handler(() => resolve());
    });
    const failed = errorOf(asking.token(manner, {}, clock));
    await asked;
    await clock.advance(WITHIN_MS);
    expect(await failed).toMatchObject({
      message: expect.stringContaining(`did not answer completely within ${limit} ms.`),
      failure: { timedOut: true },
    });
  });

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
  it('B34: that have changed are read again after a failure, and the request is sent once more', async () => {
    const provider = await startSimulator();
    const tls = changingTls(async () => new ClientTls({ ca: provider.ca }));
    const asking = new Asking(provider, { tls });
    await expect(asking.token({}, { httpsAgent: undefined })).resolves.toBeTypeOf('string');
    expect(provider.tokenRequests).toHaveLength(1);
  });

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

const REFUSAL = 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n';

async function adviceWith(settings: Partial<TokenEndpointSettings>): Promise<string> {
  const given = { httpsAgent: undefined, proxy: undefined, ...settings };
  const endpoint = new TokenEndpoint(profileOf(), given, systemClock, new TokenConnections());
  return String(await errorOf(endpoint.request(new Secret('any'), WITHIN_MS)));
}

describe('B29: the advice after a failure behind a proxy', () => {
  it('B28: names http.proxy if that proxy refuses the tunnel', async () => {
    const asking = await Asking.start();
    const { setting } = await ConnectProxy.start(REFUSAL);
    const error = await errorOf(asking.token({}, { proxy: setting }));
    expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE', failure: { transient: false } });
    expect(String(error)).toMatch(/the proxy refused the connection .* with status 407\. .*http\.proxy/);
  });

  it.each([
    ['with an agent of the application', {}],
    ['without an agent', { httpsAgent: undefined }],
  ])(
    'B28: names the variables if the proxy of the environment refuses the tunnel, %s',
    async (_, settings) => {
      const asking = await Asking.start();
      const { port } = await ConnectProxy.start(REFUSAL);
      vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${port}`);
      for (const name of ['NO_PROXY', 'no_proxy', 'https_proxy']) vi.stubEnv(name, '');
      const error = await errorOf(asking.token({}, settings));
      expect(String(error)).toContain(
        'the proxy refused the connection to the token endpoint with status 407.',
      );
      expect(String(error)).toContain('HTTPS_PROXY and NO_PROXY');
      expect(String(error)).not.toContain('http.httpsAgent');
    },
  );

  it('B29: names the proxy only if the request may have gone through it', async () => {
    // Nothing listens at port 9: neither a token endpoint nor a proxy.
    const proxy = { host: '127.0.0.1', port: 9, protocol: 'http:' };
    expect(await adviceWith({})).not.toMatch(/proxy/i);
    expect(await adviceWith({ proxy })).toContain('http.proxy');
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:9');
    for (const name of ['NO_PROXY', 'no_proxy', 'https_proxy']) vi.stubEnv(name, '');
    expect(await adviceWith({})).toContain('HTTPS_PROXY');
    expect(await adviceWith({ proxy: false })).not.toMatch(/proxy/i);
  });
});
