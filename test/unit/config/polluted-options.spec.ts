import { afterEach, expect, it } from 'vitest';
import type { Settings } from '../../../lib/config/options/profile.js';
import { validateOptions } from '../../support/application/built-in.js';
import { addToPrototype } from '../../support/http/pollutions.js';

const POLLUTED: Readonly<Record<string, unknown>> = {
  baseUrl: 'https://evil.example',
  http: { proxy: { host: 'evil.example', port: 1 }, maxRedirects: 5 },
  proxy: { host: 'evil.example', port: 1 },
  headers: { 'X-Evil': 'evil' },
  token: { timeoutMs: 1 },
  tls: { ca: 'evil' },
  scope: 'evil',
  audience: 'evil',
  resource: 'https://evil.example',
  keyId: 'evil',
};

afterEach(() => {
  for (const name of Object.keys(POLLUTED)) Reflect.deleteProperty(Object.prototype, name);
});

function settings(): Promise<Settings> {
  const credentials = { clientId: 'polluted-spec-client', clientSecret: 'polluted-spec-secret' };
  const address = { tokenUrl: 'https://a.example/auth/v0/connect/token', baseUrl: 'https://a.example/v1' };
  const easy = { sandbox: { ...address, ...credentials } };
  return validateOptions({ environment: 'sandbox', interfaces: { easy }, http: { timeoutMs: 5_000 } }, {});
}

/** What the settings say about requests. */
function shown({ http, token, profiles }: Settings): unknown {
  const { timeoutMs, maxRedirects, proxy, headers } = http;
  const [profile] = profiles;
  return {
    http: { timeoutMs, maxRedirects, proxy, headers },
    token: { ...token },
    terms: { ...profile?.terms },
    tls: profile?.tls,
  };
}

it.each(Object.keys(POLLUTED))('B36: a polluted Object.prototype sets no option by %s', async (name) => {
  const expected = shown(await settings());
  const clean = addToPrototype(name, { value: POLLUTED[name] });
  const polluted = await settings();
  clean();
  expect(shown(polluted)).toEqual(expected);
});
