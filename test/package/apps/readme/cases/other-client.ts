import {
  type AccessToken,
  getTokenProviderToken,
  ProviderAuthModule,
  providerAuthConfig,
  type TokenProvider,
} from 'nestjs-provider-auth';
import { report, start, step } from '../case.js';

// THE BLOCK

const app = await start(ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()));
const tokens: TokenProvider = app.get(getTokenProviderToken('easy'));
const url = `${process.env.PROVIDER_EASY_SANDBOX_BASE_URL}/payments/1`;
const first = await callByFetch(tokens, url);
await step('revoke');
const second = await callByFetch(tokens, url);
report([first.status, second.status]);
await app.close();
