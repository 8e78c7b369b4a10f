import { setTimeout as wait } from 'node:timers/promises';
import { NotFoundException, ServiceUnavailableException } from '@nestjs/common';
import { isAxiosError } from 'axios';
import { TokenRequestError } from 'nestjs-provider-auth';
import { catchError, firstValueFrom, type Observable, throwError } from 'rxjs';
import { report, step } from '../case.js';
import { app, easy } from '../easy-app.js';

// THE BLOCK

const outcome = () =>
  firstValueFrom(payment).then(
    ({ status }) => status,
    (error) => error.getStatus(),
  );
const outcomes = [await outcome()];
await step('fix the token endpoint');
let next = await outcome();
for (; next === 503; next = await outcome()) await wait(50);
outcomes.push(next);
await step('lose the payment');
outcomes.push(await outcome());
await step('find the payment, and revoke the token in an outage');
outcomes.push(await outcome());
report(outcomes);
await app.close();
