import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { report, start, step } from '../case.js';

const app = await start(ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()));
const easy = app.get(EasyHttpService);

// THE BLOCK

const { status } = await easy.axiosRef.get('/payments/1');
await step('lose each connection');
const post = await easy.axiosRef.post('/payments', {}).then(
  () => 'answered',
  () => 'failed',
);
report([status, post]);
await app.close();
