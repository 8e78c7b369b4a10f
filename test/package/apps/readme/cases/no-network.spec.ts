import { Injectable, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import nock from 'nock';
import { firstValueFrom, map } from 'rxjs';

@Injectable()
class CheckoutService {
  constructor(private readonly easy: EasyHttpService) {}

  payment(id: string) {
    return this.easy.get(`/payments/${id}`).pipe(map((answer) => answer.data));
  }
}

@Module({
  imports: [ConfigModule.forRoot(), ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())],
  providers: [CheckoutService],
})
class AppModule {}

// THE BLOCK
