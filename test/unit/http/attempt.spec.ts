import { Agent } from 'node:https';
import { type AxiosAdapter, AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { Attempt } from '../../../lib/http/attempt.js';
import { Call } from '../../../lib/http/call.js';
import { type Carrier, carrierOfTransport } from '../../../lib/http/adapter/adapter-traits.js';
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

/** An attempt that is sent by an adapter which acts as axios' own. */
function given(request: object = {}, { bare = false, http = {}, acting = {} } = {}) {
  const seen: InternalAxiosRequestConfig[] = [];
  const adapter: AxiosAdapter = async (config) => {
    seen.push(config);
    return { data: 'ok', status: 200, statusText: '', headers: {}, config };
  };
  const carrier: Carrier = {
    ...carrierOfTransport({ adapter, actsAsHttp: true, close: () => Promise.resolve() }),
    managesConnections: false,
    ...acting,
  };
  const config = { baseURL: BASE_URL, url: '/x', maxRedirects: 0, headers: new AxiosHeaders(), ...request };
  const call = new Call(config, carrier, clock);
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
  it('C3: carries the token, which is known from then on as one to redact', async () => {
    const { send, call, attempt } = given();
    expect(call.trace.hasCarried).toBe(false);
    expect(call.trace.address).toBeUndefined();
    const { wire, outcome } = await send();
    expect(wire?.headers.get('authorization')).toBe('Bearer canary-token-1');
    expect(outcome.response?.status).toBe(200);
    expect(call.trace.redaction.text('canary-token-1')).toBe('[redacted]');
    expect(call.trace.address).toMatchObject({ verdict: 'UNDER_BASE_URL', path: '/v1/x' });
    expect(attempt.testedToken).toBe(token);
  });

  it('S6: hands the address that was checked on to the adapter, and leaves none in the config of the caller', async () => {
    const { send, call } = given();
    const { wire } = await send();
    expect(settings.base.addressOf(wire!)).toBe(call.trace.address);
    expect(hasAddress(call.config)).toBe(false);
  });

  it("R25: carries none beside the caller's own credentials", async () => {
    const { send, call, attempt } = given(
      { headers: new AxiosHeaders({ authorization: 'Basic own' }) },
      { bare: true },
    );
    const { wire } = await send();
    expect(Object.entries(wire?.headers ?? {})).toEqual([['authorization', 'Basic own']]);
    expect(call.trace.hasCarried).toBe(false);
    expect(attempt.testedToken).toBeUndefined();
  });

  it('has no Authorization header where there is nothing to put there', async () => {
    const { wire } = await given({}, { bare: true }).send();
    expect(Object.keys(wire?.headers ?? {})).toEqual([]);
  });

  it('B4: gives a form a boundary that the next attempt has too', async () => {
    const data = new FormData();
    const { send, call } = given({ data });
    const { wire } = await send();
    expect(wire?.headers.getContentType()).toBe(call.formType);
    expect(call.formType).toContain('provider-auth-');
    const plain = await given({
      data: 'text',
      headers: new AxiosHeaders({ 'content-type': 'text/x' }),
    }).send();
    expect(plain.wire?.headers.getContentType()).toBe('text/x');
  });

  it('B4: does so over a type of the caller that has none', async () => {
    const headers = new AxiosHeaders({ 'Content-Type': 'multipart/form-data' });
    const { wire } = await given({ data: new FormData(), headers }).send();
    expect(wire?.headers.getContentType()).toContain('boundary=provider-auth-');
  });

  it("B12: uses the client's agent where the caller names none, and a transport its own connections", async () => {
    const own = new Agent();
    expect((await given().send()).wire?.httpsAgent).toBe(privateAgentFor(agent));
    expect((await given({ httpsAgent: own }).send()).wire?.httpsAgent).toBe(privateAgentFor(own));
    const { wire } = await given({}, { acting: { managesConnections: true } }).send();
    expect(wire).not.toHaveProperty('httpsAgent');
  });

  it('goes through the proxy of the settings where the caller names none', async () => {
    expect((await given({}, { http: { proxy } }).send()).wire?.proxy).toBe(proxy);
    expect((await given({ proxy: false }, { http: { proxy } }).send()).wire?.proxy).toBe(false);
    expect((await given().send()).wire).not.toHaveProperty('proxy');
  });

  it('R11: judges redirects, unless none is followed', async () => {
    expect((await given({ maxRedirects: 3 }).send()).wire?.beforeRedirect).toBeTypeOf('function');
    expect((await given({ maxRedirects: undefined }).send()).wire?.beforeRedirect).toBeTypeOf('function');
    expect((await given().send()).wire).not.toHaveProperty('beforeRedirect');
  });

  it('R13: says nothing of a token that a redirect left behind', async () => {
    const { attempt } = given(
      { maxRedirects: 3 },
      {
        acting: {
          redirect: (_: unknown, hop: (...all: unknown[]) => void) =>
            hop(hopTo('evil.example'), {}, { headers: {} }),
        },
      },
    );
    expect(attempt.testedToken).toBeUndefined();
  });

  it('S9: ends with the refusal of a hop, whatever the adapter makes of it', async () => {
    let leave: (() => void) | undefined;
    const adapter: AxiosAdapter = async () => {
      try {
        leave?.();
      } catch {
        throw new Error('wrapped');
      }
      throw new Error('not refused');
    };
    const redirect = (_: unknown, hop: (...all: unknown[]) => void): void => {
      leave = () => hop({ ...hopTo('api.example.com'), protocol: 'http:' }, {}, { headers: {} });
    };
    const { outcome } = await given({ maxRedirects: 3 }, { acting: { adapter, redirect } }).send();
    expect(outcome.failure?.error).toMatchObject({ code: 'INSECURE_REDIRECT' });
  });

  it('takes an adapter that throws for one that rejects', async () => {
    const error = new Error('thrown');
    const adapter = (): never => {
      throw error;
    };
    const { outcome } = await given({}, { acting: { adapter } }).send();
    expect(outcome).toEqual({ response: undefined, failure: { error } });
  });
});

function hopTo(hostname: string): object {
  return { protocol: 'https:', hostname, path: '/v1/x', headers: {} };
}
