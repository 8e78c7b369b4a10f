import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { report, start, step } from '../case.js';

const app = await start(ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()));
const easy = app.get(EasyHttpService);
await easy.axiosRef.get('/payments/1');
await step('revoke');

// THE BLOCK

report(answer.status);
await app.close();
