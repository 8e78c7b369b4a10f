import { generateKeyPairSync } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import { request } from 'node:https';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ProviderEnvironment, ProviderInterface } from '../../../lib/catalogue/provider-catalogue.js';
import { ProviderSimulator, type ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import { PROVIDER_PAIRS } from './built-in.js';
import { callHttps, type HttpsAnswer, type HttpsCall } from '../http/https-call.js';
import type { AnyProvider, EnvironmentOf } from '../../../lib/testing/any-provider.js';
import type { Authority } from '../../../lib/testing/simulator/certificate-authority.js';
import { createCertificate } from '../../../lib/testing/simulator/certificate.js';
import { givenFolder } from '../run/given-folder.js';

export const ALL_PAIRS: readonly (readonly [ProviderInterface, ProviderEnvironment])[] = PROVIDER_PAIRS.map(
  ({ interface: name, environment }) => [name, environment] as const,
);

/** A simulator that closes when the test ends. */
export async function startSimulator(options?: ProviderSimulatorOptions): Promise<ProviderSimulator> {
  const provider = await ProviderSimulator.start(options);
  onTestFinished(() => provider.close());
  return provider;
}

/** Starts a simulator of this definition. The end of the test closes it. */
export async function startSimulatorOf<Provider extends AnyProvider>(
  definition: Provider,
  options: ProviderSimulatorOptions<EnvironmentOf<Provider>> = {},
) {
  const provider = await ProviderSimulator.start({ ...options, provider: definition });
  onTestFinished(() => provider.close());
  return provider;
}

/** A simulator that closes when the test ends, and a file that holds its authority, for programs that read one. */
export async function startSimulatorWithCaFile(
  options?: ProviderSimulatorOptions,
): Promise<{ provider: ProviderSimulator; caFile: string }> {
  const provider = await startSimulator(options);
  const caFile = join(givenFolder(), 'ca.pem');
  await writeFile(caFile, provider.ca);
  return { provider, caFile };
}

export function formOf(
  provider: ProviderSimulator,
  name: ProviderInterface,
  environment: ProviderEnvironment,
): Record<'grant_type' | 'client_id' | 'client_secret', string> {
  const { clientId, clientSecret } = provider.credentials(name, environment);
  return { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
}

/** A token request by the book, but for what the test changes about it. */
export function askForToken(
  provider: ProviderSimulator,
  name: ProviderInterface = 'easy',
  environment: ProviderEnvironment = 'sandbox',
  {
    url = provider.tokenUrl(name, environment),
    headers,
    ...call
  }: Partial<HttpsCall> & { url?: string } = {},
): Promise<HttpsAnswer> {
  return callHttps(url, {
    agent: provider.httpsAgent,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(formOf(provider, name, environment)).toString(),
    ...call,
  });
}

/** A new token, just obtained. */
export async function tokenOf(
  provider: ProviderSimulator,
  name: ProviderInterface = 'easy',
  environment: ProviderEnvironment = 'sandbox',
): Promise<string> {
  const { json } = await askForToken(provider, name, environment);
  return String(json['access_token']);
}

/** A request to an address under a base URL with this token. */
export function callApi(
  provider: ProviderSimulator,
  token: string,
  path = '/payments',
  { name = 'easy', environment = 'sandbox', headers, ...call }: ApiCall = {},
): Promise<HttpsAnswer> {
  return callHttps(provider.baseUrl(name, environment) + path, {
    agent: provider.httpsAgent,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...call,
  });
}

type ApiCall = Partial<HttpsCall> & { name?: ProviderInterface; environment?: ProviderEnvironment };

/** The result of a call: its status, or the code of its error. */
export async function outcome(call: Promise<{ status: number }>): Promise<number | string> {
  return call.then(
    ({ status }) => status,
    (error: { code: string }) => error.code,
  );
}

/** The results of several token requests, one after the other. */
export async function statuses(provider: ProviderSimulator, count: number): Promise<(number | string)[]> {
  const all: (number | string)[] = [];
  for (let call = 0; call < count; call += 1) all.push(await outcome(askForToken(provider)));
  return all;
}

/** Sends a token request and returns it, for answers that never end. */
export function openTokenRequest(provider: ProviderSimulator): ClientRequest {
  const call = request(provider.tokenUrl('easy', 'sandbox'), {
    agent: provider.httpsAgent,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  call.on('error', () => undefined);
  call.end(new URLSearchParams(formOf(provider, 'easy', 'sandbox')).toString());
  return call;
}

/** An authority whose own certificate has expired. The certificates that it issues have not. */
export function expiredAuthority(): Authority {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const authority = { name: 'Provider Simulator CA', key };
  const ca = createCertificate({
    subject: authority,
    issuer: authority,
    use: 'authority',
    notBefore: new Date('2000-01-01T00:00:00Z'),
    notAfter: new Date('2001-01-01T00:00:00Z'),
  });
  return { ca, caKey: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
