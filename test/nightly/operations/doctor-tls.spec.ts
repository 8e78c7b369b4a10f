import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type SecureVersion } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StepResult } from '../../../lib/cli/step.js';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { OpenSockets } from '../../../lib/testing/simulator/open-sockets.js';
import { consult, type Consultation, type Diagnosis } from '../../support/application/doctor.js';
import { startSimulator } from '../../support/application/simulator.js';
import { ClientAuthority, filesOf } from '../../support/http/client-certificates.js';
import { MutualTlsProvider } from '../../support/http/mutual-tls-provider.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';

const VARIABLE = 'PROVIDER_EASY_SANDBOX';
const EASY_SANDBOX = ['--interface', 'easy', '--environment', 'sandbox', '--json'];

const stepOf = ({ report }: Diagnosis, name: string): StepResult | undefined =>
  report.results[0]?.steps.find((step) => step.name === name);

/** A provider that insists on client certificates, and the files of a client. */
async function mutualTls() {
  const clients = await ClientAuthority.create();
  const provider = await MutualTlsProvider.start({ clientCa: clients.ca });
  const client = await clients.issue('checkout');
  return { provider, clients, client, files: filesOf({ ca: provider.ca, ...client }) };
}

/** Runs the doctor for easy sandbox at this provider, in a process that trusts the authorities of the system only. */
async function consultAbout(
  provider: MutualTlsProvider,
  env: Consultation['env'] = {},
  args: readonly string[] = [],
): Promise<Diagnosis> {
  return consult(await startSimulator(), {
    args: [...EASY_SANDBOX, ...args],
    env: {
      ...provider.variables('sandbox'),
      // The simulator has variables for the other environment, and no tls for it.
      ...Object.fromEntries(
        ['TOKEN_URL', 'BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET'].map((end) => [
          `PROVIDER_EASY_PRODUCTION_${end}`,
          undefined,
        ]),
      ),
      NODE_EXTRA_CA_CERTS: undefined,
      ...env,
    },
  });
}

/** Runs the doctor with a simulator's token endpoint, and with an API that trusts the client certificates of another authority. */
async function consultAboutRefusal(maxVersion: SecureVersion): Promise<Diagnosis> {
  const provider = await startSimulator();
  // A token without claims fits any API.
  provider.token.members({ access_token: 'opaque' });
  const [clients, others] = await Promise.all([
    ClientAuthority.create(),
    ClientAuthority.create('Another Authority'),
  ]);
  const { ca, cert, key } = await issueServerCertificate('trusted');
  const server = createServer({
    cert,
    key,
    ca: others.ca,
    requestCert: true,
    rejectUnauthorized: true,
    maxVersion,
  });
  const sockets = new OpenSockets(server);
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    sockets.destroyAll();
  });
  const files = filesOf({ ca: provider.ca + ca, ...(await clients.issue('checkout')) });
  return consult(provider, {
    args: EASY_SANDBOX,
    env: {
      [`${VARIABLE}_BASE_URL`]: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      [`${VARIABLE}_CA_FILE`]: files.ca,
      [`${VARIABLE}_CERT_FILE`]: files.cert,
      [`${VARIABLE}_KEY_FILE`]: files.key,
    },
  });
}

describe('B29: the doctor, and TLS by configuration', () => {
  it('B29 S9: uses the authority and the client certificate in each step', async () => {
    const { provider, files } = await mutualTls();
    const diagnosis = await consultAbout(
      provider,
      {
        [`${VARIABLE}_CA_FILE`]: files.ca,
        [`${VARIABLE}_CERT_FILE`]: files.cert,
        [`${VARIABLE}_KEY_FILE`]: files.key,
      },
      ['--probe', '/things'],
    );
    expect(diagnosis.code).toBe(0);
    for (const name of ['tls', 'token-request', 'probe'])
      expect(stepOf(diagnosis, name)).toMatchObject({ status: 'ok' });
    expect(provider.seen).toEqual([
      { path: '/sandbox/auth/v0/connect/token', client: 'checkout' },
      { path: '/sandbox/easy/things', client: 'checkout' },
    ]);
  });

  it('B29: names the variable of the authority in the step that needs it', async () => {
    const { provider, files } = await mutualTls();
    const diagnosis = await consultAbout(provider, {
      [`${VARIABLE}_CERT_FILE`]: files.cert,
      [`${VARIABLE}_KEY_FILE`]: files.key,
    });
    expect(diagnosis.code).toBe(1);
    expect(stepOf(diagnosis, 'tls')).toMatchObject({
      status: 'failed',
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      advice: expect.stringContaining(`set ${VARIABLE}_CA_FILE to its PEM file, or tls.ca in code.`),
    });
  });

  it('B29: names the variables of a client certificate that is missing', async () => {
    const { provider, files } = await mutualTls();
    const missing = await consultAbout(provider, { [`${VARIABLE}_CA_FILE`]: files.ca });
    expect(missing.code).toBe(1);
    expect(stepOf(missing, 'tls')).toMatchObject({
      status: 'failed',
      advice: `The server demands a client certificate. Set ${VARIABLE}_CERT_FILE and ${VARIABLE}_KEY_FILE.`,
    });
    expect(provider.seen).toEqual([]);
  });

  it.each(['TLSv1.3', 'TLSv1.2'] as const)(
    'B29: fails if the API closes the connection without an alert, because of the client certificate: %s',
    async (maxVersion) => {
      const diagnosis = await consultAboutRefusal(maxVersion);
      expect(diagnosis.code).toBe(1);
      expect(stepOf(diagnosis, 'api-tls')).toMatchObject({
        status: 'failed',
        code: 'ECONNRESET',
        advice: expect.stringContaining(
          `The server does not accept the client certificate. Check ${VARIABLE}_CERT_FILE:`,
        ),
      });
    },
  );

  it('C4 S10: names the variable of a wrong file, and shows nothing of its content', async () => {
    const { provider, clients, client, files } = await mutualTls();
    const other = filesOf({ key: (await clients.issue('other')).key });
    const diagnosis = await consultAbout(provider, {
      [`${VARIABLE}_CA_FILE`]: '/not/here.pem',
      [`${VARIABLE}_CERT_FILE`]: files.cert,
      [`${VARIABLE}_KEY_FILE`]: other.key,
    });
    expect(diagnosis.code).toBe(1);
    expect(diagnosis.report.problems).toEqual([
      {
        path: 'interfaces.easy.sandbox.tls.ca',
        env: `${VARIABLE}_CA_FILE`,
        message: 'names a file that does not exist. Mount it, or name the right one.',
      },
      {
        path: 'interfaces.easy.sandbox.tls.key',
        env: `${VARIABLE}_KEY_FILE`,
        message: `does not belong to the certificate in ${VARIABLE}_CERT_FILE. Set both to the same pair.`,
      },
    ]);
    const body = client.key.split('\n').slice(1, -1).join('').slice(48);
    const scanner = new CanaryScanner({ key: body, path: files.key, other: other.key });
    expect(scanner.scanText(diagnosis.output)).toEqual([]);
  });

  it('S5: the authority of one pair is not that of another pair', async () => {
    const provider = await startSimulator();
    const { ca } = filesOf({ ca: provider.ca });
    const { code, report } = await consult(provider, {
      args: ['--interface', 'easy', '--json'],
      env: { NODE_EXTRA_CA_CERTS: undefined, [`${VARIABLE}_CA_FILE`]: ca },
    });
    expect(code).toBe(1);
    expect(report.results.map(({ environment, ok }) => [environment, ok])).toEqual([
      ['sandbox', true],
      ['production', false],
    ]);
  });
});
