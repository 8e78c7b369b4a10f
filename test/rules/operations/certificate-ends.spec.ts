import { expect, it } from 'vitest';
import { examine } from '../../../lib/cli/doctor.js';
import { BUILT_IN } from '../../../lib/module/built-in.js';
import { ClientAuthority, filesOf } from '../../support/http/client-certificates.js';
import { MutualTlsProvider } from '../../support/http/mutual-tls-provider.js';

const DAY_MS = 24 * 60 * 60 * 1000;

const clients = await ClientAuthority.create();

const endingIn = (days: number) =>
  clients.issue('ending', { notAfter: new Date(Date.now() + days * DAY_MS) });

it.each([
  [
    5.5,
    'The client certificate of easy sandbox expires in 5 days, on DAY. Put a new one into PROVIDER_EASY_SANDBOX_CERT_FILE.',
  ],
  [100, undefined],
])('B34: what the doctor says of a client certificate that ends in %s days', async (days, warning) => {
  const provider = await MutualTlsProvider.start({ clientCa: clients.ca });
  const files = filesOf({ ca: provider.ca, ...(await endingIn(days)) });
  const variables = {
    PROVIDER_ENVIRONMENT: 'sandbox',
    ...provider.variables('sandbox'),
    PROVIDER_EASY_SANDBOX_CA_FILE: files.ca,
    PROVIDER_EASY_SANDBOX_CERT_FILE: files.cert,
    PROVIDER_EASY_SANDBOX_KEY_FILE: files.key,
  };
  const report = await examine([BUILT_IN.catalogue], variables, {});
  const [configuration] = report.results[0]?.steps ?? [];
  expect(configuration).toMatchObject({
    name: 'configuration',
    status: 'ok',
    facts: { certificateEndsAt: expect.stringMatching(/Z$/) },
  });
  expect(configuration?.advice?.replace(/\d{4}-.*Z/, 'DAY')).toBe(warning);
  expect(report.ok).toBe(true);
});
