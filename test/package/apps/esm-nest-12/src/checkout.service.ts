import type { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import {
  EasyHttpService,
  InjectProviderHttp,
  InjectTokenProvider,
  OriginationsHttpService,
  type TokenProvider,
} from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';

interface Receipt {
  interface: string;
  environment: string;
}

@Injectable()
export class CheckoutService {
  constructor(
    private readonly easy: EasyHttpService,
    private readonly originations: OriginationsHttpService,
    @InjectProviderHttp('easy', 'production') private readonly production: HttpService,
    @InjectTokenProvider('easy') private readonly tokens: TokenProvider,
  ) {}

  payment(id: string): Promise<Receipt> {
    return receipt(this.easy, `/payments/${id}`);
  }

  application(id: string): Promise<Receipt> {
    return receipt(this.originations, `/applications/${id}`);
  }

  paymentInProduction(id: string): Promise<Receipt> {
    return receipt(this.production, `/payments/${id}`);
  }

  async printedToken(): Promise<string> {
    return `${await this.tokens.getToken()}`;
  }
}

async function receipt(http: HttpService, path: string): Promise<Receipt> {
  const { data } = await firstValueFrom(http.get<Receipt>(path));
  return data;
}
