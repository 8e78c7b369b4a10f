import { Agent } from 'node:https';
import { describe, expect, it } from 'vitest';
import { BaseAddress } from '../../../lib/http/final-address.js';
import { RedirectPolicy } from '../../../lib/http/redirect-policy.js';
import { errorOf } from '../../support/token-fixtures.js';

type Hook = ConstructorParameters<typeof RedirectPolicy>[3];

const TOKEN = 'Bearer canary';
const pair = { interface: 'easy', environment: 'sandbox' } as const;

/** One hop to an address, as follow-redirects announces it. */
function hop(to: string, { hook, authorization = TOKEN }: { hook?: Hook; authorization?: string } = {}) {
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
  };
  const policy = new RedirectPolicy(new BaseAddress('https://[::1]:8443/v1'), pair, authorization, hook);
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
  ])('R13: to %s does not', (to) => {
    const { headers, policy } = hop(to);
    expect(headers).toEqual({ Accept: '*/*' });
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
  });

  it('B12: may bring credentials of its own, which then go instead', () => {
    const { headers, policy } = hop('https://[::1]:8443/v1/b', {
      hook: ({ headers: own }) => void Object.assign(own as object, { Authorization: 'Basic own' }),
    });
    expect(headers['Authorization']).toBe('Basic own');
    expect(policy.carriesToken).toBe(false);
  });

  it('S6: is judged by where it sends the hop', async () => {
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
