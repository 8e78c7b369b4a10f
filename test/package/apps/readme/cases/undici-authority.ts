import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import {
  EasyHttpService,
  ProviderAuthModule,
  providerAuthConfig,
  type ProviderAuthOptions,
} from 'nestjs-provider-auth';
import { undiciTransport } from 'nestjs-provider-auth/undici';
import { report, start } from '../case.js';

// THE BLOCK

const options: ProviderAuthOptions = { ...(await providerAuthConfig()), http };
const app = await start(ProviderAuthModule.forRoot(options));
report((await app.get(EasyHttpService).axiosRef.get('/payments/1')).status);
await app.close();
http.httpsAgent.destroy();
