import { createPrivateKey } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import nodeTls, { rootCertificates } from 'node:tls';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readEnvironmentVariables, validateOptions } from '../../support/application/built-in.js';
import { EASY_SANDBOX } from '../../support/application/variables.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { ClientAuthority, type ClientCertificate, filesOf } from '../../support/http/client-certificates.js';
import {
  configErrorOf,
  optionsWith,
  problemsOf,
  shownBy,
  type Tree,
} from '../../support/secrets/config-canaries.js';

const PLACE = 'interfaces.easy.sandbox.tls';
const VARIABLE = 'PROVIDER_EASY_SANDBOX';
const NO_CERTIFICATE =
  'holds no certificate in PEM form. A PEM certificate starts with -----BEGIN CERTIFICATE-----.';
const NO_KEY = 'holds no private key in PEM form.';
const [PUBLIC_CA = ''] = rootCertificates;

const ofAnother = (cert: string): string =>
  `does not belong to the certificate in ${cert}. Set both to the same pair.`;
const only = (other: string): string => `is set together with ${other}. Keep only one of them.`;

let authority: ClientAuthority;
let own: ClientCertificate;
let foreign: ClientCertificate;
let expired: ClientCertificate;
let encryptedKey: string;

beforeAll(async () => {
  authority = await ClientAuthority.create();
  [own, foreign, expired] = await Promise.all([
    authority.issue('own'),
    authority.issue('foreign'),
    authority.issue('expired', { notAfter: new Date('2020-01-01') }),
  ]);
  encryptedKey = createPrivateKey(own.key)
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'canary' })
    .toString();
});

const withTls = (tls: unknown, others: Tree = {}): Tree => optionsWith({ [PLACE]: tls, ...others });

/** Right options by variables, and these files by the names of the variables' ends. */
function withFiles(files: Record<string, string | undefined>): object {
  return readEnvironmentVariables({
    ...EASY_SANDBOX,
    ...Object.fromEntries(Object.entries(files).map(([end, path]) => [`${VARIABLE}_${end}_FILE`, path])),
  });
}

/** The problems of `tls`, in code and by files: the first by its path, the second by its variable, too. */
async function problemsOfBoth(tls: Record<string, string>) {
  const files = filesOf(tls);
  const byFiles = Object.fromEntries(Object.entries(files).map(([name, path]) => [name.toUpperCase(), path]));
  const errors = await Promise.all([configErrorOf(withTls(tls)), configErrorOf(withFiles(byFiles))]);
  for (const error of errors) {
    for (const text of Object.values(tls)) {
      const [, , line = 'no third line'] = text.split('\n');
      expect(shownBy(error)).not.toContain(line);
    }
    for (const path of Object.values(files)) expect(shownBy(error)).not.toContain(dirname(path));
  }
  return errors.map(({ problems }) => problems.map(({ path, env, message }) => [env ?? path, message]));
}

