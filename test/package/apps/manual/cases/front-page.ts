import { HttpService } from '@nestjs/axios';
import { Injectable, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { defineProvider } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';
import { report, start } from '../case.js';

interface Order {
  readonly path: string;
}

// THE BLOCK

const app = await start(AppModule);
const { data } = await firstValueFrom(app.get(Orders).find('1'));
report(data.path);
await app.close();
