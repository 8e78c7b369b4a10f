import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { start, tell } from '../case.js';

const alerts: ProviderStateEvent[] = [];
const alertSomebody = (event: ProviderStateEvent) => void alerts.push(event);

// THE BLOCK

const app = await start(ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()));
await app
  .get(EasyHttpService)
  .axiosRef.get('/payments/1')
  .catch(() => undefined);
tell(alerts.map(({ state, code }) => [state, code]));
await app.close();
