import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { report, start } from '../case.js';

const alerts: ProviderStateEvent[] = [];
const alertOperators = (event: ProviderStateEvent) => void alerts.push(event);

// THE BLOCK

const app = await start(ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()));
await app
  .get(EasyHttpService)
  .axiosRef.get('/payments/1')
  .catch(() => undefined);
report(alerts.map(({ state, code }) => [state, code]));
await app.close();
