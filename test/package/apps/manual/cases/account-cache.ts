import {
  type AccountCredentials,
  EasyHttpService,
  type ProviderAuthOptions,
  ProviderAuthModule,
  providerAuthConfig,
} from 'nestjs-provider-auth';
import { report, start } from '../case.js';

const known = JSON.parse(process.env.ACCOUNTS ?? '{}') as Record<string, AccountCredentials>;
const options = {
  ...providerAuthConfig(),
  accounts: (account: string) => known[account],
} as ProviderAuthOptions;
const app = await start(ProviderAuthModule.forRoot(options));
const easy = app.get(EasyHttpService);

// THE BLOCK

const answers: unknown[] = [];
for (const account of ['one', 'two', 'one', 'two'])
  answers.push(Reflect.get(await cached<unknown>(account, '/payments'), 'cached'));
// Without an id.
await easy.for({ account: 'one' }).axiosRef.get('/payments');
report(answers);
await app.close();
