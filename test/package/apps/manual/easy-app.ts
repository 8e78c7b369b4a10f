import {
  EasyHttpService,
  getTokenProviderToken,
  ProviderAuthModule,
  providerAuthConfig,
  TokenProvider,
} from 'nestjs-provider-auth';
import { start } from './case.js';

export const app = await start(ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()));
export const easy = app.get(EasyHttpService);
/** The tokens of easy, in the active environment. */
export const tokens = app.get<TokenProvider>(getTokenProviderToken('easy'));
