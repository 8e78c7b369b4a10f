import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { EasyHttpService, TokenRequestError } from 'nestjs-provider-auth';
import { catchError, map, type Observable } from 'rxjs';

@Controller('payments')
export class PaymentsController {
  constructor(private readonly easy: EasyHttpService) {}

  @Get()
  list(): Observable<unknown> {
    return this.easy.get<unknown>('/payments').pipe(
      map(({ data }) => data),
      catchError((error: unknown) => {
        // The caller only learns that the fault is not on its side.
        throw error instanceof TokenRequestError ? new ServiceUnavailableException() : error;
      }),
    );
  }
}
