import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { Redis } from 'ioredis';
import { type ProviderAuthOptions, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { RedisTokenStore } from 'nestjs-provider-auth/redis';
import { undiciTransport } from 'nestjs-provider-auth/undici';
import { report, start } from '../case.js';

const fromEnvironment = providerAuthConfig() as ProviderAuthOptions;
const { originations, ...others } = fromEnvironment.interfaces;
const oauthUrl = originations?.tokenUrl ?? '';
const sandbox = others.easy!.sandbox!;
const { tokenUrl, baseUrl, clientId, clientSecret } = sandbox;
const secretFromVault = () => clientSecret as string;
const credentialsOf = (account: string) => ({ clientId: account, clientSecret: clientSecret as string });
const redis = new Redis({ lazyConnect: true });

const examples: Partial<ProviderAuthOptions>[] = [
  // THE BLOCK
];

for (const example of examples) {
  const app = await start(ProviderAuthModule.forRoot({ ...fromEnvironment, ...example }));
  await app.close();
}
redis.disconnect();
report(examples.length);
