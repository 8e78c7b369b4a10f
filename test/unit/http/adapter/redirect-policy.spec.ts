import { Agent } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BaseAddress } from '../../../../lib/net/base-address.js';
import { privateAgentFor } from '../../../../lib/net/private-agent.js';
import { RedirectPolicy } from '../../../../lib/http/adapter/redirect-policy.js';
import { addToPrototype } from '../../../support/http/pollutions.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

type Hook = ConstructorParameters<typeof RedirectPolicy>[3];

const TOKEN = 'Bearer canary';
const pair = { interface: 'easy', environment: 'sandbox' } as const;

/** One hop to an address, with the arguments of follow-redirects. */
function hop(
  to: string,
  { hook, authorization = TOKEN, own = false }: { hook?: Hook; authorization?: string; own?: boolean } = {},
) {
  const { protocol, hostname, port, pathname, search, href } = new URL(to);
  const options: Record<string, unknown> = {
    protocol,
    hostname: hostname.replaceAll(/[[\]]/g, ''),
    port: Number(port) || '',
    path: pathname + search,
    href,
    headers: { Accept: '*/*', authorization },
    agents: {},
    agent: {},
    beforeRedirect: () => undefined,
    beforeRedirects: {},
    nativeProtocols: {},
  };
  const base = new BaseAddress('https://[::1]:8443/v1');
  const policy = new RedirectPolicy(base, pair, own ? undefined : authorization, hook);
  const request = {
    url: 'https://[::1]:8443/v1/a',
    method: 'GET',
    headers: { Authorization: authorization },
  };
  policy.beforeRedirect(options, { headers: {}, statusCode: 302 }, request);
  return { options, policy, headers: options['headers'] as Record<string, string> };
}