describe('C4 B29: tls of an environment', () => {
  it('takes texts, Buffers and a Secret for the key', async () => {
    const { cert, key } = own;
    for (const tls of [
      { ca: PUBLIC_CA },
      { ca: Buffer.from(rootCertificates.slice(0, 5).join('\n')), cert, key },
      { cert: `${cert}\n${authority.ca}`, key: Buffer.from(key) },
      { cert: Buffer.from(cert), key: new Secret(key) },
    ]) {
      const { profiles } = await validateOptions(withTls(tls), {});
      expect(profiles.map(({ tls: read }) => read !== undefined)).toEqual([false, false, true, false]);
    }
  });

  it('opens a key with its passphrase, and takes servername, minVersion and ciphers', async () => {
    const others = { servername: 'api.example', minVersion: 'TLSv1.3', ciphers: 'TLS_AES_256_GCM_SHA384' };
    for (const tls of [
      { cert: own.cert, key: encryptedKey, passphrase: 'canary', ...others },
      { cert: own.cert, key: encryptedKey, passphrase: new Secret('canary'), ...others },
      others,
    ]) {
      const { profiles } = await validateOptions(withTls(tls), {});
      const read = profiles[2]?.tls;
      expect(read?.servername).toBe('api.example');
      expect(read?.certificate()).toBe('cert' in tls ? own.cert : undefined);
    }
  });

  it.each<[string, unknown, string]>([
    ['passphrase', '', 'is empty. Set it.'],
    ['servername', 'https://api.example', 'is not a host.'],
    ['minVersion', 'TLSv1.1', 'must be TLSv1.2 or TLSv1.3.'],
    [
      'ciphers',
      'canary',
      'is refused by OpenSSL (ERR_SSL_NO_CIPHER_MATCH). Correct the names of the ciphers.',
    ],
  ])('refuses a wrong %s', async (member, value, message) => {
    const [problem, ...others] = await problemsOf(withTls({ [member]: value }));
    expect(problem).toEqual({ path: `${PLACE}.${member}`, message: expect.stringContaining(message) });
    expect(others).toEqual([]);
  });

  it('is none when all its members are absent', async () => {
    for (const tls of [undefined, {}, { ca: undefined, cert: undefined, key: undefined }]) {
      const { profiles } = await validateOptions(withTls(tls, { 'http.httpsAgent': new Agent() }), {});
      expect(profiles.map(({ tls: read }) => read)).toEqual([undefined, undefined, undefined, undefined]);
    }
  });

  it.each<[string, unknown, string, string]>([
    ['a text', 'canary', PLACE, 'must be an object, not a string.'],
    ['a number for ca', { ca: 5 }, `${PLACE}.ca`, 'must be a PEM text or a Buffer, not a number.'],
    ['a list for ca', { ca: [PUBLIC_CA] }, `${PLACE}.ca`, 'must be a PEM text or a Buffer, not an object.'],
    ['an empty text', { ca: '' }, `${PLACE}.ca`, NO_CERTIFICATE],
    ['a misspelt member', { Cert: 'canary' }, `${PLACE}.Cert`, 'is not an option. Did you mean cert?'],
    [
      'an option of tls.connect',
      { rejectUnauthorized: false },
      `${PLACE}.rejectUnauthorized`,
      'is not an option. Known here: ca, cert, key, passphrase, servername, minVersion, ciphers.',
    ],
  ])('refuses %s', async (_, tls, path, message) => {
    expect(await problemsOf(withTls(tls))).toEqual([{ path, message }]);
  });

  it.each<[string, () => Record<string, string>, string, string]>([
    ['an authority that is no PEM', () => ({ ca: 'canary\ncanary\ncanary' }), 'ca', NO_CERTIFICATE],
    ['a key in place of an authority', () => ({ ca: own.key }), 'ca', NO_CERTIFICATE],
    [
      'an authority that is damaged',
      () => ({ ca: PUBLIC_CA.replace(/\n[^\n]{10}/, '\ncanarycana') }),
      'ca',
      'contains a certificate that cannot be read. Copy the certificate again.',
    ],
    ['a client certificate that is no PEM', () => ({ cert: 'canary', key: own.key }), 'cert', NO_CERTIFICATE],
    [
      'an expired client certificate',
      () => ({ ...expired }),
      'cert',
      'contains a client certificate that has expired. Replace it with a new one.',
    ],
    ['a key that is no PEM', () => ({ cert: own.cert, key: 'canary' }), 'key', NO_KEY],
    ['a certificate in place of a key', () => ({ cert: own.cert, key: own.cert }), 'key', NO_KEY],
    [
      'a key with a passphrase',
      () => ({ cert: own.cert, key: encryptedKey }),
      'key',
      'contains a private key that needs a passphrase. Store the key without a passphrase.',
    ],
  ])('refuses %s, from code and from a file', async (_, tls, member, message) => {
    expect(await problemsOfBoth(tls())).toEqual([
      [[`${PLACE}.${member}`, message]],
      [[`${VARIABLE}_${member.toUpperCase()}_FILE`, `names a file that ${message}`]],
    ]);
  });

  it.each(['another', new Secret('another'), ''])(
    'refuses a passphrase that does not open the key: %j',
    async (passphrase) => {
      const problems = await problemsOf(withTls({ cert: own.cert, key: encryptedKey, passphrase }));
      expect(problems[0]).toEqual({
        path: `${PLACE}.key`,
        message: 'contains a private key that needs another passphrase. Correct passphrase in tls.',
      });
    },
  );

  it('refuses a key that is not that of the certificate', async () => {
    expect(await problemsOfBoth({ cert: own.cert, key: foreign.key })).toEqual([
      [[`${PLACE}.key`, ofAnother(`${PLACE}.cert`)]],
      [[`${VARIABLE}_KEY_FILE`, ofAnother(`${VARIABLE}_CERT_FILE`)]],
    ]);
  });

  it('refuses a certificate without a key, and a key without a certificate', async () => {
    expect(await problemsOfBoth({ cert: own.cert })).toEqual(
      [
        [`${PLACE}.key`, `${PLACE}.cert`],
        [`${VARIABLE}_KEY_FILE`, `${VARIABLE}_CERT_FILE`],
      ].map(([key, cert]) => [[key, `is missing. Set it to the private key of the certificate in ${cert}.`]]),
    );
    expect(await problemsOfBoth({ key: own.key })).toEqual(
      [
        [`${PLACE}.cert`, `${PLACE}.key`],
        [`${VARIABLE}_CERT_FILE`, `${VARIABLE}_KEY_FILE`],
      ].map(([cert, key]) => [[cert, `is missing. Set it to the certificate of the private key in ${key}.`]]),
    );
  });

  it.each<[string, (folder: string) => string, string]>([
    [
      'that does not exist',
      (folder) => `${folder}/none.pem`,
      'names a file that does not exist. Mount it, or name the right one.',
    ],
    ['that is a folder', (folder) => folder, 'names something that is not a file. Name a PEM file.'],
    [
      'that is far too long',
      (folder) => {
        mkdirSync(`${folder}/long`);
        writeFileSync(`${folder}/long/file`, Buffer.alloc(2 * 1024 * 1024));
        return `${folder}/long/file`;
      },
      'names a file that is far too long. Name a PEM file.',
    ],
  ])('refuses a file %s', async (_, pathIn, message) => {
    const path = pathIn(dirname(filesOf({ any: '' }).any));
    const error = await configErrorOf(withFiles({ CA: path }));
    expect(error.problems).toEqual([{ path: `${PLACE}.ca`, env: `${VARIABLE}_CA_FILE`, message }]);
    expect(shownBy(error)).not.toContain(path);
  });

  it('lists a file that cannot be read together with the other problems of tls', async () => {
    const { ca, key, folder } = filesOf({ ca: 'canary', key: 'canary', folder: '' });
    const files = { CA: ca, CERT: `${dirname(folder)}/none.pem`, KEY: key };
    expect(await problemsOf(withFiles(files))).toEqual(
      [
        ['ca', `names a file that ${NO_CERTIFICATE}`],
        ['cert', 'names a file that does not exist. Mount it, or name the right one.'],
        ['key', `names a file that ${NO_KEY}`],
      ].map(([member = '', message]) => ({
        path: `${PLACE}.${member}`,
        env: `${VARIABLE}_${member.toUpperCase()}_FILE`,
        message,
      })),
    );
  });
});

