import { readFile } from 'node:fs/promises';
import { EasyHttpService, type InterfaceOptions, ProviderAuthModule } from 'nestjs-provider-auth';
import { report, start } from '../case.js';

const variable = (name: string): string => process.env[`PROVIDER_EASY_SANDBOX_${name}`] ?? '';
const sandbox = {
  tokenUrl: variable('TOKEN_URL'),
  baseUrl: variable('BASE_URL'),
  clientId: variable('CLIENT_ID'),
  clientSecret: variable('CLIENT_SECRET'),
};

// THE BLOCK

const app = await start(ProviderAuthModule.forRoot({ environment: 'sandbox', interfaces: { easy } }));
report((await app.get(EasyHttpService).axiosRef.get('/payments/1')).status);
await app.close();
