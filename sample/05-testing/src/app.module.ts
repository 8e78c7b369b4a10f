import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { PaymentsService } from './payments.service.js';

/** The application as it runs in production. It contains no code for the tests. */
@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()),
  ],
  providers: [PaymentsService],
})
export class AppModule {}