describe('a hop', () => {
  it('R11: under the base URL carries the token', () => {
    const { headers, policy } = hop('https://[::1]:8443/v1/b?c');
    expect(headers).toEqual({ Accept: '*/*', Authorization: TOKEN });
    expect(policy.carriesToken).toBe(true);
  });

  it.each([
    'https://[::1]:8443/v2/b',
    'https://[::1]:8443/v1/..%2fb',
    'https://[::1]/v1/b',
    'https://evil.example/v1/b',
  ])('R13: to %s carries no token', (to) => {
    const { headers, policy } = hop(to);
    expect(headers).toEqual({ Accept: '*/*' });
    expect(policy.carriesToken).toBe(false);
  });

  it('R13: carries no token if one before it has left the base URL: a foreign host has chosen its address', () => {
    const policy = new RedirectPolicy(new BaseAddress('https://api.example.com/v1'), pair, TOKEN, undefined);
    const carried = ['api.example.com', 'evil.example', 'api.example.com'].map((hostname) => {
      const options = { protocol: 'https:', hostname, path: '/v1/b', headers: {} };
      policy.beforeRedirect(
        options,
        { headers: {}, statusCode: 302 },
        { url: '', method: 'GET', headers: {} },
      );
      return [options.headers, policy.carriesToken];
    });
    expect(carried).toEqual([
      [{ Authorization: TOKEN }, true],
      [{}, false],
      [{}, false],
    ]);
  });

  it('B36: carries the token although a polluted prototype names another host for HTTP/2', () => {
    const clean = addToPrototype('http2Options', {
      value: { host: 'evil.example', checkServerIdentity: () => undefined },
    });
    onTestFinished(clean);
    const { policy } = hop('https://[::1]:8443/v1/b');
    clean();
    expect(policy.carriesToken).toBe(true);
  });

  it('R13: does not carry the token under another name either', () => {
    const { headers } = hop('https://evil.example/v1/b', {
      hook: (options) => void Object.assign(options['headers'] as object, { 'x-kept': 'kept' }),
    });
    expect(headers).toEqual({ Accept: '*/*', 'x-kept': 'kept' });
  });

  it("R25: with the caller's own credentials is decided by follow-redirects", () => {
    const { headers, policy } = hop('https://[::1]:8443/v1/b', { authorization: 'Basic own', own: true });
    expect(headers).toEqual({ Accept: '*/*', authorization: 'Basic own' });
    expect(policy.carriesToken).toBe(false);
  });

  it("R25: carries no token if follow-redirects has removed the caller's own credentials", () => {
    const policy = new RedirectPolicy(
      new BaseAddress('https://api.example.com/v1'),
      pair,
      undefined,
      undefined,
    );
    const options = { protocol: 'https:', hostname: 'api.example.com', path: '/v1/b', headers: { a: 'b' } };
    policy.beforeRedirect(options, { headers: {}, statusCode: 302 }, { url: '', method: 'GET', headers: {} });
    expect(options.headers).toEqual({ a: 'b' });
    expect(options.headers).not.toHaveProperty('Authorization');
    expect(policy.carriesToken).toBe(false);
  });

  it('S6: carries no token to an address without a host', () => {
    const policy = new RedirectPolicy(new BaseAddress('https://api.example.com/v1'), pair, TOKEN, undefined);
    const options = { protocol: 'https:', path: '/v1/b', headers: {} };
    policy.beforeRedirect(options, { headers: {}, statusCode: 302 }, { url: '', method: 'GET', headers: {} });
    expect(options.headers).toEqual({});
    expect(policy.carriesToken).toBe(false);
  });

  it.each([
    ['another host', 'evil.example', '/v1/b', undefined],
    ['another path', 'api.example.com', '/v2', TOKEN],
    ['another host, without a token', 'evil.example', '/v1/b', undefined],
  ])(
    'S9: is refused to %s if it would use the client certificate of the pair',
    (_, hostname, path, token) => {
      const base = new BaseAddress('https://api.example.com/v1');
      const hopBy = (policy: RedirectPolicy) => () =>
        policy.beforeRedirect(
          { protocol: 'https:', hostname, path, headers: {} },
          { headers: {}, statusCode: 302 },
          { url: '', method: 'GET', headers: {} },
        );
      expect(hopBy(new RedirectPolicy(base, pair, token, undefined, true))).toThrow(
        'the client certificate is only for the base URL',
      );
      expect(hopBy(new RedirectPolicy(base, pair, token, undefined, false))).not.toThrow();
    },
  );

  it('C3: is not needed for a test of the token', () => {
    const base = new BaseAddress('https://api.example.com');
    expect(new RedirectPolicy(base, pair, TOKEN, undefined).carriesToken).toBe(true);
    expect(new RedirectPolicy(base, pair, undefined, undefined).carriesToken).toBe(false);
  });

  it('S6: is checked by its host if it has no name, and may lack members that Node does not need', () => {
    const base = new BaseAddress('https://api.example.com/v1');
    for (const host of [{ host: 'api.example.com' }, { hostname: 'api.example.com' }]) {
      const policy = new RedirectPolicy(base, pair, TOKEN, undefined);
      const options = { protocol: 'https:', path: '/v1/b', headers: {}, agents: null, ...host };
      policy.beforeRedirect(
        options,
        { headers: {}, statusCode: 302 },
        { url: '', method: 'GET', headers: {} },
      );
      expect(policy.carriesToken).toBe(true);
    }
  });

  it.each([
    ['another usual port', { hostname: 'api.example.com', defaultPort: 9 }],
    ['a user before the name', { hostname: 'evil@api.example.com' }],
    ['a dot after the name', { hostname: 'api.example.com.' }],
  ])('S6: gets no token with %s', (_, target) => {
    const policy = new RedirectPolicy(new BaseAddress('https://api.example.com/v1'), pair, TOKEN, undefined);
    policy.beforeRedirect(
      { protocol: 'https:', path: '/v1/b', headers: {}, ...target },
      { headers: {}, statusCode: 302 },
      { url: '', method: 'GET', headers: {} },
    );
    expect(policy.carriesToken).toBe(false);
  });

  it('S9: to http is refused', async () => {
    const refused = errorOf(Promise.resolve().then(() => hop('http://[::1]:8443/v1/b')));
    expect(await refused).toMatchObject({ name: 'RequestRefusedError', code: 'INSECURE_REDIRECT' });
  });
});

