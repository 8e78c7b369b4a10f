import { isAxiosError, type InternalAxiosRequestConfig } from 'axios';
import { ProviderAuthError } from 'nestjs-provider-auth';
import { lines, logger, report, step } from '../case.js';
import { app, easy } from '../easy-app.js';

// THE BLOCK

await easy.axiosRef.get('/payments/1?card=secret');
await step('lose the payment');
await easy.axiosRef.post('/payments/1?card=secret').catch(() => undefined);
await easy.axiosRef.get('https://elsewhere.example/?card=secret').catch(() => undefined);
await step('revoke the token in an outage');
await easy.axiosRef.get('/payments/1').catch(() => undefined);
await easy.axiosRef.get('/payments/1').catch(() => undefined);
report(lines);
await app.close();
