import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type CertificateKind,
  issueServerCertificate,
} from '../../../lib/testing/simulator/certificate-authority.js';
import { givenFolder } from '../../support/run/given-folder.js';
import { codeBlocksOf } from '../../support/package/code-blocks.js';

/** The output of `openssl verify` about the certificate of a server. */
async function verdictOn(kind: CertificateKind, ...options: readonly string[]): Promise<string> {
  const { ca, cert } = issueServerCertificate(kind);
  const folder = givenFolder();
  await writeFile(join(folder, 'ca.pem'), ca);
  await writeFile(join(folder, 'server.pem'), cert);
  const args = [
    'verify',
    '-x509_strict',
    '-purpose',
    'sslserver',
    ...options,
    '-CAfile',
    'ca.pem',
    'server.pem',
  ];
  return outputOf(args, folder);
}

function outputOf(args: readonly string[], folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('openssl', args, { cwd: folder }, (error, stdout, stderr) => {
      // An exit code is a verdict. A text such as ENOENT means that OpenSSL did not run.
      if (error && typeof error.code !== 'number')
        reject(new Error('OpenSSL did not run.', { cause: error }));
      else resolve(stdout + stderr);
    });
  });
}

describe('the certificates of the simulator, checked by OpenSSL', () => {
  it.each([
    ['a name', ['-verify_hostname', 'localhost']],
    ['an IPv4 address', ['-verify_ip', '127.0.0.1']],
    ['an IPv6 address', ['-verify_ip', '::1']],
  ])('B19: `openssl verify -x509_strict` accepts the chain for %s', async (_, options) => {
    expect(await verdictOn('trusted', ...options)).toBe('server.pem: OK\n');
  });

  it.each<[CertificateKind, string]>([
    ['expired', 'error 10 at 0 depth lookup'],
    ['wrong-host', 'error 64 at 0 depth lookup'],
    ['self-signed', 'error 18 at 0 depth lookup'],
  ])('B19: `openssl verify -x509_strict` refuses %s for that reason alone', async (kind, reason) => {
    const verdict = await verdictOn(kind, '-verify_ip', '127.0.0.1');
    expect(verdict.match(/^error \d+ at \d+ depth lookup/gm)).toEqual([reason]);
  });
});

describe('docs/providers.md', () => {
  it('B31: OpenSSL makes the key and the certificate for Entra ID with the command of the page', async () => {
    const block = (await codeBlocksOf('docs/providers.md')).find(({ name }) => name === 'entra-openssl');
    const [openssl, ...args] = block?.text.split(' ') ?? [];
    expect(openssl).toBe('openssl');
    const folder = givenFolder();
    await outputOf(args, folder);
    const [key, certificate] = await Promise.all(
      ['entra-key.pem', 'entra-cert.pem'].map((file) => readFile(join(folder, file), 'utf8')),
    );
    expect(new X509Certificate(certificate ?? '').checkPrivateKey(createPrivateKey(key ?? ''))).toBe(true);
  });
});
