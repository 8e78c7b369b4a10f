import { Injectable, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { map } from 'rxjs';

@Injectable()
export class CheckoutService {
  constructor(private readonly easy: EasyHttpService) {}

  payment(id: string) {
    return this.easy.get(`/payments/${id}`).pipe(map((answer) => answer.data));
  }
}

@Module({
  imports: [ConfigModule.forRoot(), ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())],
  providers: [CheckoutService],
})
export class AppModule {}
