import { Agent } from 'node:https';
import { describe, expect, it } from 'vitest';
import type { ProviderAuthOptions } from '../../../lib/config/options/provider-auth-options.js';
import type { Settings } from '../../../lib/config/options/profile.js';
import { flawOfBaseUrl, validateOptions } from '../../support/application/built-in.js';
import { remedyOf } from '../../../lib/errors/troubles.js';
import { Secret } from '../../../lib/secrets/secret.js';
import {
  configErrorOf,
  optionsWith,
  REMOVED,
  rightOptions,
  shownBy,
  type Tree,
} from '../../support/secrets/config-canaries.js';

const settingsOf = (changes: Tree): Promise<Settings> => validateOptions(optionsWith(changes), {});

const validated = (options: unknown, variables: NodeJS.ProcessEnv = {}) =>
  validateOptions(options, { variables });

const easySandbox = async (changes: Tree) =>
  (await settingsOf(changes)).profiles.find(
    ({ interface: name, environment }) => name === 'easy' && environment === 'sandbox',
  );

describe('C4: correct options', () => {
  it('become one profile for each configured pair, with the active profiles marked', async () => {
    const { profiles } = await settingsOf({ 'interfaces.originations.production': REMOVED });
    expect(profiles.map(({ interface: name, environment, active }) => [name, environment, active])).toEqual([
      ['originations', 'sandbox', true],
      ['easy', 'sandbox', true],
      ['easy', 'production', false],
    ]);
  });

  it('S4: give the shared token URL to each environment, and keep credentials in their environment (S5)', async () => {
    const { profiles } = await settingsOf({});
    for (const { tokenUrl } of profiles.slice(0, 2))
      expect(tokenUrl).toBe('https://auth.canary.example/oauth/token');
    const secrets = await Promise.all(profiles.map(({ clientSecret }) => clientSecret.read()));
    expect(profiles.map(({ clientId }, at) => [clientId?.reveal(), secrets[at]?.reveal()])).toEqual(
      ['os', 'op', 'es', 'ep'].map((of) => [`canary-id-${of}`, `canary&secret=+%${of}`]),
    );
  });

  it('get every default', async () => {
    const { token, http } = await settingsOf({});
    expect(token).toEqual({
      timeoutMs: 5_000,
      maxAttempts: 3,
      expiryLeewayMs: 0,
      renewAheadMs: 0,
      atBoot: 'no',
      maxAccounts: 1_000,
    });
    expect(http).toMatchObject({ timeoutMs: 30_000, retryUnauthorized: true, maxRedirects: 0 });
    for (const name of ['httpsAgent', 'proxy', 'headers', 'transport'] as const)
      expect(http[name]).toBeUndefined();
  });

  it('keep chosen values', async () => {
    const chosen = { timeoutMs: 600_000, maxAttempts: 10, expiryLeewayMs: 1, renewAheadMs: 86_400_000 };
    const others = { timeoutMs: 1, retryUnauthorized: false, maxRedirects: 20 };
    const httpsAgent = new Agent({ keepAlive: true });
    const { token, http } = await settingsOf({ token: chosen, http: { ...others, httpsAgent } });
    expect(token).toMatchObject(chosen);
    expect(http).toMatchObject(others);
    expect(http.httpsAgent).toBe(httpsAgent);
    const transport = { open: () => ({}) };
    expect((await settingsOf({ 'http.transport': transport })).http.transport).toBe(transport);
  });

  it('B29: of an agent let no advice name `tls`, which the boot would refuse', async () => {
    const profile = await easySandbox({ http: { httpsAgent: new Agent() } });
    if (profile === undefined) throw new Error('The pair is not configured.');
    const remedy = remedyOf('untrusted-certificate', profile);
    expect(remedy).toContain('add its certificate to ca of http.httpsAgent.');
    expect(remedyOf('client-certificate', profile)).toContain(
      'Set cert of http.httpsAgent and key of http.httpsAgent',
    );
    expect(remedy).not.toMatch(/_FILE|tls/);
  });

  it('S10: become settings that show no credential, no header, no password of a proxy and no key of an agent', async () => {
    const settings = await settingsOf({
      'http.headers.x-api-key': 'canary',
      'http.proxy': { host: 'proxy', port: 1, auth: { username: 'canary', password: 'canary' } },
      'http.httpsAgent': new Agent({ passphrase: 'canary' }),
      [`interfaces.easy.sandbox.clientSecret`]: () => 'canary',
    });
    const withoutAddresses = shownBy({
      ...settings,
      profiles: settings.profiles.map((profile) => ({ ...profile, tokenUrl: '', baseUrl: '' })),
    });
    expect(withoutAddresses).not.toContain('canary');
  });

  it('may be frozen, and are never changed', async () => {
    const freeze = (value: unknown): unknown => {
      if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
      return value;
    };
    await expect(validated(freeze(rightOptions()))).resolves.toBeDefined();
    const options = rightOptions();
    await validateOptions(options, {});
    expect(options).toEqual(rightOptions());
  });

  it('may be instances of classes, with getters, methods and other members', async () => {
    class Sandbox {
      readonly baseUrl = 'https://canary.example';
      readonly clientId = 'canary';
      constructor(private readonly vault: { secret: string }) {}
      clientSecret(): string {
        return this.vault.secret;
      }
    }
    class Options implements ProviderAuthOptions {
      readonly environments = ['sandbox'] as const;
      readonly logger = console;
      get environment() {
        return this.environments[0];
      }
      get interfaces() {
        return {
          originations: {
            tokenUrl: 'https://canary.example/oauth/token',
            sandbox: new Sandbox({ secret: 'from the vault' }),
          },
        };
      }
    }
    const [profile] = (await validateOptions(new Options(), {})).profiles;
    expect((await profile?.clientSecret.read())?.reveal()).toBe('from the vault');
  });

  it('S9: an agent that insists on certificates is allowed with the variable that switches the checks off', async () => {
    const options = optionsWith({ 'http.httpsAgent': new Agent({ rejectUnauthorized: true }) });
    await expect(validated(options, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).resolves.toBeDefined();
    await expect(validated(rightOptions(), { NODE_TLS_REJECT_UNAUTHORIZED: '1' })).resolves.toBeDefined();
  });
});

describe('C4: unusual correct values', () => {
  it.each([
    ['&=+% /?#"\'`<>{}[]|\\^~'],
    ['p@ss w0rd with spaces inside'],
    ['пароль-密码-🔑'],
    ['x'],
    ['client-secret'],
    ['my-client-secret-is-not-a-placeholder-9'],
    ['changemeNOT-4f9a'],
    ['<a7G}k{2>x'],
    ['xxxA'],
    ['null-island'],
    ['YourExcellency'],
    ['QmFzZTY0IGlzIGZpbmU='],
    ['%2B%2F%3D'],
    ['a'.repeat(4_096)],
  ])('S2: the client secret %j is not changed', async (clientSecret) => {
    const profile = await easySandbox({ 'interfaces.easy.sandbox.clientSecret': clientSecret });
    expect((await profile?.clientSecret.read())?.reveal()).toBe(clientSecret);
  });

  it('a Secret is allowed, for the client id too', async () => {
    const profile = await easySandbox({
      'interfaces.easy.sandbox.clientId': new Secret('an id'),
      'interfaces.easy.sandbox.clientSecret': new Secret('a secret'),
    });
    expect(profile?.clientId?.reveal()).toBe('an id');
    expect((await profile?.clientSecret.read())?.reveal()).toBe('a secret');
  });

  it.each([
    ['https://canary.example/', 'https://canary.example'],
    ['https://canary.example/a/b//', 'https://canary.example/a/b'],
    ['HTTPS://Canary.Example:443/V1/', 'https://canary.example/V1'],
    ['https://[2001:db8::1]:8443/v1', 'https://[2001:db8::1]:8443/v1'],
    ['https://api', 'https://api'],
    ['https://münchen.example/ä', 'https://xn--mnchen-3ya.example/%C3%A4'],
    ['https://canary.example/a/./b/../c', 'https://canary.example/a/c'],
    ['https://canary.example/a;v=1/~user/@me', 'https://canary.example/a;v=1/~user/@me'],
    ['https://yourbank.example/placeholder', 'https://yourbank.example/placeholder'],
  ])('the base URL %s becomes %s', async (given, taken) => {
    expect((await easySandbox({ 'interfaces.easy.sandbox.baseUrl': given }))?.baseUrl).toBe(taken);
  });

  it('an address with letters beyond ASCII is correct in every check, unlike with URL.canParse of Node 20', () => {
    const address = 'https://münchen.example/ä';
    const verdicts = Array.from({ length: 20_000 }, () => flawOfBaseUrl(address));
    expect(new Set(verdicts)).toEqual(new Set([undefined]));
  });

  it.each([
    ['https://canary.example/auth/v12/connect/token', 'https://canary.example/auth/v12/connect/token'],
    [
      'https://canary.example/auth/v0/connect/token?tenant=7&a=%20',
      'https://canary.example/auth/v0/connect/token?tenant=7&a=%20',
    ],
    [
      'HTTPS://AUTH.CANARY.example/auth/v0/connect/token',
      'https://auth.canary.example/auth/v0/connect/token',
    ],
    ['https://[::1]:9443/auth/v0/connect/token', 'https://[::1]:9443/auth/v0/connect/token'],
  ])('S4: the token URL %s becomes %s', async (given, taken) => {
    expect((await easySandbox({ 'interfaces.easy.sandbox.tokenUrl': given }))?.tokenUrl).toBe(taken);
  });

  it('S5: the same client id in two interfaces, and the same secret anywhere, are allowed', async () => {
    const changes = {
      'interfaces.easy.sandbox.clientId': 'canary-id-os',
      'interfaces.easy.sandbox.clientSecret': 'canary',
      'interfaces.easy.production.clientSecret': 'canary',
    };
    await expect(validated(optionsWith(changes))).resolves.toBeDefined();
  });
});

describe('C4: placeholders', () => {
  it.each([
    '{client_id}',
    '{{client_id}}',
    '${CLIENT_ID}',
    '<your client id>',
    'changeme',
    'CHANGE_ME',
    'ChangeMe',
    'YOUR_CLIENT_ID',
    'yourClientSecret',
    'your secret here',
    'XXXXXXXX',
    '[redacted]',
    '…',
    '...',
    '***',
    'CLIENT_ID',
    'CLIENT_SECRET',
    'undefined',
    'null',
  ])('%j is refused', async (clientSecret) => {
    await expect(settingsOf({ 'interfaces.easy.sandbox.clientSecret': clientSecret })).rejects.toThrow(
      'placeholder',
    );
  });

  it.each([
    'https://{host}/v1',
    'https://<host>/v1',
    'https://changeme/v1',
    // The README writes an address like this.
    'https://…/v1',
    'https://api.your-domain.com/v1',
    'https://canary.example/{version}',
    'your-base-url',
  ])('%j is refused as base URL', async (baseUrl) => {
    await expect(settingsOf({ 'interfaces.easy.sandbox.baseUrl': baseUrl })).rejects.toThrow('placeholder');
  });
});

const headersOf = async (headers: unknown): Promise<unknown> =>
  (await settingsOf({ 'http.headers': headers })).http.headers;

it('C4: headers are read from the members of any object', async () => {
  class CallerHeaders {
    readonly 'X-Caller' = 'me';
  }
  expect(await headersOf({ 'X-Caller': 'me', 'x-empty': '' })).toEqual({ 'X-Caller': 'me', 'x-empty': '' });
  expect(await headersOf(new CallerHeaders())).toEqual({ 'X-Caller': 'me' });
  expect(await headersOf({})).toEqual({});
  expect(await headersOf(undefined)).toBeUndefined();
});

const PROXY = { host: 'proxy.example', port: 3128 };

it.each([
  PROXY,
  { ...PROXY, protocol: 'http' },
  { ...PROXY, protocol: 'https' },
  { ...PROXY, protocol: 'http:' },
  { ...PROXY, protocol: 'https:' },
  { ...PROXY, auth: { username: 'user', password: 'word' } },
  { ...PROXY, auth: { username: 'user', password: '' } },
  { ...PROXY, host: '::1' },
  false,
  undefined,
])('C4: http.proxy is taken as it is: %j', async (proxy) => {
  const { http } = await settingsOf({ 'http.proxy': proxy });
  expect(http.proxy).toEqual(proxy);
});

it('C4: validated settings cannot be changed', async () => {
  const settings = await settingsOf({
    'http.headers': { 'X-Caller': 'me' },
    'http.proxy': { ...PROXY, auth: { username: 'a', password: 'b' } },
  });
  const { token, http, profiles } = settings;
  const parts = [settings, token, http, profiles, ...profiles, http.headers, http.proxy];
  expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
  expect(http.proxy && Object.isFrozen(http.proxy.auth)).toBe(true);
});

/** Correct options as an instance of a class, with other members. */
function instanceWith(members: Tree): object {
  class Options {}
  return Object.assign(new Options(), rightOptions(), members);
}

const problemLines = async (options: object) =>
  (await configErrorOf(options)).problems.map(({ path, message }) => `${path}: ${message}`);

describe('C4: options of a class', () => {
  it('may have other members that do not look like an option', async () => {
    await expect(validated(instanceWith({ logger: console, vault: {} }))).resolves.toBeDefined();
  });

  it('may have a field behind a getter', async () => {
    await expect(
      validated(instanceWith({ _token: {}, token: {}, _environment: 'x' })),
    ).resolves.toBeDefined();
  });

  it('have no member that looks like a missing option', async () => {
    expect(await problemLines(instanceWith({ tokn: {} }))).toEqual([
      'tokn: is not an option. Did you mean token?',
    ]);
  });
});

it.each([
  ['of an object literal', (members: Tree) => ({ ...rightOptions(), ...members })],
  ['without a prototype', (members: Tree) => Object.assign(Object.create(null), rightOptions(), members)],
])('C4: plain options %s have no other members than options', async (_, optionsOf) => {
  expect(await problemLines(optionsOf({ vault: {} }))).toEqual([
    'vault: is not an option. Known here: environment, interfaces, token, http, store, accounts.',
  ]);
  expect(await problemLines(optionsOf({ _environment: 'x' }))).toEqual([
    '_environment: is not an option. Did you mean environment?',
  ]);
});
