import { HttpService } from '@nestjs/axios';
import { Injectable, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { report, start } from '../case.js';

// THE BLOCK

const app = await start(AppModule);
report(await app.get(Checkout).order('apple', '42'));
await app.close();
