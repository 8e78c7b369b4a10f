import type { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import type { ProviderFetch } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';
import { warehouse } from './warehouse.js';

@Injectable()
export class ShopService {
  constructor(
    @warehouse.InjectHttp('stock') private readonly stock: HttpService,
    @warehouse.InjectFetch('bankOrders', 'test') private readonly orders: ProviderFetch,
    @warehouse.InjectHttp('returns') private readonly returns: HttpService,
  ) {}

  async inStock(item: string): Promise<unknown> {
    return (await firstValueFrom(this.stock.get<unknown>(`/items/${encodeURIComponent(item)}`))).data;
  }

  async order(item: string): Promise<unknown> {
    const answer = await this.orders('/orders', { method: 'POST', body: JSON.stringify({ item }) });
    return answer.json();
  }

  async takeBack(item: string): Promise<unknown> {
    return (await firstValueFrom(this.returns.post<unknown>('/returns', { item }))).data;
  }
}
