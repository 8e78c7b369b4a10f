import { Injectable } from '@nestjs/common';
import { EasyHttpService, OriginationsHttpService } from 'nestjs-provider-auth';
import { map, type Observable } from 'rxjs';

/** What the simulator's API answers: where the request arrived. */
export interface Receipt {
  interface: string;
  environment: string;
  path: string;
}

/** A service as it stands in any application: no token, no header, no retry. */
@Injectable()
export class CheckoutService {
  constructor(
    private readonly easy: EasyHttpService,
    private readonly originations: OriginationsHttpService,
  ) {}

  payment(id: string): Observable<Receipt> {
    return this.easy.get<Receipt>(`/payments/${id}`).pipe(map((answer) => answer.data));
  }

  application(id: string): Observable<Receipt> {
    return this.originations.get<Receipt>(`/applications/${id}`).pipe(map((answer) => answer.data));
  }
}
