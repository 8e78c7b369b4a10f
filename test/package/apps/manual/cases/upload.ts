import { report, step } from '../case.js';
import { app, easy } from '../easy-app.js';

await easy.axiosRef.get('/payments/1');
await step('revoke');

// THE BLOCK

report(answer.status);
await app.close();
