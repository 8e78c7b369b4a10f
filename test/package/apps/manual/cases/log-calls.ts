import { isAxiosError } from 'axios';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { report, start, step } from '../case.js';

const app = await start(ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()));
const easy = app.get(EasyHttpService);
const lines: string[] = [];
const logger = { log: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };

// THE BLOCK

await easy.axiosRef.get('/payments/1');
await step('lose the payment');
await easy.axiosRef.get('/payments/1').catch(() => undefined);
report(lines);
await app.close();