describe("a caller's hook", () => {
  it('B12: sees neither the token nor an agent, before the hop and after it', () => {
    let seen: unknown[] = [];
    hop('https://[::1]:8443/v1/b', { hook: (...all) => void (seen = all) });
    expect(JSON.stringify(seen)).not.toContain('canary');
    expect(seen[0]).not.toHaveProperty('agent');
    expect(seen[0]).not.toHaveProperty('agents');
    for (const internal of ['beforeRedirect', 'beforeRedirects', 'nativeProtocols'])
      expect(seen[0]).not.toHaveProperty(internal);
    expect(seen[1]).toMatchObject({ statusCode: 302 });
    expect(seen[2]).toEqual({ url: 'https://[::1]:8443/v1/a', method: 'GET', headers: {} });
  });

  it('B12: may set its own credentials, which replace the token', () => {
    const { headers, policy } = hop('https://[::1]:8443/v1/b', {
      hook: ({ headers: own }) => void Object.assign(own as object, { Authorization: 'Basic own' }),
    });
    expect(headers['Authorization']).toBe('Basic own');
    expect(policy.carriesToken).toBe(false);
  });

  it('B12: may set a user name and a password', () => {
    const { headers, policy } = hop('https://[::1]:8443/v1/b', {
      hook: (options) => void Object.assign(options, { auth: 'me:mine' }),
    });
    expect(headers).toEqual({ Accept: '*/*' });
    expect(policy.carriesToken).toBe(false);
  });

  it('B12: finds the token under no other name', () => {
    const seen: unknown[] = [];
    const base = new BaseAddress('https://api.example.com/v1');
    const policy = new RedirectPolicy(base, pair, TOKEN, (...all) => void seen.push(...all));
    const options = {
      protocol: 'https:',
      hostname: 'api.example.com',
      path: '/v1/b',
      headers: { 'x-of-a-proxy': TOKEN },
    };
    const request = { url: '', method: 'GET', headers: { 'x-of-a-proxy': TOKEN } };
    policy.beforeRedirect(options, { headers: {}, statusCode: 302 }, request);
    expect(JSON.stringify(seen)).not.toContain('canary');
  });

  it('S6: is checked by the address to which it sends the hop', async () => {
    const elsewhere = hop('https://[::1]:8443/v1/b', {
      hook: (options) => void Object.assign(options, { hostname: 'evil.example' }),
    });
    expect(elsewhere.headers).toEqual({ Accept: '*/*' });
    const insecure = errorOf(
      Promise.resolve().then(() =>
        hop('https://[::1]:8443/v1/b', {
          hook: (options) => void Object.assign(options, { protocol: 'http:' }),
        }),
      ),
    );
    expect(await insecure).toMatchObject({ code: 'INSECURE_REDIRECT' });
  });

  it.each<[string, object]>([
    ['a socket', { socketPath: '/tmp/x.sock' }],
    ['a name for the certificate', { servername: 'evil.example' }],
    ['a function that connects', { createConnection: () => undefined }],
    ['a usual port', { port: '', defaultPort: 9 }],
    ['a Host header', { headers: { host: 'evil.example' } }],
    [
      'a name and a path that together look like the base URL',
      { hostname: 'evil.example', path: '@[::1]:8443/v1/b' },
    ],
    ['a name with an at sign', { hostname: 'evil.example@[::1]' }],
    ['a port with a path', { port: '8443/v1?' }],
    ['an empty name beside another', { hostname: '', host: 'evil.example' }],
    ['an agent that leads elsewhere', { agents: { https: new Agent({ host: 'evil.example' }) } }],
  ])('S6: gets no token for a hop that it leads elsewhere by %s', (_, changes) => {
    const { headers, policy } = hop('https://[::1]:8443/v1/b', {
      hook: (options) => void Object.assign(options, changes),
    });
    expect(JSON.stringify(headers)).not.toContain('canary');
    expect(policy.carriesToken).toBe(false);
  });

  it('B12: may set an agent, which is replaced by our private agent', () => {
    const agent = new Agent();
    const { options, policy } = hop('https://[::1]:8443/v1/b', {
      hook: (given) => void Object.assign(given, { agents: { https: agent } }),
    });
    expect(policy.carriesToken).toBe(true);
    expect(options['agents']).toEqual({ https: privateAgentFor(agent) });
    expect(options['agent']).toBe(privateAgentFor(agent));
    expect(options['agent']).not.toBe(agent);
  });

  it.each<[string, object]>([
    ['its options', { checkServerIdentity: () => undefined }],
    [
      'an agent of a subclass',
      { agent: new (class extends Agent {})({ checkServerIdentity: () => undefined }) },
    ],
  ])('S9: may not replace the check of names of a hop, by %s', async (_, changes) => {
    const hook: Hook = (options) => void Object.assign(options, changes, { agents: undefined });
    const refused = await errorOf(Promise.resolve().then(() => hop('https://[::1]:8443/v1/b', { hook })));
    expect(refused).toMatchObject({ code: 'INSECURE_REDIRECT' });
    expect((refused as Error).message).toContain('checkServerIdentity');
  });

  it.each([
    ['its options', { rejectUnauthorized: false }],
    ['an agent', { agent: new Agent({ rejectUnauthorized: false }) }],
    ['the agent of follow-redirects', { agents: { https: new Agent({ rejectUnauthorized: false }) } }],
  ])('S9: may not leave the certificate of a hop unchecked, by %s', async (_, changes) => {
    const hook: Hook = (options) => void Object.assign(options, changes);
    const refused = await errorOf(Promise.resolve().then(() => hop('https://[::1]:8443/v1/b', { hook })));
    expect(refused).toMatchObject({ name: 'RequestRefusedError', code: 'INSECURE_REDIRECT' });
    expect((refused as Error).message).toContain('rejectUnauthorized');
  });
});
