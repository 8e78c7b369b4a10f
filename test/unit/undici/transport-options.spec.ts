import { createSecureContext, type PeerCertificate } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { ProviderAuthConfigError } from '../../../lib/index.js';
import { type ConnectOptions, undiciTransport } from '../../../lib/undici/index.js';
import { checkedConnectOptions, hasCertificates } from '../../../lib/undici/transport-options.js';

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
    expect(problemsWith({ connections: 8, allowH2: true, connect: { ca: 'PEM', timeout: 5 } })).toEqual([]);
  });

  it.each([
    [{ connections: 0 }, 'http.transport.connections'],
    [{ connections: 1.5 }, 'http.transport.connections'],
    [{ connections: '8' }, 'http.transport.connections'],
    [{ allowH2: 'yes' }, 'http.transport.allowH2'],
    [{ connect: 'ca' }, 'http.transport.connect'],
    [{ connect: () => undefined }, 'http.transport.connect'],
    [{ connect: { checkServerIdentity: true } }, 'http.transport.connect.checkServerIdentity'],
    [{ pipelining: 10 }, 'http.transport.pipelining'],
    [null, 'http.transport'],
  ])('C4: refuses %j by its path', (options, path) => {
    expect(problemsWith(options).map((problem) => problem.path)).toEqual([path]);
  });

  it('C4: says what connect must be', () => {
    expect(problemsWith({ connect: 'ca' })[0]?.message).toContain('an object of options for tls.connect');
  });

  it('S9: refuses to switch off the check of certificates', () => {
    const [problem] = problemsWith({ connect: { rejectUnauthorized: false } });
    expect(problem?.path).toBe('http.transport.connect.rejectUnauthorized');
    expect(problem?.message).toContain('connect.ca');
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

describe('the options for tls.connect', () => {
  it('S9: are those of the application, with the check of the name in front of its check', () => {
    expect(checkedConnectOptions({})).toEqual({});
    const connect = { ca: 'PEM', timeout: 5 };
    expect(checkedConnectOptions({ connect })).toBe(connect);
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
    expect(undiciTransport({ connect: options }).hasOwnTls).toBe(expected);
  });
});
