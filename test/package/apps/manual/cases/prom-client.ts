import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { register } from 'prom-client';
import { report, start, step } from '../case.js';

// THE BLOCK

const app = await start(ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()));
const { axiosRef } = app.get(EasyHttpService);
await axiosRef.get('/payments/1');
await step('revoke');
await axiosRef.get('/payments/1');
await step('revoke, and refuse token requests');
await axiosRef.get('/payments/1').catch(() => undefined);
report((await register.metrics()).split('\n').filter((line) => /^\w+\{/.test(line)));
await app.close();
