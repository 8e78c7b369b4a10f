import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { EasyHttpService, OriginationsHttpService } from 'nestjs-provider-auth';
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
  ) {}

  payment(id: string): Promise<string> {
    return placeOf(this.easy, `/payments/${id}`);
  }

  application(id: string): Promise<string> {
    return placeOf(this.originations, `/applications/${id}`);
  }
}

async function placeOf(http: HttpService, path: string): Promise<string> {
  const { data } = await firstValueFrom(http.get<Receipt>(path));
  return `${data.interface} ${data.environment}`;
}
