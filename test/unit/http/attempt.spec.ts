import { Agent } from 'node:https';
import { type AxiosAdapter, AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { Attempt } from '../../../lib/http/attempt.js';
import { Call } from '../../../lib/http/call.js';
import { type AdapterTraits, traitsOfTransport } from '../../../lib/http/adapter/adapter-traits.js';
import { BaseAddress, hasAddress } from '../../../lib/net/base-address.js';
import { privateAgentFor } from '../../../lib/net/private-agent.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { BASE_URL } from '../../support/http/http-client.js';
import { tokenOf } from '../../support/token/token-fixtures.js';

const clock = new FakeClock();
const token = tokenOf(clock, 'canary-token-1');
const agent = new Agent();
const settings = {
  profile: { interface: 'easy', environment: 'sandbox' },
  base: new BaseAddress(BASE_URL),
  http: { proxy: undefined },
  agent,
} as const;
const proxy = { host: 'proxy.example', port: 3128 };

/** An attempt on an adapter that behaves as axios' http adapter. */
function createAttempt(request: object = {}, { bare = false, http = {}, acting = {} } = {}) {
  const seen: InternalAxiosRequestConfig[] = [];
  const adapter: AxiosAdapter = async (config) => {
    seen.push(config);
    return { data: 'ok', status: 200, statusText: '', headers: {}, config };
  };
  const traits: AdapterTraits = {
    ...traitsOfTransport({ adapter, actsAsHttp: true, close: () => Promise.resolve() }),
    managesConnections: false,
    ...acting,
  };
  const config = { baseURL: BASE_URL, url: '/x', maxRedirects: 0, headers: new AxiosHeaders(), ...request };
  const call = new Call(config, traits, clock);
  const attempt = new Attempt({ ...settings, http: { proxy: undefined, ...http } }, call);
  return {
    attempt,
    call,
    send: async () => {
      const outcome = await attempt.send(bare ? undefined : token, () => undefined);
      return { outcome, wire: seen[0] };
    },
  };
}

describe('an attempt', () => {
  it('C3: carries the token, which is redacted from then on', async () => {
    const { send, call, attempt } = createAttempt();
    expect(call.trace.hasTokens).toBe(false);
    expect(call.trace.address).toBeUndefined();
    const { wire, outcome } = await send();
    expect(wire?.headers.get('authorization')).toBe('Bearer canary-token-1');
    expect(outcome.response?.status).toBe(200);
    expect(call.trace.redaction.text('canary-token-1')).toBe('[redacted]');
    expect(call.trace.address).toMatchObject({ verdict: 'UNDER_BASE_URL', path: '/v1/x' });
    expect(attempt.testedToken).toBe(token);
  });

  it('S6: hands the address that was checked on to the adapter, and leaves none in the config of the caller', async () => {
    const { send, call } = createAttempt();
    const { wire } = await send();
    expect(settings.base.addressOf(wire!)).toBe(call.trace.address);
    expect(hasAddress(call.config)).toBe(false);
  });

  it("R25: carries no token beside the caller's own credentials", async () => {
    const { send, call, attempt } = createAttempt(
      { headers: new AxiosHeaders({ authorization: 'Basic own' }) },
      { bare: true },
    );
    const { wire } = await send();
    expect(Object.entries(wire?.headers ?? {})).toEqual([['authorization', 'Basic own']]);
    expect(call.trace.hasTokens).toBe(false);
    expect(attempt.testedToken).toBeUndefined();
  });

  it('has no Authorization header if there is no token', async () => {
    const { wire } = await createAttempt({}, { bare: true }).send();
    expect(Object.keys(wire?.headers ?? {})).toEqual([]);
  });

  it('B4: gives a form a boundary that the next attempt has too', async () => {
    const data = new FormData();
    const { send, call } = createAttempt({ data });
    const { wire } = await send();
    expect(wire?.headers.getContentType()).toBe(call.formType);
    expect(call.formType).toContain('provider-auth-');
    const plain = await createAttempt({
      data: 'text',
      headers: new AxiosHeaders({ 'content-type': 'text/x' }),
    }).send();
    expect(plain.wire?.headers.getContentType()).toBe('text/x');
  });

  it("B4: adds a boundary to the caller's type without one", async () => {
    const headers = new AxiosHeaders({ 'Content-Type': 'multipart/form-data' });
    const { wire } = await createAttempt({ data: new FormData(), headers }).send();
    expect(wire?.headers.getContentType()).toContain('boundary=provider-auth-');
  });

  it("B12: uses the client's agent if the caller names none, and no agent for a transport", async () => {
    const own = new Agent();
    expect((await createAttempt().send()).wire?.httpsAgent).toBe(privateAgentFor(agent));
    expect((await createAttempt({ httpsAgent: own }).send()).wire?.httpsAgent).toBe(privateAgentFor(own));
    const { wire } = await createAttempt({}, { acting: { managesConnections: true } }).send();
    expect(wire).not.toHaveProperty('httpsAgent');
  });

  it('uses the proxy of the settings if the caller names none', async () => {
    expect((await createAttempt({}, { http: { proxy } }).send()).wire?.proxy).toBe(proxy);
    expect((await createAttempt({ proxy: false }, { http: { proxy } }).send()).wire?.proxy).toBe(false);
    expect((await createAttempt().send()).wire).not.toHaveProperty('proxy');
  });

  it('R11: checks redirects, unless none is followed', async () => {
    expect((await createAttempt({ maxRedirects: 3 }).send()).wire?.beforeRedirect).toBeTypeOf('function');
    expect((await createAttempt({ maxRedirects: undefined }).send()).wire?.beforeRedirect).toBeTypeOf(
      'function',
    );
    expect((await createAttempt().send()).wire).not.toHaveProperty('beforeRedirect');
  });

  it('R13: tests no token if a redirect was followed without the token', async () => {
    const { attempt } = createAttempt(
      { maxRedirects: 3 },
      {
        acting: {
          followRedirects: (_: unknown, hop: (...all: unknown[]) => void) =>
            hop(hopTo('evil.example'), {}, { headers: {} }),
        },
      },
    );
    expect(attempt.testedToken).toBeUndefined();
  });

  it('S9: ends with the refusal of a hop, also if the adapter wraps the error', async () => {
    let leave: (() => void) | undefined;
    const adapter: AxiosAdapter = async () => {
      try {
        leave?.();
      } catch {
        throw new Error('wrapped');
      }
      throw new Error('not refused');
    };
    const followRedirects = (_: unknown, hop: (...all: unknown[]) => void): void => {
      leave = () => hop({ ...hopTo('api.example.com'), protocol: 'http:' }, {}, { headers: {} });
    };
    const { outcome } = await createAttempt(
      { maxRedirects: 3 },
      { acting: { adapter, followRedirects } },
    ).send();
    expect(outcome.failure?.error).toMatchObject({ code: 'INSECURE_REDIRECT' });
  });

  it('treats an adapter that throws like an adapter that rejects', async () => {
    const error = new Error('thrown');
    const adapter = (): never => {
      throw error;
    };
    const { outcome } = await createAttempt({}, { acting: { adapter } }).send();
    expect(outcome).toEqual({ response: undefined, failure: { error } });
  });
});

function hopTo(hostname: string): object {
  return { protocol: 'https:', hostname, path: '/v1/x', headers: {} };
}
