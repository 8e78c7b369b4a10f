import { EasyHttpService, type InterfaceOptions, ProviderAuthModule } from 'nestjs-provider-auth';
import { report, start } from './case.js';

const variable = (name: string): string => process.env[`PROVIDER_EASY_SANDBOX_${name}`] ?? '';

/** Easy sandbox without its certificates, which a block adds. */
export const sandbox = {
  tokenUrl: variable('TOKEN_URL'),
  baseUrl: variable('BASE_URL'),
  clientId: variable('CLIENT_ID'),
  clientSecret: variable('CLIENT_SECRET'),
};

/** Reports the status of one call. */
export async function reportCall(easy: InterfaceOptions<'easy'>): Promise<void> {
  const app = await start(ProviderAuthModule.forRoot({ environment: 'sandbox', interfaces: { easy } }));
  report((await app.get(EasyHttpService).axiosRef.get('/payments/1')).status);
  await app.close();
}
