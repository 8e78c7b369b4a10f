import { ConfigModule } from '@nestjs/config';
import {
  EasyHttpService,
  type HttpOptions,
  type ProviderAuthOptions,
  ProviderAuthModule,
  providerAuthConfig,
} from 'nestjs-provider-auth';
import { subscribe } from 'node:diagnostics_channel';
import { report, start } from '../case.js';

const seen: string[] = [];
subscribe(
  'undici:request:create',
  (message) => void seen.push((message as { request: { path: string } }).request.path),
);

// THE BLOCK

const app = await start(
  ProviderAuthModule.forRootAsync({
    imports: [ConfigModule.forFeature(providerAuthConfig)],
    inject: [providerAuthConfig.KEY],
    useFactory: (fromEnvironment: ProviderAuthOptions) => ({ ...fromEnvironment, http }),
  }),
);
const { status } = await app.get(EasyHttpService).axiosRef.get('/payments/1');
report({ status, byUndici: seen.map((path) => path.replace(/.*(?=\/payments)/, '')) });
await app.close();
