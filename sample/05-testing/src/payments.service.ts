import { Injectable } from '@nestjs/common';
import { isAxiosError } from 'axios';
import { EasyHttpService } from 'nestjs-provider-auth';
import { catchError, map, type Observable, of } from 'rxjs';

export type PaymentState = 'open' | 'paid' | 'unknown';

@Injectable()
export class PaymentsService {
  constructor(private readonly easy: EasyHttpService) {}

  /** A payment that the provider does not know is a result, not an error. */
  state(id: string): Observable<PaymentState> {
    return this.easy.get<{ paid: boolean }>(`/payments/${encodeURIComponent(id)}`).pipe(
      map(({ data }) => (data.paid ? 'paid' : 'open')),
      catchError((error: unknown) => {
        if (isAxiosError(error) && error.response?.status === 404) return of('unknown' as const);
        throw error;
      }),
    );
  }
}
