import { ProviderAuthError } from 'nestjs-provider-auth';
import { lines, logger, report, step } from '../case.js';
import { app, easy } from '../easy-app.js';

// THE BLOCK

await loggedFetch('/payments/1?card=secret');
await step('lose the payment');
await loggedFetch('/payments/1?card=secret', { method: 'POST' });
await loggedFetch('/payments/1', { signal: AbortSignal.abort() }).catch(() => undefined);
await step('revoke the token in an outage');
await loggedFetch('/payments/1');
await loggedFetch('/payments/1').catch(() => undefined);
report(lines);
await app.close();
