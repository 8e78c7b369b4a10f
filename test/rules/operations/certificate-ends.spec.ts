import { expect, it } from 'vitest';
import { bootWith } from '../../support/application/boot.js';
import { examine } from '../../../lib/cli/doctor.js';
import { ProviderAuthModule, type ProviderAuthOptions, ProviderAuthService } from '../../../lib/index.js';
import { ProviderAuthTelemetryModule } from '../../../lib/opentelemetry/index.js';
import { BUILT_IN } from '../../../lib/module/built-in.js';
import { TestTelemetry } from '../../support/application/telemetry.js';
import { easyOptions } from '../../support/application/tls-app.js';
import { ClientAuthority, filesOf } from '../../support/http/client-certificates.js';
import { MutualTlsProvider } from '../../support/http/mutual-tls-provider.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const REMAINING = 'provider_auth.certificate.remaining';

const clients = await ClientAuthority.create();

const endingIn = (days: number) =>
  clients.issue('ending', { notAfter: new Date(Date.now() + days * DAY_MS) });

const start = (options: ProviderAuthOptions) =>
  bootWith([ProviderAuthTelemetryModule.forRoot(), ProviderAuthModule.forRoot(options)]);

it('B34: a client certificate that ends soon is a warning at boot, and a gauge', async () => {
  const provider = await MutualTlsProvider.start();
  const telemetry = TestTelemetry.register();
  const { ca } = provider;
  const [soon, later] = await Promise.all([endingIn(5.5), endingIn(100)]);
  const options = easyOptions({
    sandbox: [provider, { ca, ...soon }],
    production: [provider, { ca, ...later }],
  });
  const { app, logs } = await start(options);
  expect(logs.linesAboutTrouble()).toEqual([
    expect.stringMatching(
      /^warn The client certificate of easy sandbox expires in 5 days, on \d{4}-.*Z\. Put a new one into interfaces\.easy\.sandbox\.tls\.cert\. \(CERTIFICATE_ENDS, interfaces\.easy\.sandbox\.tls\.cert\)$/,
    ),
  ]);
  const numbers = await telemetry.numbers(REMAINING, 'provider', 'interface', 'environment');
  const days = Object.entries(numbers).map(([pair, seconds]) => [pair, (seconds * 1000) / DAY_MS] as const);
  expect(Object.fromEntries(days)).toEqual({
    'provider=provider interface=easy environment=sandbox': expect.closeTo(5.5, 2),
    'provider=provider interface=easy environment=production': expect.closeTo(100, 2),
  });
  const ends = app
    .get(ProviderAuthService, { strict: false })
    .status()
    .map((one) => one.certificateEndsAt);
  expect(ends).toEqual([expect.any(Date), expect.any(Date)]);
});

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
