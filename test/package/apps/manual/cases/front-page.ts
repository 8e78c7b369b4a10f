import { Injectable, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';
import { report, start } from '../case.js';

interface Payment {
  readonly path: string;
}

// THE BLOCK

const app = await start(AppModule);
const { data } = await firstValueFrom(app.get(Payments).find('1'));
report(data.path);
await app.close();
