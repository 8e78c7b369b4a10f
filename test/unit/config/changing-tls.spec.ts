import { Logger } from '@nestjs/common';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { validateOptions as validateOptionsOf } from '../../../lib/config/validate-options.js';
import type { ClientTls } from '../../../lib/net/client-tls.js';
import { requiredPartsOf } from '../../../lib/testing/any-provider.js';
import { systemClock } from '../../../lib/time/clock.js';
import { readEnvironmentVariables, validateOptions } from '../../support/application/built-in.js';
import { EASY_SANDBOX } from '../../support/application/variables.js';
import { cluster } from '../../support/application/warehouse.js';
import { ClientAuthority, type ClientCertificate } from '../../support/http/client-certificates.js';
import { MountedSecret } from '../../support/http/mounted-secret.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { optionsWith, problemsOf } from '../../support/secrets/config-canaries.js';
import { runSource } from '../../support/run/run-source.js';

const PLACE = 'interfaces.easy.sandbox.tls';
const VARIABLE = 'PROVIDER_EASY_SANDBOX';
const FAILS = `${PLACE} cannot be read: its function throws, rejects, or takes more than 5 s. See that it answers.`;
const NO_PEM = 'holds no certificate in PEM form. A PEM certificate starts with -----BEGIN CERTIFICATE-----.';

let authority: ClientAuthority;
let first: ClientCertificate;
let second: ClientCertificate;
let logs: CapturedLogs;

beforeAll(async () => {
  authority = await ClientAuthority.create();
  [first, second] = await Promise.all([authority.issue('first'), authority.issue('second')]);
});

beforeEach(() => {
  logs = new CapturedLogs();
  Logger.overrideLogger(logs);
  onTestFinished(() => Logger.overrideLogger(true));
});

async function tlsOf(options: unknown): Promise<ClientTls> {
  const { profiles } = await validateOptions(options, {});
  const tls = profiles.flatMap(({ tls: one }) => one ?? [])[0];
  if (tls === undefined) throw new Error('these options have no tls');
  return tls;
}

/** `tls` from the files of a mounted secret. */
async function fromFiles(contents = { ca: authority.ca, ...first }) {
  const secret = new MountedSecret(contents);
  const { ca, cert, key } = secret.files;
  const tls = await tlsOf(
    readEnvironmentVariables({
      ...EASY_SANDBOX,
      [`${VARIABLE}_CA_FILE`]: ca,
      [`${VARIABLE}_CERT_FILE`]: cert,
      [`${VARIABLE}_KEY_FILE`]: key,
    }),
  );
  return { secret, tls };
}

const readAgain = (tls: ClientTls): Promise<boolean> => tls.readAgainSince(tls.version);
function raise(error: Error): never {
  throw error;
}
const unreadable = (setting: string, flaw: string): string =>
  `warn The certificates of easy sandbox have changed, but cannot be used: ${setting} ${flaw} ` +
  `Connections still use the old certificates. (CERTIFICATE_UNREADABLE, ${setting})`;

it.each<[string, () => Partial<Record<'ca' | 'cert' | 'key', string>>, string, string]>([
  [
    'a certificate that does not belong to the key',
    () => ({ ca: authority.ca, cert: second.cert, key: first.key }),
    'KEY_FILE',
    `does not belong to the certificate in ${VARIABLE}_CERT_FILE. Set both to the same pair.`,
  ],
  ['a text that is no PEM', () => ({ ca: 'nothing', ...second }), 'CA_FILE', `names a file that ${NO_PEM}`],
])(
  'B34: a change of files to %s leaves the old values in use, with one warning',
  async (_, contents, end, flaw) => {
    const { secret, tls } = await fromFiles();
    const context = tls.secureContext();
    secret.replace(contents());
    for (let times = 0; times < 3; times += 1) expect(await readAgain(tls)).toBe(false);
    expect(tls.secureContext()).toBe(context);
    expect(logs.of('ProviderAuth')).toEqual([unreadable(`${VARIABLE}_${end}`, flaw)]);
    secret.replace({ ca: authority.ca, ...second });
    expect(await readAgain(tls)).toBe(true);
  },
);

/** Of a client that authenticates with its certificate. */
function boundTo(tls: () => object) {
  const test = { tokenUrl: 'https://a.example/token', baseUrl: 'https://a.example', clientId: 'an id', tls };
  return { environment: 'test', interfaces: { stock: { test } } };
}

