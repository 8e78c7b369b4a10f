import { isAxiosError } from 'axios';
import { report, step } from '../case.js';
import { app, easy } from '../easy-app.js';

// THE BLOCK

const { status } = await easy.axiosRef.get('/payments/1');
await step('lose each connection');
const post = await easy.axiosRef.post('/payments', {}).then(
  () => 'answered',
  () => 'failed',
);
await step('ask for a pause');
const limited: unknown = await easy.axiosRef
  .get('/payments/1', { 'axios-retry': { retries: 0 } })
  .catch((error: unknown) => error);
// Without the header, the pause before the first retry is at most 240 ms.
const waits = isAxiosError(limited) && axiosRetry.exponentialDelay(1, limited) >= 7_000;
report([status, post, waits]);
await app.close();
