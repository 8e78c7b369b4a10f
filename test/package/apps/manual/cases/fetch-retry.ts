import { report } from '../case.js';
import { app, easy } from '../easy-app.js';

// THE BLOCK

const { status } = await getWithRetry('/payments/1');
const inOneHour = new Date(Date.now() + 3_600_000).toUTCString();
report([status, delayMs('7', 1), delayMs(inOneHour, 1), delayMs('a moment', 1), delayMs(null, 3) >= 800]);
await app.close();
