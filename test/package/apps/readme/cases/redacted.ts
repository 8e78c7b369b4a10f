import {
  getTokenProviderToken,
  ProviderAuthModule,
  providerAuthConfig,
  type TokenProvider,
} from 'nestjs-provider-auth';
import { start, tell } from '../case.js';

const app = await start(ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()));
const token = await app.get<TokenProvider>(getTokenProviderToken('easy')).getToken();

// THE BLOCK

tell(token.fingerprint);
await app.close();