describe('B34: tls as a function', () => {
  it('B34: is called at boot and again, as a method of its environment, with an answer at once or later', async () => {
    let current: unknown = { ...first, key: Buffer.from(first.key) };
    let calls = 0;
    const options = optionsWith({
      [PLACE](this: { readonly clientId?: unknown }) {
        calls += 1;
        const given = this.clientId === undefined ? undefined : current;
        return calls === 2 ? Promise.resolve(given) : given;
      },
    });
    const tls = await tlsOf(options);
    expect(calls).toBe(1);
    // Another object with the same content.
    current = { ...first };
    expect(await readAgain(tls)).toBe(false);
    current = second;
    expect(await readAgain(tls)).toBe(true);
  });

  it('B34 B13: one that never answers is a boot error after 5 s', async () => {
    const waits: number[] = [];
    vi.spyOn(systemClock, 'after').mockImplementation((ms, callback) => {
      waits.push(ms);
      setImmediate(callback);
      return () => {};
    });
    const problems = problemsOf(optionsWith({ [PLACE]: () => new Promise(() => {}) }));
    expect(await problems).toEqual([
      { path: PLACE, message: expect.stringContaining('takes more than 5 s') },
    ]);
    expect(waits[0]).toBe(5_000);
  });

  it.each<[string, () => unknown, string]>([
    ['throws', () => raise(new Error('canary')), FAILS],
    ['rejects', () => Promise.reject(new Error('canary')), FAILS],
    ['gives a text', () => 'canary', `${PLACE} must be an object, not a string.`],
    ['gives nothing', () => ({}), `${PLACE} gives no ca, cert or key.`],
    ['gives no PEM', () => ({ ca: 'canary' }), `${PLACE}.ca ${NO_PEM}`],
    [
      'gives a member that tls does not have',
      () => ({ ...second, pfx: 'canary' }),
      `${PLACE}.pfx is not an option. Known here: ca, cert, key, passphrase, servername, minVersion, ciphers.`,
    ],
    [
      'gives a proxy that throws',
      () => ({ ca: new Proxy({}, { getPrototypeOf: () => raise(new Error('canary')) }) }),
      FAILS,
    ],
    [
      'gives half a pair',
      () => ({ cert: first.cert }),
      `${PLACE}.key is missing. Set it to the private key of the certificate in ${PLACE}.cert.`,
    ],
  ])('B34 C4: one that %s is a boot error, and a warning later', async (_, give, flaw) => {
    expect(await problemsOf(optionsWith({ [PLACE]: give }))).toEqual([
      { path: PLACE, message: `is a function whose answer cannot be used: ${flaw}` },
    ]);
    let isRight = true;
    const tls = await tlsOf(optionsWith({ [PLACE]: () => (isRight ? first : give()) }));
    isRight = false;
    expect(await readAgain(tls)).toBe(false);
    const [setting = '', ...words] = flaw.split(' ');
    expect(logs.of('ProviderAuth')).toEqual([unreadable(setting, words.join(' '))]);
  });

  it('B32: of a client that authenticates with its certificate must give one, at boot and later', async () => {
    const { catalogue } = requiredPartsOf(cluster);
    const path = 'interfaces.stock.test.tls';
    const flaw = 'is missing. This client authenticates with its TLS certificate.';
    await expect(
      validateOptionsOf(
        catalogue,
        boundTo(() => ({ ca: authority.ca })),
      ),
    ).rejects.toMatchObject({
      problems: [{ path, message: `is a function whose answer cannot be used: ${path}.cert ${flaw}` }],
    });
    let isRight = true;
    const give = () => ({ ca: authority.ca, ...(isRight && first) });
    const [profile] = (await validateOptionsOf(catalogue, boundTo(give))).profiles;
    isRight = false;
    expect(await readAgain(profile?.tls as ClientTls)).toBe(false);
    expect(logs.of('ProviderAuth')).toEqual([expect.stringContaining(`${path}.cert ${flaw}`)]);
  });

  it('B34 B13: one that never answers does not end the process silently at boot', async () => {
    // The process has short seconds: 5 s pass in 50 ms.
    const text = `
      const { setTimeout: inReal } = globalThis;
      globalThis.setTimeout = (callback, ms) => inReal(callback, ms / 100);
      import { ProviderAuthModule } from './lib/index.ts';
      import { NestFactory } from '@nestjs/core';
      const sandbox = {
        tokenUrl: 'https://provider.example/auth/v0/connect/token',
        baseUrl: 'https://provider.example/easy',
        clientId: 'an id',
        clientSecret: 'a secret',
        tls: () => new Promise(() => {}),
      };
      const module = ProviderAuthModule.forRoot({ environment: 'sandbox', interfaces: { easy: { sandbox } } });
      NestFactory.createApplicationContext(module, { logger: false, abortOnError: false }).catch((error) => console.log(error.message));
    `;
    const { stdout } = await runSource(text);
    expect(stdout).toContain('takes more than 5 s');
  });
});
