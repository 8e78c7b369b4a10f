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
        // Our caller is told that it is not their fault, and nothing else.
        throw error instanceof TokenRequestError ? new ServiceUnavailableException() : error;
      }),
    );
  }
}
