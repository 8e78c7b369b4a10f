import type { HttpService } from '@nestjs/axios';
import { Injectable, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import {
  defineProvider,
  EasyHttpService,
  ProviderAuthModule,
  providerAuthConfig,
} from 'nestjs-provider-auth';
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

export const warehouse = defineProvider({
  name: 'warehouse',
  environments: ['test', 'live'],
  interfaces: { stock: { scope: 'stock.read' } },
});

@Injectable()
export class ShopService {
  constructor(@warehouse.InjectHttp('stock') private readonly stock: HttpService) {}

  inStock(item: string) {
    return this.stock.get(`/items/${item}`).pipe(map((answer) => answer.data));
  }
}
