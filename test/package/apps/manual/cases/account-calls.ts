import {
  EasyHttpService,
  getTokenProviderToken,
  type ProviderAuthOptions,
  ProviderAuthModule,
  providerAuthConfig,
  type TokenProvider,
} from 'nestjs-provider-auth';
import { report, start } from '../case.js';

const credentials = {
  clientId: process.env.ACCOUNT_ID ?? '',
  clientSecret: process.env.ACCOUNT_SECRET ?? '',
};
const options = { ...providerAuthConfig(), accounts: () => credentials } as ProviderAuthOptions;
const app = await start(ProviderAuthModule.forRoot(options));
const easy = app.get(EasyHttpService);
const tokens = app.get<TokenProvider>(getTokenProviderToken('easy'));

// THE BLOCK

report([typeof data, answer.status, token.fingerprint.length > 0]);
await app.close();
