import { Agent } from 'node:https';
import type { AxiosRequestConfig } from 'axios';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { RequestRefusedError } from '../../../lib/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { given, TRANSPORT } from '../../support/http/given.js';
import { errorOf } from '../../support/token/token-fixtures.js';

type Address = (evil: string, provider: ProviderSimulator) => string;

/** Every way to write an address that leads away from the base URL, or seems to. `evil` is a host and a port. */
const ADDRESSES: Record<string, Address> = {
  'a foreign https address': (evil) => `https://${evil}/x`,
  'a foreign http address': (evil) => `http://${evil}/x`,
  'capitals in the scheme': (evil) => `HTTPS://${evil}/x`,
  'full-width dots': (evil) => `https://${evil.replaceAll('.', '．')}/x`,
  'the base host as userinfo': (evil, { origin }) => `${origin}@${evil}/x`,
  userinfo: (evil) => `https://api@${evil}/x`,
  'no scheme': (evil) => `//${evil}/x`,
  'three slashes': (evil) => `///${evil}/x`,
  'two backslashes': (evil) => `\\\\${evil}/x`,
  'slash and backslash': (evil) => `/\\${evil}/x`,
  'a space before it': (evil) => ` https://${evil}/x`,
  'a tab before it': (evil) => `\thttps://${evil}/x`,
  'a newline in it': (evil) => `ht\ntps://${evil}/x`,
  'a tab between the slashes': (evil) => `/\t/${evil}/x`,
  'an at sign': (evil) => `@${evil}/x`,
  'a dot': (evil) => `.${evil}/x`,
  'a port and an at sign': (evil) => `:80@${evil}/x`,
  'one slash after the scheme': (evil) => `https:/${evil}/x`,
  'no slash after the scheme': (evil) => `https:${evil}/x`,
  'backslashes after the scheme': (evil) => `https:\\\\${evil}/x`,
  'dot segments': () => '../../../elsewhere',
  'encoded dot segments': () => '%2e%2e/%2e%2e/%2e%2e/elsewhere',
  'dot segments with encoded slashes': () => '..%2f..%2f..%2felsewhere',
  'dot segments encoded twice': () => '%252e%252e/%252e%252e/elsewhere',
  'dot segments with parameters': () => '..;/..;/..;/elsewhere',
  'dot segments in more bytes than they need': () => '%c0%ae%c0%ae/%c0%ae%c0%ae/%c0%ae%c0%ae/elsewhere',
  'dot segments as Unicode escapes': () => '%u002e%u002e/%u002e%u002e/%u002e%u002e/elsewhere',
  'dot segments of full-width dots': () => '．．/．．/．．/elsewhere',
  'backslashed dot segments': () => '..\\..\\..\\elsewhere',
  'the base URL as a prefix': (_, provider) => `${provider.baseUrl('easy', 'sandbox')}0/x`,
  'a neighbour of the base URL': (_, { origin }) => `${origin}/originations/sandbox/v1/x`,
  'the root of the origin': (_, { origin }) => `${origin}/`,
  'another name of the host': (_, { origin }) =>
    `${origin.replace('127.0.0.1', 'localhost')}/easy/sandbox/v1/x`,
  'a whole address under the base URL': (_, provider) => `${provider.baseUrl('easy', 'sandbox')}/x`,
  'a data URL': () => 'data:text/plain,x',
  'a file URL': () => 'file:///etc/hostname',
};

const REFUSED = {
  name: 'RequestRefusedError',
  code: expect.stringMatching(/^(OUTSIDE_BASE_URL|INSECURE_URL)$/),
};

const evil = await ProviderSimulator.start();
/** One application for all rows. It trusts both servers, so only the address can be refused. */
const running = await given()
  .app((provider) => {
    const transport = TRANSPORT === 'undici' ? { transport: undiciTransport() } : {};
    const { interfaces, ...rest } = provider.options({ http: transport });
    const { easy } = interfaces;
    const sandbox = { ...easy!.sandbox!, tls: { ca: provider.ca + evil.ca } };
    return { ...rest, interfaces: { ...interfaces, easy: { ...easy, sandbox } } };
  })
  .open();
afterAll(async () => {
  await running.close();
  await evil.close();
});

beforeEach(() => {
  running.provider.reset();
  evil.reset();
});

