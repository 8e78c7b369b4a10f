import { Injectable } from '@nestjs/common';
import { EasyHttpService, OriginationsHttpService } from 'nestjs-provider-auth';
import { map, type Observable } from 'rxjs';

/** The response of the simulated API: where the request arrived. */
export interface Receipt {
  interface: string;
  environment: string;
  path: string;
}

/** A service as in any application. It contains no code for tokens, headers or retries. */
@Injectable()
export class CheckoutService {
  constructor(
    private readonly easy: EasyHttpService,
    private readonly originations: OriginationsHttpService,
  ) {}

  payment(id: string): Observable<Receipt> {
    return this.easy
      .get<Receipt>(`/payments/${encodeURIComponent(id)}`)
      .pipe(map((response) => response.data));
  }

  application(id: string): Observable<Receipt> {
    const path = `/applications/${encodeURIComponent(id)}`;
    return this.originations.get<Receipt>(path).pipe(map((response) => response.data));
  }
}
