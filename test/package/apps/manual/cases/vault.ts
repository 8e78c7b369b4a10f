import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { EasyHttpService, ProviderAuthModule } from 'nestjs-provider-auth';
import { report, start, step } from '../case.js';

// THE BLOCK

const app = await start(AppModule);
const { axiosRef } = app.get(EasyHttpService);
const statuses = [(await axiosRef.get('/payments/1')).status];
await step('rotate the secret and revoke the token');
statuses.push((await axiosRef.get('/payments/1')).status);
report(statuses);
await app.close();
