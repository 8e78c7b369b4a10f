import { DynamicModule, Module } from '@nestjs/common';
import { ProviderAuthModule, ProviderAuthOptions } from 'nestjs-provider-auth';
import { CheckoutService } from './checkout.service';

@Module({ providers: [CheckoutService] })
export class AppModule {
  static with(options: ProviderAuthOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [ProviderAuthModule.forRootAsync({ useFactory: () => Promise.resolve(options) })],
    };
  }
}
