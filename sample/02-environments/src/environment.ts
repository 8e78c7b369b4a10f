import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import type { SecretFiles } from './secret-files.js';

/** All variables of the application. The secrets are in files, and one interface is already in production. */
export async function environmentOf(
  provider: ProviderSimulator,
  secrets: SecretFiles,
): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(provider.env())) {
    if (name.endsWith('_CLIENT_SECRET')) variables[`${name}_FILE`] = await secrets.write(name, value);
    else variables[name] = value;
  }
  return { ...variables, PROVIDER_ENVIRONMENT: 'sandbox', PROVIDER_ORIGINATIONS_ENVIRONMENT: 'production' };
}