describe('C4 B29: tls beside another place that says the same', () => {
  it('is refused beside http.httpsAgent', async () => {
    const others = { 'http.httpsAgent': new Agent(), 'interfaces.easy.production.tls': { ca: PUBLIC_CA } };
    expect(await problemsOf(withTls({ ca: PUBLIC_CA }, others))).toEqual([
      { path: PLACE, message: only('http.httpsAgent') },
      { path: 'interfaces.easy.production.tls', message: only('http.httpsAgent') },
    ]);
  });

  it('is refused by the name of its variable', async () => {
    const { cert, key } = filesOf({ ...own });
    const options = { ...withFiles({ CERT: cert, KEY: key }), http: { httpsAgent: new Agent() } };
    expect(await problemsOf(options)).toEqual([
      { path: PLACE, env: `${VARIABLE}_CERT_FILE`, message: only('http.httpsAgent') },
    ]);
  });

  it('is allowed for undiciTransport', async () => {
    const options = withTls({ ca: PUBLIC_CA }, { 'http.transport': undiciTransport() });
    await expect(validateOptions(options, {})).resolves.toBeDefined();
  });
});

/** OpenSSL refuses every certificate, with this error. Which certificates it refuses depends on its version. */
function refuseCertificates(error: unknown): void {
  const refusal = vi.spyOn(nodeTls, 'createSecureContext').mockImplementation(() => {
    throw error;
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    refusal.mockRestore();
    syncBuiltinESMExports();
  });
}

describe('C4: a certificate that only OpenSSL refuses', () => {
  const CODE = 'ERR_SSL_CA_KEY_TOO_SMALL';

  it.each<[string, () => object]>([
    ['ca', () => ({ ca: PUBLIC_CA })],
    ['cert', () => ({ ca: PUBLIC_CA, cert: own.cert, key: own.key })],
  ])('C4: is a problem of %s that names the code of OpenSSL', async (member, tls) => {
    refuseCertificates(Object.assign(new Error('canary'), { code: CODE }));
    expect(await problemsOf(withTls(tls()))).toEqual([
      {
        path: `${PLACE}.${member}`,
        message: `is refused by OpenSSL (${CODE}). Ask for a stronger certificate.`,
      },
    ]);
  });

  it.each([
    ['no code', new Error('canary')],
    ['a code in a text', Object.assign(new Error('canary'), { code: `canary ${CODE}` })],
  ])('S10: is a problem without a code if OpenSSL gives %s', async (_, error) => {
    refuseCertificates(error);
    expect(await problemsOf(withTls({ ca: PUBLIC_CA }))).toEqual([
      { path: `${PLACE}.ca`, message: 'is refused by OpenSSL. Ask for a stronger certificate.' },
    ]);
  });
});
