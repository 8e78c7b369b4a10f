import { readdir } from 'node:fs/promises';
import { NestFactory } from '@nestjs/core';
import { EasyHttpService, ProviderAuthModule } from 'nestjs-provider-auth';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';

interface Case {
  call(easy: EasyHttpService): Promise<{ path: string } | undefined>;
}

/** Runs each case with a revoked token, and prints what the provider received. */
const provider = await ProviderSimulator.start();
const app = await NestFactory.createApplicationContext(ProviderAuthModule.forRoot(provider.options()), {
  logger: false,
});
const easy = app.get(EasyHttpService);
await easy.axiosRef.get('/first');
const calls: Record<string, object> = {};
for (const file of await readdir(new URL('./cases', import.meta.url))) {
  const { call } = (await import(`./cases/${file}`)) as Case;
  provider.token.revokeAll();
  const before = provider.apiRequests.length;
  const receipt = await call(easy);
  const statuses = provider.apiRequests.slice(before).map(({ status }) => status);
  calls[file.replace(/\.js$/, '')] = { path: receipt?.path, statuses };
}
await app.close();
await provider.close();
console.log(JSON.stringify(calls));
