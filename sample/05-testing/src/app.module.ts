import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { PaymentsService } from './payments.service.js';

/** The application as it goes into production: nothing in it is there for the tests. */
@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()),
  ],
  providers: [PaymentsService],
})
export class AppModule {}
