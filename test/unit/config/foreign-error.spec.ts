import { describe, expect, it } from 'vitest';
import { OptionsWithIsGlobal } from '../../../lib/config/validate-options.js';
import { ProviderAuthConfigError } from '../../../lib/errors/provider-auth-config.error.js';
import { validateCreated } from '../../support/application/built-in.js';
import {
  configErrorOf,
  optionsAt,
  optionsWith,
  rightOptions,
  shownBy,
} from '../../support/secrets/config-canaries.js';

/** The error that the application gets from its factory. */
async function errorOf(create: () => unknown): Promise<ProviderAuthConfigError> {
  const failure: unknown = await validateCreated(create).catch((error: unknown) => error);
  if (!(failure instanceof ProviderAuthConfigError)) throw new Error('was expected to be refused');
  return failure;
}

function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}

const withTimeout = (timeoutMs: number) => Promise.resolve(optionsWith({ 'token.timeoutMs': timeoutMs }));

const named = (name: string): Error => Object.assign(new Error('canary'), { name });

describe('C4: a factory of options', () => {
  it('returns options that are validated, also asynchronous ones', async () => {
    expect((await validateCreated(() => withTimeout(7))).token.timeoutMs).toBe(7);
    await expect(validateCreated(() => withTimeout(0))).rejects.toThrow('token.timeoutMs');
  });

  it('returns no isGlobal, which is only an option of forRoot', async () => {
    const options = { ...rightOptions(), isGlobal: true };
    const { problems } = await errorOf(() => options);
    expect(problems).toEqual([
      {
        path: 'isGlobal',
        message: 'belongs next to useFactory, useClass or useExisting in forRootAsync. Move it there.',
      },
    ]);
    expect((await validateCreated(() => new OptionsWithIsGlobal(options))).profiles).toHaveLength(4);
  });

  it.each([
    [named('TypeError'), 'TypeError'],
    [named('A_name1'), 'A_name1'],
    [named('N'.repeat(64)), 'N'.repeat(64)],
    [named('N'.repeat(65)), 'something'],
    [named('canary name'), 'something'],
    [named('canary!'), 'something'],
    [named(''), 'something'],
    [{ name: 'TypeError' }, 'something'],
    ['canary', 'something'],
    [undefined, 'something'],
  ])('S10: that throws %s is reported with its class', async (thrown, kind) => {
    const failures = [await errorOf(throwing(thrown)), await errorOf(async () => throwing(thrown)())];
    for (const failure of failures) {
      expect(failure.code).toBe('CONFIG_INVALID');
      expect(failure.problems).toEqual([
        {
          path: '(options)',
          message: `the factory of the options threw ${kind}; its text is not repeated, because it may hold a secret. Call the factory by itself to see it.`,
        },
      ]);
      expect(shownBy(failure)).not.toContain('canary');
    }
  });

  it('may throw an error of this module, which is not changed', async () => {
    const error = new ProviderAuthConfigError('NOT_CONFIGURED', []);
    expect(await errorOf(throwing(error))).toBe(error);
  });

  it('S10: is reported with the name of its class of errors', async () => {
    class VaultError extends Error {}
    const failure = await errorOf(throwing(new VaultError('canary')));
    expect(failure.message).toContain('threw VaultError;');
  });
});

function failing(): never {
  throw new TypeError('canary in a trap');
}

/** Every touch of it throws. */
const hostile = (): object => new Proxy({}, { get: failing, ownKeys: failing, getPrototypeOf: failing });

/** Correct options, in which the getter of one member throws. */
function withGetter(path: string): object {
  const options = optionsWith({ token: {}, http: { headers: {}, proxy: { host: 'canary', port: 1 } } });
  const end = path.lastIndexOf('.');
  const holder = optionsAt(options, path.slice(0, Math.max(0, end)));
  Object.defineProperty(holder, path.slice(end + 1), { enumerable: true, get: failing });
  return options;
}

describe('C4: options that throw when they are read', () => {
  it.each<[string, object]>([
    ...[
      'environment',
      'interfaces.easy',
      'interfaces.easy.sandbox.clientSecret',
      'token.timeoutMs',
      'http.headers.a',
    ].map((path): [string, object] => [`the getter of ${path}`, withGetter(path)]),
    ['a proxy as options', hostile()],
    ['a proxy as a client secret', optionsWith({ 'interfaces.easy.sandbox.clientSecret': hostile() })],
    ['a proxy as an agent', optionsWith({ 'http.httpsAgent': hostile() })],
    ['a proxy as a transport', optionsWith({ 'http.transport': hostile() })],
    ['a proxy as a store', optionsWith({ store: hostile() })],
  ])('S10: are one problem, and the text of the error is not shown: %s', async (_, options) => {
    const error = await configErrorOf(options);
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.problems).toEqual([
      {
        path: '(options)',
        message:
          'a getter or a proxy in the options threw TypeError; its text is not repeated, because it may hold a secret. Pass plain values.',
      },
    ]);
    expect(shownBy(error)).not.toContain('canary');
  });

  it('are one problem if they are a revoked proxy', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const options of [proxy, optionsWith({ token: proxy })])
      expect((await configErrorOf(options)).problems.map(({ path }) => path)).toEqual(['(options)']);
  });

  it('are refused if a rule finds them wrong first, and right later', async () => {
    let asked = 0;
    const agent = {
      get addRequest(): unknown {
        asked += 1;
        return asked === 1 ? undefined : () => {};
      },
    };
    expect((await configErrorOf(optionsWith({ 'http.httpsAgent': agent }))).problems).toEqual([
      { path: 'http.httpsAgent', message: 'changed while it was checked. Start again.' },
    ]);
  });
});