/** The requests that left the base URL. */
const strayed = () => [
  ...evil.apiRequests,
  ...running.provider.apiRequests.filter((received) => received.interface !== 'easy'),
];

/** The outcome of a call that stayed under the base URL, or was refused. */
const sentOrRefused = () =>
  expect.objectContaining(running.provider.apiRequests.length > 0 ? { status: 200 } : REFUSED) as unknown;

describe.each([true, false])('S6: with allowAbsoluteUrls %s', (allowAbsoluteUrls) => {
  it.each(Object.entries(ADDRESSES))('%s is refused or stays under the base URL', async (_, write) => {
    const url = write(new URL(evil.origin).host, running.provider);
    const request = { url, allowAbsoluteUrls, validateStatus: () => true };
    const outcome = await lastValueFrom(running.easy.request(request)).catch((error: unknown) => error);
    expect([outcome, strayed()]).toEqual([sentOrRefused(), []]);
  });
});

type Input = string | URL | Request;

/** A text that is no whole address makes no `URL` and no `Request`. Then the text itself is the input. */
const wholeOr = (text: string, make: (text: string) => Input): Input => {
  try {
    return make(text);
  } catch {
    return text;
  }
};

describe.each<[string, (text: string) => Input]>([
  ['a text', (text) => text],
  ['a URL', (text) => wholeOr(text, (whole) => new URL(whole))],
  ['a Request', (text) => wholeOr(text, (whole) => new Request(whole))],
])('S6 B21: as %s, by fetch', (_, make) => {
  it.each(Object.entries(ADDRESSES))('%s is refused or stays under the base URL', async (_, write) => {
    const input = make(write(new URL(evil.origin).host, running.provider));
    const outcome = await running.easy.fetch(input).catch((error: unknown) => error);
    expect([outcome, strayed()]).toEqual([sentOrRefused(), []]);
  });
});

const DETOURS: readonly [what: string, message: string, detour: (host: string) => AxiosRequestConfig][] = [
  ['another base URL', '', (host) => ({ baseURL: `https://${host}/easy/sandbox/v1` })],
  [
    'a Host header',
    ': its Host header leads to another place than the base URL https://',
    (host) => ({ headers: { host } }),
  ],
  [
    'a socket',
    ': its socketPath leads to another place than the base URL https://',
    () => ({ socketPath: '/tmp/no-such.sock' }),
  ],
  [
    'the host of an agent',
    ': its agent leads to another place than the address of a request',
    (host) => ({ httpsAgent: new Agent({ host }) }),
  ],
];

// undici takes no agent of a request.
it.each(DETOURS.filter(([what]) => TRANSPORT === 'axios' || what !== 'the host of an agent'))(
  'S6 B29: %s is refused, and the error names it',
  async (_, message, detour) => {
    const { easy, provider } = running;
    const agent = TRANSPORT === 'undici' ? {} : { httpsAgent: evil.agent() };
    const detoured = easy.get('/x', { ...agent, ...detour(new URL(evil.origin).host) });
    const error = await errorOf(lastValueFrom(detoured));
    expect(error).toBeInstanceOf(RequestRefusedError);
    expect(error).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
    expect(String(error)).toContain(message);
    expect([...evil.apiRequests, ...provider.apiRequests]).toEqual([]);
  },
);

it('B29: the error shows origin and path of both addresses, without query, user name and password', async () => {
  const { easy } = running;
  const url = 'https://canary-user:canary-password@other.example:8443/v1/payments?canary=1#canary';
  expect(await errorOf(lastValueFrom(easy.get(url)))).toMatchObject({
    message:
      `A request to easy sandbox was not sent: https://other.example:8443/v1/payments is not under the base URL ${easy.baseUrl}. ` +
      'Pass a path that stays under the base URL, or use your own HTTP client for other hosts.',
  });
});

it('S6: parameters cannot change the path', async () => {
  const { easy, provider } = running;
  const tricks = ['/../../x', '#/../x', '?/../x', '\\..\\x', '&a=/../', '%2e%2e/'];
  for (const trick of tricks) {
    const serialized = easy.get('/things', { params: {}, paramsSerializer: { serialize: () => trick } });
    await lastValueFrom(serialized).catch(() => undefined);
  }
  expect(provider.apiRequests.length).toBeGreaterThan(0);
  for (const { path } of provider.apiRequests) expect(path).toMatch(/^\/things($|\?)/);
});
