import { type DynamicModule, Module } from '@nestjs/common';
import { type ProviderAuthOptions, ProviderAuthModule } from 'nestjs-provider-auth';
import { InvoicesService } from './invoices.service.js';
import { PaymentsService } from './payments.service.js';

@Module({ providers: [PaymentsService, InvoicesService] })
export class AppModule {
  /** Your application takes its options from the environment, as in 01-quick-start. */
  static with(options: ProviderAuthOptions): DynamicModule {
    return { module: AppModule, imports: [ProviderAuthModule.forRoot(options)] };
  }
}
