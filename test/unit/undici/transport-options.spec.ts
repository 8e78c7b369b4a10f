import { createPrivateKey } from 'node:crypto';
import { createSecureContext, type PeerCertificate, rootCertificates } from 'node:tls';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ProviderAuthConfigError } from '../../../lib/index.js';
import { type ConnectOptions, undiciTransport } from '../../../lib/undici/index.js';
import { checkedConnectOptions, hasCertificates } from '../../../lib/undici/transport-options.js';
import { ClientAuthority, type ClientCertificate } from '../../support/http/client-certificates.js';

const [CA = ''] = rootCertificates;
const CONNECT = 'http.transport.connect';

function problemsWith(options: unknown): readonly { path: string; message: string }[] {
  try {
    undiciTransport(options as object);
  } catch (error) {
    if (error instanceof ProviderAuthConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('undiciTransport()', () => {
  it('accepts no argument, and all documented options', () => {
    expect(problemsWith(undefined)).toEqual([]);
    expect(problemsWith({ connections: 8, connect: { ca: CA, timeout: 5 } })).toEqual([]);
  });

  it.each([
    [{ connections: 0 }, 'http.transport.connections'],
    [{ connections: 1.5 }, 'http.transport.connections'],
    [{ connections: '8' }, 'http.transport.connections'],
    [{ connect: 'ca' }, 'http.transport.connect'],
    [{ connect: () => undefined }, 'http.transport.connect'],
    [{ connect: { checkServerIdentity: true } }, 'http.transport.connect.checkServerIdentity'],
    [{ connect: { timeout: 0 } }, 'http.transport.connect.timeout'],
    [{ connect: { ALPNProtocols: ['h2'] } }, 'http.transport.connect.ALPNProtocols'],
    [{ pipelining: 10 }, 'http.transport.pipelining'],
    [null, 'http.transport'],
  ])('C4: refuses %j by its path', (options, path) => {
    expect(problemsWith(options).map((problem) => problem.path)).toEqual([path]);
  });

  it.each([true, false])('B36: refuses allowH2: %s, and says that the transport uses HTTP/1.1', (allowH2) => {
    expect(problemsWith({ allowH2 })).toEqual([
      {
        path: 'http.transport.allowH2',
        message: 'is not an option: the transport uses HTTP/1.1 and does not offer HTTP/2. Leave it out.',
      },
    ]);
    expect(problemsWith({ allowH2: undefined })).toEqual([]);
  });

  it('C4: says what connect must be', () => {
    expect(problemsWith({ connect: 'ca' })[0]?.message).toContain('an object of options for tls.connect');
  });

  it('S9: refuses to switch off the check of certificates', () => {
    const [problem] = problemsWith({ connect: { rejectUnauthorized: false } });
    expect(problem?.path).toBe('http.transport.connect.rejectUnauthorized');
    expect(problem?.message).toContain('pass its certificate as ca');
  });

  it('C4: reports all problems at once', () => {
    expect(problemsWith({ connections: -1, allowH2: 1 })).toHaveLength(2);
  });

  it('B30: an option whose getter throws is a problem as in all other options, and its error is dropped', () => {
    const options = {
      get connections(): number {
        throw new Error('canary');
      },
    };
    expect(problemsWith(options)).toEqual([
      {
        path: 'http.transport.connections',
        message: 'cannot be read: its getter throws. Fix the getter.',
      },
    ]);
  });
});

describe('C4: the certificates of connect', () => {
  let authority: ClientAuthority;
  let own: ClientCertificate;
  let foreign: ClientCertificate;
  let encrypted: string;
  const passphrase = 'of the key';

  beforeAll(async () => {
    authority = await ClientAuthority.create();
    own = await authority.issue('own');
    foreign = await authority.issue('foreign');
    encrypted = createPrivateKey(own.key)
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase })
      .toString();
  });

  it.each<[string, () => object]>([
    ['authorities', () => ({ ca: [Buffer.from(CA), authority.ca] })],
    ['a pair', () => ({ ...own, minVersion: 'TLSv1.3' })],
    ['lists', () => ({ cert: [own.cert], key: [{ pem: encrypted, passphrase }] })],
    ['a key with its passphrase', () => ({ cert: own.cert, key: encrypted, passphrase })],
  ])('may be %s', (_, connect) => {
    expect(problemsWith({ connect: connect() })).toEqual([]);
  });

  it.each<[string, () => object, string, string]>([
    ['an authority that is no PEM', () => ({ ca: 'canary' }), '.ca', 'holds no certificate in PEM form'],
    ['one of several', () => ({ ca: [CA, 'canary'] }), '.ca', 'holds no certificate in PEM form'],
    ['no authority at all', () => ({ ca: [] }), '.ca', 'one value or more'],
    ['a certificate without its key', () => ({ cert: own.cert }), '.key', `in ${CONNECT}.cert`],
    ['a key without its certificate', () => ({ key: own.key }), '.cert', `in ${CONNECT}.key`],
    ['a key that is no PEM', () => ({ ...own, key: 'canary' }), '.key', 'no private key in PEM form'],
    ['a locked key', () => ({ ...own, key: encrypted }), '.key', 'needs a passphrase'],
    ['another passphrase', () => ({ ...own, key: encrypted, passphrase: '' }), '', 'by OpenSSL (ERR_'],
    ["another certificate's key", () => ({ ...own, key: foreign.key }), '', 'by OpenSSL (ERR_'],
    ['an unknown cipher', () => ({ ciphers: 'canary' }), '', 'by OpenSSL (ERR_SSL_NO_CIPHER_MATCH)'],
  ])('are refused: %s', (_, connect, path, message) => {
    const options = { connect: connect() };
    expect(problemsWith(options)).toEqual([
      { path: CONNECT + path, message: expect.stringContaining(message) },
    ]);
    expect(JSON.stringify(problemsWith(options))).not.toContain('canary');
  });

  it('need no key in PEM form if OpenSSL finds the key by a name', () => {
    const connect = { cert: own.cert, privateKeyIdentifier: 'any', privateKeyEngine: 'any' };
    const paths = problemsWith({ connect }).map(({ path }) => path);
    expect(paths).not.toContain(`${CONNECT}.key`);
  });

  it('are refused if they have expired', async () => {
    const connect = await authority.issue('expired', { notAfter: new Date('2020-01-01') });
    expect(problemsWith({ connect })).toEqual([
      { path: `${CONNECT}.cert`, message: expect.stringContaining('has expired') },
    ]);
  });
});

describe('S6: the address of connect', () => {
  it.each(['host', 'port', 'path', 'socketPath', 'socket'])('is refused: %s', (name) => {
    expect(problemsWith({ connect: { [name]: 'canary' } })).toEqual([
      {
        path: `${CONNECT}.${name}`,
        message: expect.stringContaining('leads to another place than the address of a request'),
      },
    ]);
  });
});

describe('the options for tls.connect', () => {
  it('S9: are those of the application, with the check of the name in front of its check', () => {
    expect(checkedConnectOptions({})).toEqual({});
    const connect = { ca: 'PEM', timeout: 5 };
    expect(checkedConnectOptions({ connect: { ...connect, ciphers: undefined } })).toStrictEqual(connect);
    const pinned = vi.fn<() => Error | undefined>();
    const { checkServerIdentity: check, ...others } = checkedConnectOptions({
      connect: { ...connect, checkServerIdentity: pinned },
    });
    expect(others).toEqual(connect);
    const certificate = { subject: { CN: 'evil.example' }, subjectaltname: 'DNS:evil.example' };
    expect(check?.('api.example.com', certificate as PeerCertificate)).toBeInstanceOf(Error);
    expect(pinned).not.toHaveBeenCalled();
    expect(check?.('evil.example', certificate as PeerCertificate)).toBeUndefined();
    expect(pinned).toHaveBeenCalledOnce();
  });

  it.each<[ConnectOptions, boolean]>([
    [{}, false],
    [{ timeout: 5 }, false],
    [{ ca: 'PEM' }, true],
    [{ cert: 'PEM' }, true],
    [{ key: 'PEM' }, true],
    [{ pfx: 'PFX' }, true],
    [{ secureContext: createSecureContext() }, true],
  ])('S10: name certificates, or not: %j', (options, expected) => {
    expect(hasCertificates(options)).toBe(expected);
  });

  it('S10: the transport says that it has certificates', () => {
    expect(undiciTransport({ connect: { timeout: 5 } }).hasOwnTls).toBe(false);
    expect(undiciTransport({ connect: { ca: CA } }).hasOwnTls).toBe(true);
  });
});
