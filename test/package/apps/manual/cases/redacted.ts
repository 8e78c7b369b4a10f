import {
  getTokenProviderToken,
  ProviderAuthModule,
  providerAuthConfig,
  type TokenProvider,
} from 'nestjs-provider-auth';
import { report, start } from '../case.js';

const app = await start(ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()));
const token = await app.get<TokenProvider>(getTokenProviderToken('easy')).getToken();

// THE BLOCK

report(token.fingerprint);
await app.close();
